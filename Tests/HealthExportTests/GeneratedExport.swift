import Foundation
import TestSupport
import Testing

/// Small exports made by `Tools/make_health_export.py` at test time.
enum GeneratedExport {
    /// Whether the generator can run here.
    static let isAvailable: Bool = python != nil
    /// What a skipped test prints.
    static let absence: Comment = "skipped: python3 is not installed, so no export can be made"

    private static let python: String? = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// What the generator says is in the export.
    struct Expectation: Decodable {
        var main: String
        var xml_bytes: Int
        var elements: [String: Int]
        var top_level_records_by_type: [String: Int]
        var newest_by_type: [String: String]
        var files: [String: Int]
    }

    enum Form: String {
        case zip, xml, dir
    }

    /// Makes an export in a folder of its own; the caller removes the folder.
    static func make(_ form: Form, _ arguments: [String]) throws -> (path: String, expected: Expectation, folder: URL) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("healthmd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = folder.appendingPathComponent(form == .dir ? "export" : "export.\(form.rawValue)").path
        let answers = folder.appendingPathComponent("expect.json").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(python))
        process.arguments =
            [
                Checkout.root.appendingPathComponent("Tools/make_health_export.py").path, "--\(form.rawValue)", target,
                "--expect", answers, "--quiet",
            ] + arguments
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let data = try Data(contentsOf: URL(fileURLWithPath: answers))
        return (target, try JSONDecoder().decode(Expectation.self, from: data), folder)
    }

    /// The XML alone, in memory.
    static func xml(_ arguments: [String]) throws -> (bytes: [UInt8], expected: Expectation) {
        let (path, expected, folder) = try make(.xml, arguments)
        defer { remove(folder) }
        return ([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), expected)
    }

    static func remove(_ folder: URL) {
        // A leftover in the temporary folder harms no test.
        try? FileManager.default.removeItem(at: folder)
    }
}
