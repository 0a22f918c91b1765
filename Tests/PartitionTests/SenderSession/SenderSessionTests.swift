import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite("Sender session: the durable loop (corpus-protocol.md 12.1)")
struct SenderSessionTests {
    @Test("a job runs from its first item to the final acknowledgement")
    func wholeJob() throws {
        var fixture = try SessionFixture(days: 3)
        fixture.handle(.peerReady)
        #expect(fixture.log.names.filter { $0 == "produce" }.count == 3)
        #expect(fixture.session.journal.progress.state == .transferring)
        try fixture.sendPartition()
        #expect(fixture.log.messages.last == "connectedCorpusTransferFinalize")
        fixture.handle(.finalAck(try fixture.finalAck()))
        #expect(fixture.log.names.last == "ended:completed")
        #expect(fixture.stored?.progress.state == .completed)
        #expect(fixture.log.lastStatus?.state == .completed)
        #expect(fixture.stored?.progress.completedItemCount == 3)
    }

    @Test("every open carries the same session and manifest")
    func opensAreIdentical() throws {
        var fixture = try SessionFixture(days: 3, itemSizes: [40_000_000, 40_000_000, 5])
        fixture.handle(.peerReady)
        for _ in 0..<3 { try fixture.sendPartition() }
        let opens = fixture.log.compactMap { action -> CorpusTransferOpen? in
            if case .send(.corpusOpen(let open)) = action { return open }
            return nil
        }
        #expect(opens.map(\.partition.index) == [0, 1, 2])
        #expect(Set(opens.map(\.session)).count == 1)
        #expect(Set(opens.map(\.exportManifest)).count == 1)
        #expect(opens[1].partition.previousSHA256 == opens[0].partition.sha256)
    }

    @Test("the journal is stored before the open that depends on it leaves")
    func storeBeforeOpen() throws {
        var fixture = try SessionFixture(days: 1)
        fixture.handle(.peerReady)
        let names = fixture.log.names
        let store = try #require(names.firstIndex(of: "store:transferring"))
        let open = try #require(names.firstIndex(of: "send:connectedCorpusTransferOpen"))
        #expect(store < open)
        #expect(fixture.stored?.progress.pendingPartition != nil)
    }

    @Test("a commit is stored before the finished items are deleted and before anything else is sent")
    func storeBeforeDelete() throws {
        var fixture = try SessionFixture(days: 2, itemSizes: [40_000_000, 10])
        fixture.handle(.peerReady)
        fixture.handle(.disposition(try fixture.disposition(.accept)))
        let first = fixture.handle(.transferEnded(.accepted)).names
        #expect(first == ["store:transferring", "send:connectedCorpusStatus", "send:connectedCorpusTransferOpen"])
        fixture.handle(.disposition(try fixture.disposition(.resume)))
        let second = fixture.handle(.transferEnded(.accepted)).names
        #expect(
            second.starts(with: ["store:preparing", "send:connectedCorpusStatus", "delete:2"])
                || second.starts(with: ["store:transferring", "send:connectedCorpusStatus", "delete:2"]))
        #expect(second.last == "send:connectedCorpusTransferFinalize")
    }

    @Test("one status follows every checkpoint")
    func statusAfterCheckpoint() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        try fixture.sendPartition()
        fixture.handle(.finalAck(try fixture.finalAck()))
        let names = fixture.log.names
        for (index, name) in names.enumerated() where name.hasPrefix("store:") {
            #expect(names[index + 1] == "send:connectedCorpusStatus")
        }
    }

    @Test("no more is produced than one partition ahead, and the partition ahead is built before it is needed")
    func boundedProduction() throws {
        let days = 10
        var fixture = try SessionFixture(days: days, itemSizes: Array(repeating: 20_000_000, count: days))
        fixture.handle(.peerReady)
        // On its way, built ahead, and one more partition's worth of items.
        #expect(fixture.session.journal.progress.nextItemIndex < days)
        #expect(fixture.session.journal.progress.items.map(\.remainingBytes).reduce(0, +) <= 4 * 33_554_432)
        #expect(fixture.log.names.contains("build:1"))
        #expect(fixture.log.names.contains("begin:0") == false)
        try fixture.sendPartition()
        #expect(fixture.session.journal.progress.pendingPartition?.descriptor.index == 1)
    }

    @Test("a partition that was built ahead is not journaled before its predecessor is committed")
    func builtAheadIsNotStored() throws {
        var fixture = try SessionFixture(days: 4, itemSizes: Array(repeating: 40_000_000, count: 4))
        fixture.handle(.peerReady)
        #expect(fixture.log.names.contains("build:1"))
        #expect(try fixture.requireStored().progress.pendingPartition?.descriptor.index == 0)
        #expect(try fixture.requireStored().progress.committedPartitionCount == 0)
    }

    @Test("an item is split at the partition's budget and goes on in the next one")
    func splitItem() throws {
        var fixture = try SessionFixture(days: 1, itemSizes: [SessionFixture.budget + 7])
        fixture.handle(.peerReady)
        let first = try #require(fixture.session.journal.progress.pendingPartition?.manifest.segments.first)
        #expect(first.segmentBytes == SessionFixture.budget)
        #expect(!first.isFinalSegment)
        try fixture.sendPartition()
        let second = try #require(fixture.session.journal.progress.pendingPartition?.manifest.segments.first)
        #expect(second.itemOffset == SessionFixture.budget)
        #expect(second.segmentBytes == 7)
        #expect(second.isFinalSegment)
    }

    @Test("partial success: the final ack says fewer successes than days")
    func partialSuccess() throws {
        var fixture = try SessionFixture(days: 2)
        fixture.handle(.peerReady)
        try fixture.sendPartition()
        fixture.handle(.finalAck(try fixture.finalAck(successCount: 1)))
        #expect(fixture.log.lastStatus?.state == .partialSuccess)
    }

    @Test("preparation progress is sent to the destination that asked, not for a push")
    func preparationProgress() throws {
        var asked = try SessionFixture(days: 2)
        asked.handle(.peerReady)
        #expect(asked.log.count(of: .iphoneExportPreparationProgress) == 2)
        var pushed = try SessionFixture(days: 2, origin: .interactiveIPhone, mode: .writeFiles)
        pushed.handle(.peerReady)
        #expect(pushed.log.count(of: .iphoneExportPreparationProgress) == 0)
    }
}
