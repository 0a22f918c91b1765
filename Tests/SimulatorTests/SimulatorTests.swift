import Foundation
import Testing

@Suite("Simulator", .serialized)
struct SimulatorTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    /// Seeds of a usual run.
    private static let usualCount: UInt64 = 500
    /// How long a usual run may take.
    private static let usualTime = Duration.seconds(180)

    /// One run; the trace of a violation is printed with the seed that repeats it.
    @discardableResult
    private func run(_ seed: UInt64, prints: Bool = false) -> Simulation.Outcome? {
        CrashNote.seed = seed
        var random = SimulationRandom(seed: seed)
        let scenario = Scenario(&random)
        let weather = Weather(&random)
        var simulation: Simulation?
        do {
            let made = try Simulation(seed: seed, scenario: scenario, weather: weather)
            simulation = made
            let outcome = try made.run()
            if prints { print(made.trace.text) }
            return outcome
        } catch {
            print(
                """
                ---- seed \(seed): \(scenario.kind), \(scenario.dayCount) days, faults \(weather.kinds)
                \(simulation?.trace.text ?? "")
                ---- \(error)
                ---- again: HEALTHMD_SEED=\(seed) HEALTHMD_TESTS=SimulatorTests swift test --disable-xctest --filter SimulatorTests
                """)
            Issue.record("seed \(seed): \(error)")
            return nil
        }
    }

    @Test("whatever fails, each day arrives once, and nobody is told so before it is durable")
    func seeds() {
        CrashNote.install()
        if let seed = Self.number("HEALTHMD_SEED") {
            if let outcome = run(seed, prints: true) {
                print("seed \(seed): \(outcome.steps) steps, \(outcome.faults) faults")
            }
            return
        }
        let first = Self.number("HEALTHMD_FIRST_SEED") ?? 1
        let asked = Self.number("HEALTHMD_SEEDS")
        let count = asked ?? Self.usualCount
        let start = ContinuousClock.now
        var (steps, faults, failures) = (0, 0, 0)
        var done: UInt64 = 0
        for seed in first..<first + count {
            // A usual run does not hold up a busy machine; who asks for a number gets it.
            if asked == nil, ContinuousClock.now - start > Self.usualTime { break }
            done += 1
            guard let outcome = run(seed) else {
                failures += 1
                if failures == 10 { break }
                continue
            }
            steps += outcome.steps
            faults += outcome.faults
        }
        print(
            "simulator: \(done) of \(count) seeds, \(steps) steps, \(faults) faults, \(failures) violations, \(ContinuousClock.now - start)"
        )
    }
}

/// Says which seed it was when the program traps.
enum CrashNote {
    nonisolated(unsafe) static var seed: UInt64 = 0

    static func install() {
        for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
            signal(number) { number in
                // Only calls that a handler may make.
                var digits: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (
                    10, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 10
                )
                var rest = CrashNote.seed
                withUnsafeMutableBytes(of: &digits) { bytes in
                    for index in stride(from: 10, through: 1, by: -1) {
                        bytes[index] = UInt8(48 + rest % 10)
                        rest /= 10
                    }
                    _ = write(2, "simulator trapped at seed", 25)
                    _ = write(2, bytes.baseAddress, bytes.count)
                }
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }
}
