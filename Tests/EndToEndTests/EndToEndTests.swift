import Foundation
import TestSupport
import Testing

/// Real processes over loopback.
@Suite("End to end", .serialized)
struct EndToEndTests {
    @Test("a phone that knows only the published protocol gives the same files as ours")
    func publishedPhone() throws {
        let work = try TemporaryFolder()
        let script = Checkout.root.appendingPathComponent("Tests/PythonPhone/interop.py")
        let outcome = try Program.run("python3", [script.path, try Program.healthmd().path, work.path])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.hasPrefix("interop:"))
    }

    @Test("killing either process in mid transfer loses nothing: resume gives the same bytes")
    func killAndResume() throws {
        let work = try TemporaryFolder()
        let script = Checkout.root.appendingPathComponent("Tests/PythonPhone/kill_and_resume.py")
        let outcome = try Program.run("python3", [script.path, try Program.healthmd().path, work.path])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.hasPrefix("kill and resume:"))
    }

    @Test("the phone's own settings give all formats, roll-ups and one archive, the same after a kill")
    func phoneSettings() throws {
        let work = try TemporaryFolder()
        let script = Checkout.root.appendingPathComponent("Tests/PythonPhone/phone_settings.py")
        let outcome = try Program.run("python3", [script.path, try Program.healthmd().path, work.path])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.hasPrefix("phone settings:"))
    }

    @Test("a receiver that is killed inside roll-ups or inside the archive ends with the same bytes")
    func killInAggregates() throws {
        let work = try TemporaryFolder()
        let script = Checkout.root.appendingPathComponent("Tests/PythonPhone/kill_in_aggregates.py")
        let outcome = try Program.run("python3", [script.path, try Program.healthmd().path, work.path])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.hasPrefix("kill in aggregates:"))
    }

    @Test("health values reach no log, error, journal or process title; everything written is private")
    func canaries() throws {
        let work = try TemporaryFolder()
        let script = Checkout.root.appendingPathComponent("Tests/PythonPhone/canaries.py")
        let outcome = try Program.run("python3", [script.path, try Program.healthmd().path, work.path])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.hasPrefix("canaries:"))
    }

    @Test("beside 200 idle, half-sent and unread connections each status request is answered")
    func crowd() throws {
        let script = Checkout.root.appendingPathComponent("Tools/bench-api.py")
        let outcome = try Program.run(
            "python3", [script.path, "--connections", "200", "--seconds", "3"],
            environment: ["HEALTHMD": try Program.healthmd().path])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.contains("200 idle, half-sent and unread connections"))
    }

    @Test("beside 200 slow clients on the peer port a phone connects and delivers; every descriptor comes back")
    func crowdAtThePeerPort() throws {
        let work = try TemporaryFolder()
        let script = Checkout.root.appendingPathComponent("Tests/PythonPhone/crowd.py")
        let outcome = try Program.run("python3", [script.path, try Program.healthmd().path, work.path])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.hasPrefix("crowd:"))
    }

    @Test("a few points of the crash matrix end as an undisturbed run does")
    func crashPoints() throws {
        let script = Checkout.root.appendingPathComponent("Tools/rigs/crash_matrix.py")
        let outcome = try Program.run(
            "python3", [script.path],
            environment: ["HEALTHMD": try Program.healthmd().path, "POINTS": "8", "SEED": "26", "JOBS": "2"])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        // Where the machine forbids ptrace the rig says so and ends well.
        #expect(outcome.output.contains(" 0 failures") || outcome.output.contains("SKIPPED"), "\(outcome.output)")
    }
}
