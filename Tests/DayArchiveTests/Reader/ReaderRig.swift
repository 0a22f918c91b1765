import CanonicalJSON
import Cryptography
import Foundation
import HTTPService
import Synchronization
import TestSupport
import Testing

@testable import DayArchive

/// Carries requests to a service in the same process, and counts them.
final class EngineExchange: ArchiveExchange {
    private struct State {
        var targets: [String] = []
        var isDown = false
        var limit: Int?
    }

    private let rig: ServiceRig
    private let endpoint: String
    private let state = Mutex(State())

    init(_ rig: ServiceRig, endpoint: String) {
        self.rig = rig
        self.endpoint = endpoint
    }

    /// The targets of the requests since the last call, in order of arrival.
    func takeTargets() -> [String] {
        state.withLock { state in
            defer { state.targets = [] }
            return state.targets
        }
    }

    /// Nothing answers while it is set.
    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// After so many further requests nothing answers.
    func fail(after count: Int?) { state.withLock { $0.limit = count } }

    func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer {
        let target = String(request.url.dropFirst(endpoint.count))
        let isUp = state.withLock { state in
            state.targets.append(target)
            if let limit = state.limit {
                state.limit = limit - 1
                return limit > 0 && !state.isDown
            }
            return !state.isDown
        }
        guard isUp else { throw .unreachable("the cable is out") }
        var headers: HTTPHeaders = [:]
        for (name, value) in request.headers { headers.add(name, value) }
        let answer = rig.send(
            ServiceRequest(method: request.method, target: target, headers: headers, body: request.body ?? []))
        guard answer.body.count <= request.maximumByteCount else {
            throw .answerTooLarge(maximum: request.maximumByteCount)
        }
        return ExchangeAnswer(
            status: answer.status,
            headers: Dictionary(uniqueKeysWithValues: answer.headers.map { ($0.name, $0.value) }),
            body: answer.body)
    }
}

/// A service with days, and a reader beside it.
struct ReaderRig {
    static let endpoint = "http://archive.test"
    let service: ServiceRig
    let exchange: EngineExchange
    let folder: TemporaryFolder
    let profile: ReaderProfile
    let reader: ArchiveReader

    /// A claimed archive with registered keys, and a connected reader.
    init(limits: ServiceLimits = ServiceRig.patient, connects: Bool = true) throws {
        service = try ServiceRig(limits: limits)
        service.prepare()
        #expect(
            service.send(service.registerRequest(.reader, key: TestKeys.reading.readKey.publicKey.bytes)).status == 201)
        exchange = EngineExchange(service, endpoint: Self.endpoint)
        folder = try TemporaryFolder()
        profile = try ReaderProfile(path: folder.appending("reader"))
        if connects { _ = try ArchiveReader.connect(profile, handoff: Self.handoff()) }
        let clock = service.clock
        reader = ArchiveReader(
            profile: profile, exchange: exchange, clock: ServiceClock(local: { clock.now.milliseconds }))
    }

    static func handoff(reading: ReadingKey = TestKeys.reading, editor: EditorKey? = TestKeys.editor) throws -> String {
        Handoff(endpoint: try #require(ServiceEndpoint(endpoint)), readingKey: reading, editorKey: editor).text
    }

    /// Uploads days, each with its events, as a writer would.
    func upload(_ days: [(String, [ArchiveEvent])]) throws {
        var sealed: [SealedDay] = []
        for (text, events) in days {
            let day = try ArchiveDay(text: text)
            let bytes = try SealedEnvelope.seal(
                RawDeflate.compress(ColumnarDay.pack(events)), to: TestKeys.reading.privateKey.publicKey,
                for: .day(service.bucket, day))
            sealed.append(SealedDay(day: day, bytes: bytes))
        }
        for start in stride(from: 0, to: sealed.count, by: 31) {
            let answer = service.send(service.uploadRequest(Array(sealed[start..<min(start + 31, sealed.count)])))
            #expect(answer.status == 200)
        }
    }

    /// Days at equal distances, each with a total of steps that is its number, and one heart rate.
    func uploadRow(from first: String, count: Int, step: Int = 1) throws {
        let first = try ArchiveDay(text: first)
        try upload(
            (0..<count).map { offset in
                let day = try #require(first.adding(days: offset * step))
                return (day.description, try Self.events(day, steps: Double(offset)))
            })
    }

    static func events(_ day: ArchiveDay, steps: Double) throws -> [ArchiveEvent] {
        let start = day.number * 86_400
        return [
            try ArchiveEvent(
                metric: "steps", bucket: "day", start: start, end: start + 86_400, unit: "count", value: steps),
            try ArchiveEvent(
                metric: "heartRate", start: start + 3_600, end: start + 3_600, unit: "count/min", source: "Watch",
                value: 60),
        ]
    }

    func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: profile.path + "/days").sorted()
    }
}
