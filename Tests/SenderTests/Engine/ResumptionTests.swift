import Cryptography
import DurableStore
import Foundation
import Testing

@testable import ConnectedProtocol
@testable import Sender

@Suite("Sender engine: restarts and lost connections")
struct ResumptionTests {
    /// Where the engine is dropped.
    enum Cut: CaseIterable {
        case afterAcceptance
        case afterOpen
        case afterDisposition
        case inTransfer
        case beforeFinalAck
        case beforeConfirmation
    }

    @Test("after a crash at any durable step the job ends with the same days", arguments: Cut.allCases)
    func crash(at cut: Cut) throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        if cut != .afterAcceptance {
            fixture.work()
            try run(fixture, upTo: cut)
        }
        try fixture.restart()
        fixture.connect()
        if cut == .beforeConfirmation {
            #expect(fixture.lastOpen() == nil)
        } else {
            let days = try rawDays(in: try fixture.takePartition())
            #expect(days.map(\.day.date) == ["2026-03-01", "2026-03-02"])
        }
        try fixture.confirmEnd()
        #expect(try fixture.stored()?.journal.progress.state == .completed)
        #expect(fixture.itemFileCount == 0)
    }

    @Test("a job whose end was stored but not recorded when the process died is recorded by the next one")
    func endWithoutRecord() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        try fixture.takePartition()
        try fixture.confirmEnd()
        var journal = try #require(try fixture.stored()).journal
        journal.progress.completionRecorded = false
        try fixture.store.update(journal)
        try fixture.restart()
        fixture.connect()
        #expect(try fixture.stored()?.journal.progress.completionRecorded == true)
    }

    @Test(
        "a job whose prepared days are gone after a restart fails, and the destination hears of it on the same connection"
    )
    func damagedItems() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        try fixture.restart()
        for entry in try fixture.store.items.entries() { try fixture.store.items.remove(entry.name) }
        fixture.connect()
        fixture.work()
        #expect(try fixture.stored()?.journal.progress.state == .failed)
        let told = fixture.channel.sent.compactMap { message -> CorpusState? in
            if case .corpusStatus(let status) = message { status.state } else { nil }
        }
        #expect(told.last == .failed)
    }

    private func run(_ fixture: EngineFixture, upTo cut: Cut) throws {
        switch cut {
        case .afterAcceptance, .afterOpen: break
        case .afterDisposition: try answerOpen(fixture)
        case .inTransfer:
            try answerOpen(fixture)
            try fixture.takeTransfer(finalAck: false)
        case .beforeFinalAck: try fixture.takePartition(finalAck: false)
        case .beforeConfirmation: try fixture.takePartition()
        }
    }

    private func answerOpen(_ fixture: EngineFixture) throws {
        let open = try #require(fixture.lastOpen())
        fixture.receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, partitionIndex: open.partition.index,
                    partitionSHA256: open.partition.sha256, disposition: .accept,
                    nextPartitionIndex: open.partition.index)))
    }

    @Test("after a restart the same transfer, descriptor and bytes are sent again")
    func identicalBytes() throws {
        let fixture = try EngineFixture()
        fixture.library.paddingByteCount = 900_000
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let before = try #require(fixture.lastOpen())
        let firstBytes = try fixture.takePartition(finalAck: false)
        let firstStart = start(fixture)
        try fixture.restart()
        fixture.connect()
        #expect(fixture.lastOpen() == before)
        #expect(try fixture.takePartition(finalAck: false) == firstBytes)
        #expect(start(fixture) == firstStart)
    }

    private func start(_ fixture: EngineFixture) -> TransferStart? {
        for case .transferStart(let start) in fixture.channel.sent.reversed() { return start }
        return nil
    }

    @Test("a lost connection pauses; hello resumes; the same bytes go out again from chunk 1")
    func reconnect() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let open = try #require(fixture.lastOpen())
        try fixture.takePartition(finalAck: false)
        fixture.disconnect()
        #expect(try fixture.stored()?.journal.progress.state == .paused)
        fixture.connect()
        #expect(fixture.lastOpen() == open)
        try fixture.takePartition()
        try fixture.confirmEnd()
        #expect(try fixture.stored()?.journal.progress.state == .completed)
    }

    @Test("hello and the request that is re-sent resume once")
    func resumeOnce() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        fixture.disconnect()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        #expect(fixture.names.count { $0 == "connectedCorpusTransferOpen" } == 1)
        #expect(fixture.names.count { $0 == "iphoneExportAccepted" } == 1)
    }

    @Test("a job keeps the generation that it began with, whatever is imported meanwhile")
    func generation() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.library.generation = 2
        fixture.work()
        let first = try fixture.takePartition(finalAck: false)
        try fixture.restart()
        fixture.connect()
        #expect(try fixture.takePartition() == first)
        #expect(try fixture.store.generationsInUse() == [1])
    }

    @Test("an item file that was changed while the engine was away fails the job")
    func damagedItem() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let item = try #require(try fixture.store.items.entries().first)
        let file = try fixture.store.items.file(item.name, .readWrite)
        let size = try file.size()
        try file.write([0xFF], at: size - 1)
        try fixture.restart()
        fixture.connect()
        #expect(try fixture.stored()?.journal.progress.state == .failed)
        #expect(fixture.itemFileCount == 0)
    }

    @Test("an item file that is gone fails the job", arguments: [true, false])
    func missingItem(whileRunning: Bool) throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        if whileRunning { fixture.disconnect() }
        for entry in try fixture.store.items.entries() { try fixture.store.items.remove(entry.name) }
        if !whileRunning { try fixture.restart() }
        fixture.connect()
        if whileRunning {
            // The files are still open: what was announced can still be sent.
            try fixture.takePartition()
            try fixture.confirmEnd()
        }
        let expected: SourceJournal.State = whileRunning ? .completed : .failed
        #expect(try fixture.stored()?.journal.progress.state == expected)
    }

    @Test("files that nothing refers to are gone after a start")
    func sweep() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let kept = fixture.itemFileCount
        _ = try fixture.store.items.createFile("\(UUID().uuidString).item")
        try ItemStore(fixture.store.items).sweep(keeping: try fixture.store.referencedItems())
        #expect(fixture.itemFileCount == kept)
    }

    @Test("another workstation in the place of the first fails its jobs")
    func otherWorkstation() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        fixture.disconnect()
        fixture.peer.installationID = UUID()
        fixture.connect()
        #expect(try fixture.stored()?.journal.progress.state == .failed)
    }

    @Test("the oldest job is resumed first, the next one when it is over")
    func order() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let first = EngineFixture.jobID
        // Refused: it waits, and another request may begin.
        let open = try #require(fixture.lastOpen())
        fixture.receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: first, partitionIndex: 0,
                    partitionSHA256: open.partition.sha256, disposition: .reject, nextPartitionIndex: 0,
                    message: "busy")))
        fixture.now.wall += 1
        let second = UUID()
        fixture.receive(.exportRequest(fixture.request(["2026-04-01"], jobID: second)))
        fixture.work()
        #expect(fixture.lastOpen()?.session.jobID == second)
        fixture.disconnect()
        fixture.connect()
        #expect(fixture.lastOpen()?.session.jobID == first)
        try fixture.takePartition()
        try fixture.confirmEnd()
        #expect(fixture.lastOpen()?.session.jobID == second)
    }

    @Test("a parked job is tried again after its time while the connection stands")
    func parkedRetry() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        let open = try #require(fixture.lastOpen())
        fixture.receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, partitionIndex: 0,
                    partitionSHA256: open.partition.sha256, disposition: .reject, nextPartitionIndex: 0)))
        _ = fixture.channel.drain()
        fixture.pass(seconds: 29)
        #expect(fixture.channel.sent.isEmpty)
        fixture.pass(seconds: 1)
        #expect(fixture.lastOpen() == open)
    }

    @Test("a stop pauses durably and begins nothing more")
    func stop() throws {
        let fixture = try EngineFixture()
        fixture.connect()
        fixture.receive(.exportRequest(fixture.request()))
        fixture.work()
        fixture.engine.handle(.stop)
        #expect(try fixture.stored()?.journal.progress.state == .paused)
        _ = fixture.channel.drain()
        fixture.pass(seconds: 60)
        #expect(fixture.channel.sent.isEmpty)
    }
}
