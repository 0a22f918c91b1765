import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite struct FinalizationTests {
    @Test("a finalize that matches begins once; while it runs further ones are not answered")
    func begins() throws {
        let fixture = try DestinationFixture()
        var session = try fixture.filled()
        let message = try fixture.finalize(session)
        #expect(session.finalize(message) == .begun && session.journal.state == .finalizing)
        #expect(session.finalize(message) == .ignored)
        session.suspendFinalization()
        #expect(session.finalize(message) == .begun)
    }

    @Test("a finalize that does not match is refused and the session stays open")
    func mismatch() throws {
        let fixture = try DestinationFixture()
        let filled = try fixture.filled()
        func isRefused(_ message: CorpusTransferFinalize, _ session: ReceiverSession) -> Bool {
            var copy = session
            guard case .refused(let ack) = copy.finalize(message) else { return false }
            return copy == session && !ack.accepted && ack.message != nil
        }
        #expect(isRefused(try fixture.finalize(filled, count: 2), filled))
        #expect(isRefused(try fixture.finalize(filled, bytes: 1), filled))
        #expect(isRefused(try DestinationFixture().finalize(filled), filled))
        let opened = try fixture.opened().session
        #expect(isRefused(try fixture.finalize(opened), opened))
    }

    @Test("the positive ack carries counts within the total and is replayed identically")
    func completion() throws {
        let fixture = try DestinationFixture()
        var session = try fixture.filled()
        let message = try fixture.finalize(session)
        _ = session.finalize(message)
        let counts = FinalizationCounts(
            completedDates: [fixture.dates[1], fixture.dates[0], fixture.dates[1]], successCount: 1)
        let ack = session.complete(counts, message: "done")
        #expect(ack.accepted && ack.completedDates == fixture.dates && ack.successCount == 1 && ack.totalCount == 2)
        #expect(session.finalize(message) == .replayed(ack))
        #expect(try ReceiverSession(restoring: session.journal).journal.terminalAcknowledgement == ack)
    }

    @Test("a failure is final and its negative ack is replayed")
    func failure() throws {
        let fixture = try DestinationFixture()
        var session = try fixture.filled()
        let message = try fixture.finalize(session)
        _ = session.finalize(message)
        let ack = session.fail(message: "The folder is gone.")
        #expect(!ack.accepted && session.journal.state == .failed)
        #expect(session.finalize(message) == .replayed(ack))
        guard case .refused = session.finalize(try fixture.finalize(session, count: 3)) else {
            Issue.record("other totals are no replay")
            return
        }
    }

    @Test("a finalization that a restart interrupted goes on")
    func resumes() throws {
        let fixture = try DestinationFixture()
        var session = try fixture.filled()
        _ = session.finalize(try fixture.finalize(session))
        var restored = try ReceiverSession(restoring: session.journal)
        let resumed = restored.resumeFinalization()
        #expect(resumed)
        let again = restored.resumeFinalization()
        #expect(!again)
        #expect(restored.finalize(try fixture.finalize(restored)) == .ignored)
    }

    @Test("a cancel is refused while a partition is applied or a file is replaced, and after the end")
    func cancellation() throws {
        let fixture = try DestinationFixture()
        var (session, _, descriptor) = try fixture.opened()
        _ = try session.beginApplication(of: descriptor)
        #expect(session.cancel(isFileTransactionInFlight: false) == .refusedForNow)
        session.abandonApplication()
        #expect(session.cancel(isFileTransactionInFlight: true) == .refusedForNow)
        #expect(session.cancel(isFileTransactionInFlight: false) == .cancelled)
        #expect(session.cancel(isFileTransactionInFlight: false) == .refused)
        #expect(try ReceiverSession(restoring: session.journal).journal.state == .cancelled)
    }
}

@Suite struct DestinationJournalTests {
    private func error(_ journal: DestinationJournal) -> DestinationJournalError? {
        do {
            _ = try ReceiverSession(restoring: journal)
            return nil
        } catch {
            return error
        }
    }

    @Test("a journal that holds its invariants is restored; each broken one is named")
    func invariants() throws {
        let fixture = try DestinationFixture(dayCount: 3)
        var session = try fixture.opened().session
        let file = try fixture.file(0, [(fixture.items[0], 1_000), (fixture.items[1], 400)])
        let descriptor = try fixture.descriptor(file)
        _ = try session.beginApplication(of: descriptor)
        _ = try session.commit(
            session.plan(file, sha256: descriptor.sha256),
            [.complete(fixture.content(fixture.items[0])), .partial(prefixSHA256: SHA256.hash([1]))])
        let journal = session.journal
        #expect(error(journal) == nil)
        func broken(_ change: (inout DestinationJournal) -> Void) -> String? {
            var copy = journal
            change(&copy)
            return error(copy)?.code
        }
        #expect(broken { $0.totalPartitionBytes += 1 } == "journal_partition_invalid")
        #expect(
            broken { $0.committedPartitions.append(.init(byteCount: 0, sha256: descriptor.sha256)) }
                == "journal_partition_invalid")
        #expect(broken { $0.state = .completed } == "journal_terminal_invalid")
        #expect(broken { $0.state = .finalizing } == "journal_terminal_invalid")
        let day = try #require(journal.days[fixture.dates[0]])
        #expect(broken { $0.days[fixture.dates[2]] = day } == "journal_day_invalid")
        let item = try #require(journal.partialItems[fixture.items[1].itemID])
        func changed(offset: Int64 = 400, id: UUID? = nil, date: ProtocolDate? = nil, requested: Bool = true)
            -> DestinationJournal.PartialItem
        {
            .init(
                itemID: id ?? item.itemID, kind: item.kind, sourceDate: date ?? item.sourceDate,
                isRequestedDate: requested, totalItemBytes: 1_000, itemSHA256: item.itemSHA256, nextOffset: offset,
                prefixSHA256: item.prefixSHA256)
        }
        for wrong in [
            changed(offset: 0), changed(offset: 1_000), changed(id: day.itemID), changed(date: fixture.dates[0]),
            changed(requested: false),
        ] {
            #expect(
                broken {
                    $0.partialItems = [wrong.itemID: wrong]
                } == "journal_partial_item_invalid")
        }
        let other = DestinationJournal(
            session: journal.session, manifest: try DestinationFixture(dayCount: 2).manifest)
        #expect(error(other)?.code == "journal_fingerprint_mismatch")
    }
}
