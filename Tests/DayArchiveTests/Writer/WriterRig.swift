import CanonicalJSON
import Cryptography
import DurableStore
import Foundation
import HealthRecords
import Synchronization
import TestSupport
import Testing

@testable import DayArchive

/// Days in memory, with an overlay.
final class MemoryDays: DaySource {
    struct State {
        var generation = 1
        var firstDay: CivilDate?
        var records: [CivilDate: [HealthRecord]] = [:]
        var workouts: [CivilDate: [HealthWorkout]] = [:]
        var entries: [String: HealthRecord] = [:]
        var refusesEntries = false
    }

    struct Locked: Error {}

    let state = Mutex(State())
    let zone: CalendarZone

    init(zone: CalendarZone = .utc) { self.zone = zone }

    func snapshot() throws -> DaySourceSnapshot? {
        state.withLock {
            DaySourceSnapshot(generation: $0.generation, zone: zone, sources: [], firstDay: $0.firstDay)
        }
    }

    func sourceDay(_ day: CivilDate) throws -> SourceDay {
        let interval = zone.dayInterval(day)
        return state.withLock { state in
            let entries = state.entries.values.filter { interval.start <= $0.start && $0.start < interval.end }
            return SourceDay(records: (state.records[day] ?? []) + entries, workouts: state.workouts[day] ?? [])
        }
    }

    func putEntry(_ id: String, _ record: HealthRecord) throws {
        try state.withLock { state in
            guard !state.refusesEntries else { throw Locked() }
            state.entries[id] = record
        }
    }

    func removeEntry(_ id: String) throws {
        try state.withLock { state in
            guard !state.refusesEntries else { throw Locked() }
            state.entries[id] = nil
        }
    }

    /// Adds steps to a day, at noon for a minute.
    func addSteps(_ count: Double, on text: String) throws {
        let day = try #require(CivilDate(text))
        let noon = zone.noon(day).secondsSince1970
        let record = HealthRecord(
            type: "HKQuantityTypeIdentifierStepCount", source: RecordSource(name: "Watch"),
            value: .quantity(count, unit: "count"), start: Instant(secondsSince1970: noon),
            end: Instant(secondsSince1970: noon + 60))
        state.withLock { state in
            state.records[day, default: []].append(record)
            state.firstDay = min(state.firstDay ?? day, day)
        }
    }

    /// Adds readings to a day, one a second from midnight, each with a number of its own.
    func addHeartRates(_ count: Int, on day: CivilDate) {
        let start = zone.dayInterval(day).start.secondsSince1970
        let records = (0..<count).map { number in
            HealthRecord(
                type: "HKQuantityTypeIdentifierHeartRate", source: RecordSource(name: "Watch"),
                value: .quantity(60 + Double(number * number % 7_919) / 100, unit: "count/min"),
                start: Instant(secondsSince1970: start + Double(number)),
                end: Instant(secondsSince1970: start + Double(number)))
        }
        state.withLock { $0.records[day, default: []] += records }
    }

    var entryIDs: [String] { state.withLock { $0.entries.keys.sorted() } }
}

/// A writer with its own keys, a service and a reader beside it.
struct WriterRig {
    static let endpoint = "http://archive.test"
    let days: MemoryDays
    let clock = TestClock(1_791_633_600_000)
    let storage: LocalStorage
    let engine: ServiceEngine
    let exchange: DirectExchange
    let folder: TemporaryFolder
    let directory: Directory

    init(
        limits: ServiceLimits = ServiceRig.patient, days: MemoryDays = MemoryDays(),
        blobs: any BlobStore = MemoryBlobs()
    ) throws {
        self.days = days
        storage = try LocalStorage.inMemory(blobs: blobs)
        let clock = clock
        engine = ServiceEngine(
            core: ServiceCore(limits: limits, claims: .token("secret")), storage: storage, clock: { clock.now },
            random: { clock.random($0) })
        exchange = DirectExchange(engine, endpoint: Self.endpoint)
        folder = try TemporaryFolder()
        directory = try Directory.openRoot(folder.appending("writer"), creating: true)
    }

    func writer(clockOffset: Int = 0) throws -> ArchiveWriter {
        let clock = clock
        return try ArchiveWriter(
            folder: directory, source: days, exchange: exchange,
            clock: ServiceClock(local: { clock.now.milliseconds + clockOffset }))
    }

    func readyWriter() throws -> ArchiveWriter {
        let writer = try writer()
        _ = try writer.setUp(url: Self.endpoint, claimToken: "secret")
        return writer
    }

    func reader(of writer: ArchiveWriter, name: String = "reader") throws -> ArchiveReader {
        let profile = try ReaderProfile(path: folder.appending(name))
        if try profile.readJSON("mirror.json") == nil {
            _ = try ArchiveReader.connect(profile, handoff: try writer.handoff())
        }
        let clock = clock
        return ArchiveReader(
            profile: profile, exchange: exchange, clock: ServiceClock(local: { clock.now.milliseconds }))
    }
}

/// Carries requests to an engine; a test may look at them or break them.
final class DirectExchange: ArchiveExchange {
    private struct State {
        var requests: [(method: String, target: String)] = []
        var refuse: (@Sendable (_ method: String, _ target: String) -> Int?)?
        var change: (@Sendable (_ target: String, _ answer: ExchangeAnswer) -> ExchangeAnswer)?
    }

    private let engine: ServiceEngine
    private let endpoint: String
    private let state = Mutex(State())

    init(_ engine: ServiceEngine, endpoint: String) {
        self.engine = engine
        self.endpoint = endpoint
    }

    func take() -> [String] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests.map { "\($0.method) \($0.target)" }
        }
    }

    /// A status instead of an answer; 0: nothing answers.
    func refuse(_ rule: (@Sendable (_ method: String, _ target: String) -> Int?)?) {
        state.withLock { $0.refuse = rule }
    }

    func change(_ rule: (@Sendable (_ target: String, _ answer: ExchangeAnswer) -> ExchangeAnswer)?) {
        state.withLock { $0.change = rule }
    }

    func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer {
        let target = String(request.url.dropFirst(endpoint.count))
        let (refused, change) = state.withLock { state in
            state.requests.append((request.method, target))
            return (state.refuse?(request.method, target), state.change)
        }
        if refused == 0 { throw .unreachable("the cable is out") }
        if let refused { return ExchangeAnswer(status: refused, body: Array(#"{"error":"no"}"#.utf8)) }
        var made = ServiceRequest(method: request.method, target: target, body: request.body ?? [])
        for (name, value) in request.headers { made.headers.add(name, value) }
        let answer: ServiceAnswer =
            switch engine.admit(made, contentLength: made.body.count) {
            case .refuse(let answer): answer
            case .take: engine.answer(made)
            }
        let given = ExchangeAnswer(
            status: answer.status,
            headers: Dictionary(uniqueKeysWithValues: answer.headers.map { ($0.name, $0.value) }),
            body: answer.body)
        return change?(target, given) ?? given
    }
}
