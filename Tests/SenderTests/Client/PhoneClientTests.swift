import CanonicalJSON
import Foundation
import HealthData
import Receiver
import TestSupport
import Testing
import Transport

@testable import ConnectedProtocol
@testable import Sender

@Suite("Phone client: the commands over a real store", .serialized)
struct PhoneClientTests {
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
    }

    private static let export = """
        <?xml version="1.0" encoding="UTF-8"?>
        <HealthData locale="en_DE">
         <ExportDate value="2026-03-10 08:00:00 +0100"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" unit="count" \
        startDate="2026-03-01 10:00:00 +0100" endDate="2026-03-01 10:10:00 +0100" value="1200"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" unit="count" \
        startDate="2026-03-02 10:00:00 +0100" endDate="2026-03-02 10:10:00 +0100" value="800"/>
         <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" \
        startDate="2026-03-02 11:00:00 +0100" endDate="2026-03-02 11:00:00 +0100" value="61"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" unit="count" \
        startDate="2026-03-04 10:00:00 +0100" endDate="2026-03-04 10:10:00 +0100" value="55"/>
        </HealthData>
        """

    private func client() throws -> PhoneClient {
        try PhoneClient(.init(dataDirectory: temporary.appending("phone-data"), deviceName: "NAS", version: "1.0"))
    }

    private func imported() throws -> PhoneClient {
        let client = try client()
        let path = temporary.appending("export.xml")
        try Self.export.write(toFile: path, atomically: true, encoding: .utf8)
        _ = try client.importExport(paths: [path], timeZone: "Europe/Berlin")
        return client
    }

    @Test("an import makes a generation; the status shows what is there")
    func importing() throws {
        let client = try imported()
        let status = try client.status()
        #expect(status.data?.generation == 1)
        #expect(status.data?.timeZone == "Europe/Berlin")
        #expect(status.data?.firstDay == "2026-03-01")
        #expect(status.data?.lastDay == "2026-03-04")
        #expect(status.data?.recordCount == 4)
        #expect(!status.isServing)
        #expect(status.workstation == nil)
    }

    @Test("show prints the canonical document; compact is the same without white space")
    func show() throws {
        let client = try imported()
        let whole = try client.show(day: "2026-03-01")
        let compact = try client.show(day: "2026-03-01", compact: true)
        let document = try DayDocument(parsing: compact)
        #expect(document.value("activity.steps")?.number?.int64 == 1_200)
        #expect(try JSONCompactor().copy(whole).bytes == compact)
        #expect(!compact.contains(UInt8(ascii: "\n")))
        #expect(throws: SenderError.self) { try client.show(day: "2025-01-01") }
        #expect(throws: SenderError.invalidDays("yesterday")) { try client.show(day: "yesterday") }
    }

    @Test("the document version of the settings is the one that is shown")
    func documentVersion() throws {
        let client = try imported()
        _ = try client.setSettings([("documentVersion", "10")])
        #expect(try DayDocument(parsing: client.show(day: "2026-03-01")).version == .v10)
    }

    @Test("several settings change together, or none does")
    func settings() throws {
        let client = try client()
        #expect(throws: SenderError.self) {
            try client.setSettings([("healthSubfolder", "Body"), ("writeMode", "Sometimes")])
        }
        #expect(try client.settings().stored.isEmpty)
        _ = try client.setSettings([("healthSubfolder", "Body"), ("writeMode", "Update")])
        #expect(try client.settings().snapshot().healthSubfolder == "Body")
    }

    @Test("what needs a workstation or data says so")
    func preconditions() throws {
        let client = try client()
        #expect(throws: SenderError.notPaired) { try client.serve(StopToken()) }
        #expect(throws: SenderError.nothingImported) { try client.push(from: "2026-03-01", to: "2026-03-02") }
        #expect(throws: SenderError.nothingImported) { try client.show(day: "2026-03-01") }
        #expect(throws: SenderError.pairingCodeInvalid) { try client.pair(host: "127.0.0.1", code: "12345") }
        #expect(try client.forget() == false)
    }

    @Test("what show --compact prints is, byte for byte, what a projection of all metrics carries")
    func showEqualsExtract() throws {
        let rig = try Rig(imported())
        let token = StopToken()
        let served = rig.serve(token)
        defer { served.wait() }
        defer { token.stop() }
        try rig.waitUntilConnected()
        let metrics = Registry.current.metrics.map(\.id)
        let answer = try rig.export(
            JobRequest(
                jobID: UUID(), dateSelection: .explicitRange(first: rig.day, last: rig.day), responseMode: .rawJSON,
                rawProfile: .healthDataProjection, canonicalSelection: .init(metricIDs: metrics)))
        let body = try rig.body(of: answer)
        var document = try rig.client.show(day: rig.day.description, compact: true)
        if document.last == UInt8(ascii: "\n") { document.removeLast() }
        #expect(String(decoding: body, as: UTF8.self).contains(String(decoding: document, as: UTF8.self)))
    }

    @Test("a push while a service runs is queued, and the service sends it")
    func queuedPush() throws {
        let rig = try Rig(imported())
        let token = StopToken()
        let served = rig.serve(token)
        defer { served.wait() }
        defer { token.stop() }
        try rig.waitUntilConnected()
        let other = try client()
        let push = try other.push(from: "2026-03-01", to: "2026-03-02")
        #expect(push.state == "queued")
        #expect(try other.status().isServing)
        try wait { try other.status().jobs.first?.state == "completed" }
        #expect(try other.status().jobs.map(\.jobID) == [push.jobID])
        #expect(try other.status().pushes.isEmpty)
        #expect(rig.hasFile("Health/2026-03-01.json"))
    }

    @Test("a push that the workstation cannot take now stays queued, and says so")
    func impatientPush() throws {
        let rig = try Rig(imported())
        rig.stopReceiver()
        let push = try rig.client.push(from: "2026-03-01", to: "2026-03-02", patience: 0.5)
        #expect(push.state == "queued")
        #expect(push.message?.contains("phone serve") == true)
        #expect(try rig.client.status().pushes.map(\.jobID) == [push.jobID])
    }

    @Test("cancel drops a push that waits; what is not under way cannot be cancelled")
    func cancelledPush() throws {
        let rig = try Rig(imported())
        rig.stopReceiver()
        let push = try rig.client.push(from: "2026-03-01", to: "2026-03-02", patience: 0.5)
        #expect(try rig.client.cancel(push.jobID).state == "cancelled")
        #expect(try rig.client.status().pushes.isEmpty)
        #expect(throws: SenderError.noSuchJob) { try rig.client.cancel(push.jobID) }
        #expect(throws: SenderError.noSuchJob) { try rig.client.cancel(UUID()) }
    }

    @Test("a job that waits for its workstation is cancelled without it, and the workstation hears of it later")
    func cancelledJob() throws {
        let rig = try Rig(imported())
        let token = StopToken()
        let served = rig.serve(token)
        try rig.waitUntilConnected()
        let jobID = try rig.beginRaw()
        try wait { try rig.client.status().jobs.contains { $0.jobID == jobID } }
        token.stop()
        served.wait()
        // Small jobs may be over by now; only one that is not can be cancelled.
        guard try rig.client.status().jobs.first?.state != "completed" else { return }
        let report = try rig.client.cancel(jobID)
        #expect(report.state == "cancelled")
        #expect(try rig.client.status().jobs.map(\.state) == ["cancelled"])
    }

    @Test("an unpaired phone is told to pair again, once; a push ends with that, and the trust stays")
    func pairAgain() throws {
        let rig = try Rig(imported())
        try rig.unpair()
        #expect(throws: SenderError.pairAgain) { try rig.client.push(from: "2026-03-01", to: "2026-03-01") }
        #expect(try rig.client.status().workstation != nil)
        #expect(SenderError.pairAgain.description.contains("healthmd phone pair HOST"))
    }

    @Test("a day outside of the imported ones is told with the days that there are")
    func showOutside() throws {
        let error = #expect(throws: SenderError.self) { try imported().show(day: "2026-04-01") }
        #expect(error?.code == "day_not_imported")
        #expect(error?.description.contains("2026-03-01 to 2026-03-04") == true)
    }

    @Test("the same failure is said a few times, then every ten minutes; refusals end in the advice to pair again")
    func attemptReports() {
        var reports = AttemptReports()
        let refused = SecureTransportError.pairingRejected.code
        #expect([0, 1, 2].map { reports.failed(refused, at: $0) } == [.say, .say, .sayForgotten])
        #expect((3..<600).allSatisfy { reports.failed(refused, at: Double($0)) == .nothing })
        #expect(reports.failed(refused, at: 602) == .sayForgotten)
        #expect(reports.failed("connection_refused", at: 603) == .say, "another kind is news")
        for second in 604..<608 { #expect(reports.failed("connection_refused", at: Double(second)) == .say) }
        #expect(reports.failed("connection_refused", at: 608) == .nothing)
        reports.succeeded()
        #expect(reports.failed("connection_refused", at: 609) == .say)
    }

    @Test("pair, push, forget: the whole way of a phone without a service")
    func wholeWay() throws {
        let rig = try Rig(imported())
        let client = rig.client
        let push = try client.push(from: "2026-03-01", to: "2026-03-02")
        #expect(push.state == "completed")
        #expect(push.filesWritten ?? 0 > 0)
        #expect(rig.hasFile("Health/2026-03-02.json"))
        // A day without data gives no file; the workstation counts it apart.
        let second = try client.push(from: "2026-03-03", to: "2026-03-04")
        #expect(second.state == "partialSuccess")
        #expect(!rig.hasFile("Health/2026-03-03.json"))
        #expect(rig.hasFile("Health/2026-03-04.json"))
        #expect(try client.status().jobs.map(\.state) == ["completed", "partialSuccess"])
        #expect(try client.forget())
        #expect(throws: SenderError.notPaired) { try client.push(from: "2026-03-01", to: "2026-03-01") }
    }
}

