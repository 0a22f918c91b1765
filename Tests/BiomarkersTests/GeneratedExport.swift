import CanonicalJSON
import Foundation
import HealthRecords
import TestSupport
import Testing

@testable import Biomarkers

/// Small exports with known answers, made by `Tools/make_health_export.py` at test time.
struct GeneratedExport {
    /// Whether the generator can run here.
    static let isAvailable = ["/usr/bin/python3", "/usr/local/bin/python3"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    /// What a skipped test prints.
    static let absence: Comment = "skipped: python3 is not installed, so no export can be made"

    /// What the traps need and not more.
    static let traps = [
        "--days", "70", "--records-per-day", "36", "--ecgs", "0", "--route-points", "2", "--traps", "--trap-steps",
        "200",
    ]

    enum Form: String {
        case zip, xml, dir
    }

    let folder: TemporaryFolder
    let path: String
    /// The answer file.
    let expected: JSONValue

    init(_ form: Form = .zip, _ arguments: [String] = traps) throws {
        folder = try TemporaryFolder()
        path = folder.appending(form == .dir ? "export" : "export." + form.rawValue)
        let outcome = try Program.run(
            "python3",
            [
                Checkout.root.appendingPathComponent("Tools/make_health_export.py").path, "--" + form.rawValue, path,
                "--expect", folder.appending("expect.json"), "--quiet",
            ] + arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        expected = try JSONParser.parse(Array(try folder.text("expect.json").utf8))
    }

    func propose(rescue: Bool = false) throws -> ProposalReport {
        var options = ProposalOptions(now: Instant(secondsSince1970: 1_790_000_000))
        options.rescue = rescue
        return try ExportProposals.propose(path: path, options: options)
    }
}

extension ProposalReport {
    func proposal(_ id: String) -> Proposal? { proposals.first { $0.id == id } }
}

extension Proposal {
    func warns(of code: ProposalWarning.Code) -> Bool { warnings.contains { $0.code == code } }
}
