import Foundation

/// Runs real programs for tests.
public enum Program {
    /// How a program ended.
    public struct Outcome: Sendable {
        /// The exit code, or 128 plus the signal.
        public let status: Int32
        /// Standard output.
        public let output: String
        /// Standard error.
        public let errors: String
    }

    /// The `healthmd` that was built beside the tests.
    public static func healthmd() throws -> URL {
        let folder = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }?
            .deletingLastPathComponent()
        let candidates = [folder, Checkout.root.appendingPathComponent(".build/debug")].compactMap { $0 }
        guard
            let found = candidates.map({ $0.appendingPathComponent("healthmd") })
                .first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
        else {
            throw CocoaError(.fileNoSuchFile)
        }
        return found
    }

    /// Runs a program found on PATH (or given whole) to its end.
    public static func run(
        _ name: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files rather than pipes: nothing can block, however much is printed.
        let folder = try TemporaryFolder()
        let outputFile = try folder.file("stdout")
        let errorFile = try folder.file("stderr")
        process.standardOutput = outputFile
        process.standardError = errorFile
        let inputFile = try folder.file("stdin", content: input ?? "")
        process.standardInput = inputFile
        try process.run()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Outcome(
            status: status, output: try folder.text("stdout"), errors: try folder.text("stderr"))
    }
}

/// A private folder that goes away with its owner.
public final class TemporaryFolder: Sendable {
    /// Its absolute path.
    public let path: String

    /// Makes a folder of mode 0700 below the temporary folder.
    public init() throws {
        let template = FileManager.default.temporaryDirectory.appendingPathComponent("healthmd-test.XXXXXX").path
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // Nothing depends on the removal; a leftover folder is the system's to clean.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The absolute path of a name inside.
    public func appending(_ name: String) -> String { path + "/" + name }

    /// What a file inside holds, as text.
    public func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: appending(name))), as: UTF8.self)
    }

    fileprivate func file(_ name: String, content: String = "") throws -> FileHandle {
        try Data(content.utf8).write(to: URL(fileURLWithPath: appending(name)))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: appending(name)))
        return handle
    }
}
