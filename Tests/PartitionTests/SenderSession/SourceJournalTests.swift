import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite("Source journal (corpus-protocol.md 17.1)")
struct SourceJournalTests {
    /// A journal with a committed partition, a pending one and an item that is half committed.
    private func middle() throws -> SourceJournal {
        var fixture = try SessionFixture(days: 3, itemSizes: [40_000_000, 40_000_000, 10])
        fixture.handle(.peerReady)
        try fixture.sendPartition()
        return try fixture.requireStored()
    }

    private func code(_ journal: SourceJournal, _ change: (inout SourceJournal.Progress) -> Void) -> String? {
        var progress = journal.progress
        change(&progress)
        do {
            _ = try SourceJournal(
                restoring: journal.origin, session: journal.session, manifest: journal.manifest,
                createdAt: journal.createdAt, progress: progress)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a journal that was stored is restored as it was")
    func roundTrip() throws {
        let journal = try middle()
        #expect(try SessionFixture.restored(journal) == journal)
        #expect(journal.progress.items.first?.nextOffset == SessionFixture.budget)
    }

    @Test("counters that contradict each other are refused")
    func counts() throws {
        let journal = try middle()
        #expect(code(journal) { $0.completedItemCount = 4 } == "journal_counts")
        #expect(code(journal) { $0.completedItemCount = -1 } == "journal_counts")
        #expect(code(journal) { $0.nextItemIndex = 4 } == "journal_counts")
        #expect(code(journal) { $0.nextItemIndex = 2 } == "journal_counts")
        #expect(code(journal) { $0.committedPartitionCount = 0 } == "journal_counts")
        #expect(code(journal) { $0.lastCommittedPartitionSHA256 = nil } == "journal_counts")
        #expect(code(journal) { $0.committedByteCount = 0 } == "journal_counts")
        #expect(code(journal) { $0.committedByteCount = -5 } == "journal_counts")
    }

    @Test("items out of order, doubled, used up or of another kind are refused")
    func items() throws {
        let journal = try middle()
        #expect(code(journal) { $0.items.swapAt(0, 1) } == "journal_item")
        #expect(code(journal) { $0.items[1] = self.copy($0.items[1], itemID: $0.items[0].itemID) } == "journal_item")
        #expect(code(journal) { $0.items[0].nextOffset = $0.items[0].totalBytes } == "journal_item")
        #expect(code(journal) { $0.items[1].nextOffset = 1 } == "journal_item")
        #expect(code(journal) { $0.items[1] = self.copy($0.items[1], kind: .macHealthDay) } == "journal_item")
    }

    private func copy(_ item: PendingItem, itemID: UUID? = nil, kind: ItemKind? = nil) -> PendingItem {
        PendingItem(
            itemID: itemID ?? item.itemID, kind: kind ?? item.kind, sourceDate: item.sourceDate,
            isRequestedDate: item.isRequestedDate, totalBytes: item.totalBytes, sha256: item.sha256)
    }

    @Test("a pending partition that does not continue the committed ones or its items is refused")
    func pending() throws {
        let journal = try middle()
        #expect(code(journal) { $0.lastCommittedPartitionSHA256 = SHA256.hash("x") } == "journal_pending_partition")
        #expect(code(journal) { $0.committedPartitionCount = 2 } == "journal_pending_partition")
        #expect(code(journal) { $0.items[0].nextOffset += 1 } == "journal_pending_partition")
        #expect(
            code(journal) { progress in
                guard let pending = progress.pendingPartition else { return }
                progress.pendingPartition = .init(
                    transferID: journal.session.jobID, descriptor: pending.descriptor, manifest: pending.manifest)
            } == "journal_pending_partition")
    }

    @Test("a completed journal has an accepted acknowledgement and nothing left")
    func completion() throws {
        let journal = try middle()
        #expect(code(journal) { $0.state = .completed } == "journal_completion")
        var fixture = try SessionFixture(days: 1)
        fixture.handle(.peerReady)
        try fixture.sendPartition()
        fixture.handle(.finalAck(try fixture.finalAck()))
        let completed = try fixture.requireStored()
        #expect(code(completed) { _ in } == nil)
        #expect(code(completed) { $0.terminalAcknowledgement = nil } == "journal_completion")
        #expect(code(completed) { $0.state = .finalizing } == "journal_completion")
    }

    @Test("a session without a peer binding, or with another fingerprint, is refused")
    func session() throws {
        let journal = try middle()
        let inMemory = try SessionFixture.journal(days: 3, durability: .inMemory)
        #expect(throws: SourceJournalError.session(version: 1, hasPeerBinding: false)) {
            try SessionFixture.restored(inMemory)
        }
        let other = try SessionFixture.journal(days: 2)
        #expect(throws: SourceJournalError.fingerprint) {
            try SourceJournal(
                restoring: .macInitiated, session: journal.session, manifest: other.manifest,
                createdAt: journal.createdAt, progress: journal.progress)
        }
    }
}
