import CanonicalJSON
import Foundation
import Receiver
import Testing

@testable import ConnectedProtocol
@testable import Sender

@Suite("Phone and receiver over loopback", .serialized)
struct BothSidesTests {
    private func request(
        _ first: String, _ last: String, profile: JobRequest.RawProfile?
    ) -> JobRequest {
        JobRequest(
            jobID: UUID(), dateSelection: .explicitRange(first: FakeLibrary.day(first), last: FakeLibrary.day(last)),
            responseMode: profile == nil ? .writeFiles : .rawJSON, rawProfile: profile)
    }

    @Test(
        "a code that is not 20 digits is refused before anything is sent; a wrong one is rejected and takes no trust away"
    )
    func wrongCodes() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        let before = try #require(try fixture.openStore().trust().trusted?.installationID)
        try fixture.openNextPairing()
        #expect(throws: SenderError.pairingCodeInvalid) { try fixture.pair(code: "123456") }
        #expect(throws: SenderError.pairingRejected) { try fixture.pair(code: "0000 0000 0000 0000 0000") }
        #expect(try fixture.openStore().trust().trusted?.installationID == before)
    }

    @Test("a full archive arrives as one raw result")
    func rawResult() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        try fixture.serve()
        try fixture.waitUntilConnected()
        let answer = try fixture.export(request("2026-03-01", "2026-03-05", profile: .canonicalSourceRecords))
        #expect(answer.response.totalCount == 5)
        #expect(answer.response.successCount == 5)
        #expect(answer.spool != nil)
    }

    @Test("files are written for every day")
    func files() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        try fixture.serve()
        try fixture.waitUntilConnected()
        let answer = try fixture.export(request("2026-03-01", "2026-03-03", profile: nil))
        #expect(answer.response.status == .success)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.destination.appending("Health"))
            .sorted()
        #expect(names.contains("2026-03-01.json"))
        #expect(names.contains("2026-03-03.md"))
    }

    @Test(
        "with the phone's settings roll-ups of whole periods and one archive come out; their files have the days' names"
    )
    func phoneSettings() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        try fixture.openStore().setSettings([
            ("generateRangeSummary", "true"), ("generateWeeklyRollups", "true"),
            ("exportFormats", #"["JSON","CSV","Markdown","Obsidian Bases"]"#),
        ])
        try fixture.serve()
        try fixture.waitUntilConnected()
        var whole = request("2026-03-03", "2026-03-04", profile: nil)
        whole.settingsPolicy = .currentIPhoneSettings
        let loose = try fixture.export(whole).response
        #expect(loose.status == .success && loose.successCount == 2 && loose.filesWritten == 2 * 4 + 2 * 4 + 1)
        let week = try String(
            contentsOfFile: fixture.destination.appending("Health/Rollups/Weekly/2026-W10.csv"), encoding: .utf8)
        #expect(week.contains("weekly,2026-W10,2026-03-02,2026-03-08,7,7,100,"))

        try fixture.openStore().setSettings([("archiveExportFiles", "true")])
        var zipped = request("2026-03-03", "2026-03-04", profile: nil)
        zipped.settingsPolicy = .currentIPhoneSettings
        let archive = try fixture.export(zipped).response
        #expect(archive.status == .success && archive.filesWritten == 1)
        let name = "Health/Health.md Export 2026-03-03_to_2026-03-04.zip"
        #expect(FileManager.default.fileExists(atPath: fixture.destination.appending(name)))

        let plain = try fixture.export(request("2026-03-10", "2026-03-10", profile: nil)).response
        #expect(plain.status == .success)
        #expect(
            !FileManager.default.fileExists(atPath: fixture.destination.appending("Health/Rollups/Weekly/2026-W11.csv"))
        )
    }

    @Test("a push of the phone writes files without a request")
    func push() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        let push = QueuedPush(
            jobID: UUID(), firstDay: "2026-05-01", lastDay: "2026-05-02",
            queuedAt: ProtocolDate(secondsSince2001: 0))
        try fixture.openStore().queuePush(push)
        try fixture.serve()
        let store = try fixture.openStore()
        try wait { try store.job(push.jobID)?.journal.progress.state.isTerminal == true }
        #expect(try store.job(push.jobID)?.journal.progress.state == .completed)
        #expect(FileManager.default.fileExists(atPath: fixture.destination.appending("Health/2026-05-02.json")))
    }

    @Test("several partitions arrive: no more than 32 days go into one")
    func manyPartitions() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        try fixture.serve()
        try fixture.waitUntilConnected()
        let answer = try fixture.export(request("2026-03-01", "2026-04-09", profile: .canonicalSourceRecords))
        #expect(answer.response.totalCount == 40)
        #expect(answer.response.successCount == 40)
        #expect(answer.response.durable?.committedPartitions == 2)
    }

    @Test("a service that stops after a partition goes on where it was, and no partition is sent twice")
    func stopAndGoOn() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        let committed = DispatchSemaphore(value: 0)
        let indexes = Collector<Int>()
        let report: @Sendable (SenderEvent) -> Void = { event in
            guard case .partitionCommitted(_, let index, _) = event else { return }
            indexes.append(index)
            committed.signal()
        }
        try fixture.serve(report: report)
        try fixture.waitUntilConnected()
        let request = request("2026-01-01", "2026-05-10", profile: .canonicalSourceRecords)
        let answer = try fixture.begin(request)
        #expect(committed.wait(timeout: .now() + 30) == .success)
        fixture.stopServing()
        #expect(indexes.values.count < 5)
        #expect(try answer().response.durable?.isPaused == true)
        let store = try fixture.openStore()
        #expect(try store.job(request.jobID)?.journal.progress.state == .paused)
        try fixture.serve(report: report)
        try wait { try store.job(request.jobID)?.journal.progress.state == .completed }
        #expect(fixture.daemon.control.export(request.jobID, stateOnly: false).response.successCount == 130)
        // One whose acknowledgement the stop cut off is answered with already_committed, and not sent again.
        let sent = indexes.values
        #expect(sent == Set(sent).sorted() && (4...5).contains(sent.count) && Set(sent).isSubset(of: 0..<5))
    }

    @Test(
        "a job that is cancelled at the workstation in the middle ends as cancelled on both sides; the next one is served"
    )
    func cancelInTheMiddle() throws {
        let fixture = try BothSidesFixture()
        try fixture.pair()
        let committed = DispatchSemaphore(value: 0)
        try fixture.serve { event in
            if case .partitionCommitted = event { committed.signal() }
        }
        try fixture.waitUntilConnected()
        let first = request("2026-01-01", "2026-05-10", profile: .canonicalSourceRecords)
        let answer = try fixture.begin(first)
        #expect(committed.wait(timeout: .now() + 30) == .success)
        _ = fixture.daemon.control.cancelExport(first.jobID)
        #expect(try answer().response.status == .cancelled)
        let store = try fixture.openStore()
        try wait { try store.job(first.jobID)?.journal.progress.state == .cancelled }
        let next = try fixture.export(request("2026-03-01", "2026-03-02", profile: .canonicalSourceRecords))
        #expect(next.response.successCount == 2)
        #expect(fixture.daemon.control.export(first.jobID, stateOnly: true).response.status == .cancelled)
    }
}

/// Gathers values from any thread.
private final class Collector<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var gathered: [Value] = []
    var values: [Value] { lock.withLock { gathered } }
    func append(_ value: Value) { lock.withLock { gathered.append(value) } }
}
