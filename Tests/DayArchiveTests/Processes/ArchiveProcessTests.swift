import TestSupport
import Testing

/// Real processes over loopback, by the scripts that the long checks run as a whole.
@Suite("Archive processes", .serialized)
struct ArchiveProcessTests {
    private func run(_ script: String, _ arguments: [String] = []) throws -> Program.Outcome {
        try Program.run(
            "python3", [Checkout.root.appendingPathComponent("Tools/\(script)").path] + arguments,
            environment: ["HEALTHMD": try Program.healthmd().path])
    }

    @Test("no reading and no key reaches the service, a log, a target, an argument or an environment")
    func secrets() throws {
        let outcome = try run("archive-secrets.py")
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        #expect(outcome.output.hasPrefix("PASSED"))
    }

    @Test("killed before a durable step, service, writer and reader lose nothing and claim nothing (a sample)")
    func kills() throws {
        let outcome = try run("archive-crash.py", ["--sample", "4"])
        #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
        // Where ptrace is forbidden the script says so.
        #expect(outcome.output.contains("PASSED") || outcome.output.hasPrefix("SKIPPED"))
    }
}