/// A client that is paired with a receiver in the same process.
private final class Rig: @unchecked Sendable {
    let client: PhoneClient
    let day = FakeLibrary.day("2026-03-02")
    private let workstation: TemporaryFolder
    private let destination: TemporaryFolder
    private let daemon: ReceiverDaemon
    private var isStopped = false
    /// Whether the service's own connection stands; the pairing's may still be closing.
    private let isServing = Flag()

    init(_ client: PhoneClient) throws {
        self.client = client
        workstation = try TemporaryFolder()
        destination = try TemporaryFolder()
        daemon = try ReceiverDaemon(
            .init(
                dataDirectory: workstation.path, peerPort: 0, peerAddresses: [.loopbackIPv4],
                destination: destination.path, deviceName: "Desk", version: "test"))
        let opened = try daemon.control.openPairing(.strong, timeoutSeconds: nil)
        let pairing = try client.pair(host: "127.0.0.1", port: daemon.peerPort, code: opened.code)
        #expect(pairing.name == "Desk")
        #expect(pairing.secureRecords)
    }

    deinit { stopReceiver() }

    func stopReceiver() {
        if !isStopped { daemon.stop() }
        isStopped = true
    }

    func serve(_ token: StopToken) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread { [client, isServing] in
            do {
                try client.serve(
                    token,
                    report: { event in
                        if case .connected = event { isServing.set() }
                    })
            } catch {
                Issue.record("serve: \(error)")
            }
            done.signal()
        }
        thread.start()
        return done
    }

    func waitUntilConnected() throws {
        try wait { isServing.isSet && daemon.control.status().phones.contains(where: \.isConnected) }
    }

    func export(_ request: JobRequest) throws -> ControlAnswer {
        let box = Box<ControlAnswer>()
        let done = DispatchSemaphore(value: 0)
        let submission = daemon.control.createExport(request) { answer in
            box.value = answer
            done.signal()
        }
        if case .answered(let answer) = submission { return answer }
        _ = done.wait(timeout: .now() + 60)
        return try #require(box.value)
    }

    /// Begins a raw job of all days and does not wait for it.
    func beginRaw() throws -> UUID {
        let id = UUID()
        _ = daemon.control.createExport(
            JobRequest(
                jobID: id, dateSelection: .explicitRange(first: FakeLibrary.day("2026-03-01"), last: day),
                responseMode: .rawJSON, rawProfile: .canonicalSourceRecords)
        ) { _ in }
        return id
    }

    /// The receiver forgets the phone.
    func unpair() throws {
        // The phone's side of a pairing is over a moment before the receiver's.
        try wait { !daemon.control.peers().devices.isEmpty }
        for device in daemon.control.peers().devices { try daemon.control.unpair(device.installationID) }
    }

    func body(of answer: ControlAnswer) throws -> [UInt8] {
        let snapshot = try #require(answer.spool).openSnapshot()
        let handle = FileHandle(fileDescriptor: snapshot.fileDescriptor, closeOnDealloc: true)
        try handle.seek(toOffset: 0)
        return Array(try #require(try handle.readToEnd()))
    }

    func hasFile(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: destination.appending(name))
    }
}
