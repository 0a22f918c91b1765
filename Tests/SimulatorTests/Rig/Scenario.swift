import CanonicalJSON
import Foundation

@testable import Receiver

/// What a run exports; the seed chooses one of few, so that the undisturbed result of each is made once.
struct Scenario: Hashable {
    /// How the job comes to be, and what it makes.
    enum Kind: CaseIterable, Hashable {
        /// Files, asked for by a client of the receiver.
        case files
        /// Files, pushed by the phone.
        case push
        /// The archive of source records as one raw result.
        case strictRaw
        /// Chosen metrics as one raw result.
        case projection
    }

    var kind: Kind
    var dayCount: Int
    var firstDay: Int
    var packing: Packing

    /// The scenario of a seed.
    init(_ random: inout SimulationRandom) {
        kind = random.pick(Kind.allCases)
        dayCount = random.pick([1, 5, 8])
        firstDay = random.pick([0, 3])
        packing = random.pick([
            Packing(payloadBudget: 2_500, segmentLimit: 3, chunkByteCount: 1_100, window: 4),
            Packing(payloadBudget: 1_300, segmentLimit: 8, chunkByteCount: 900, window: 1),
            Packing(payloadBudget: 9_000, segmentLimit: 8, chunkByteCount: 3_000, window: 2),
        ])
    }

    private static let calendarStart = CivilDate("2026-03-02").unsafelyUnwrapped

    var library: SimulatedLibrary {
        SimulatedLibrary(first: Scenario.calendarStart.adding(days: firstDay).unsafelyUnwrapped, dayCount: dayCount)
    }

    /// What a client of the receiver asks for.
    func request(jobID: UUID, queueIfOffline: Bool) -> JobRequest {
        let library = library
        var request = JobRequest(
            jobID: jobID, dateSelection: .explicitRange(first: library.first, last: library.day(dayCount - 1)),
            responseMode: writesFiles ? .writeFiles : .rawJSON, queueIfOffline: queueIfOffline)
        switch kind {
        case .files, .push: break
        case .strictRaw: request.rawProfile = .canonicalSourceRecords
        case .projection:
            request.rawProfile = .healthDataProjection
            request.canonicalSelection = .init(metricIDs: ["steps"])
        }
        return request
    }

    var writesFiles: Bool { kind == .files || kind == .push }
}

/// How much goes wrong in a run.
struct Weather {
    /// The chance of a fault at each step.
    var faultsPerStep: Double
    /// Faults of a run, at most; then everything heals.
    var faultLimit: Int
    /// Which kinds of faults.
    var kinds: [FaultKind]
    /// Whether someone cancels.
    var cancels: Bool
    /// The largest time on the way, in seconds.
    var latency: Double

    /// The weather of a seed.
    init(_ random: inout SimulationRandom) {
        faultsPerStep = random.pick([0.003, 0.01, 0.03])
        faultLimit = random.number(1...14)
        kinds = random.chance(0.3) ? FaultKind.allCases : (0..<random.number(1...3)).map { _ in .random(&random) }
        cancels = random.chance(0.25)
        latency = random.pick([0.002, 0.05, 2])
    }

    /// Nothing goes wrong.
    static var calm: Weather {
        var random = SimulationRandom(seed: 0)
        var weather = Weather(&random)
        weather.faultLimit = 0
        weather.cancels = false
        weather.latency = 0
        return weather
    }
}

/// What can go wrong.
enum FaultKind: CaseIterable {
    /// The connection breaks; both ends learn it soon.
    case cut
    /// The line goes dead: nothing arrives any more, and the ends learn it by silence.
    case silence
    /// A process is killed in the middle of a call to the disk or between two.
    case killReceiver, killPhone
    /// A machine loses its power.
    case receiverPower, phonePower
    /// Calls to the disk fail.
    case receiverDisk, phoneDisk
    /// The disk is full for a while.
    case receiverFull, phoneFull
    /// Reads and writes move less than is asked.
    case shortTransfers
    /// A wall clock is set.
    case clockStep

    static func random(_ random: inout SimulationRandom) -> FaultKind { random.pick(allCases) }
}
