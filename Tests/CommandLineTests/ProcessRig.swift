import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Real processes: a receiver, and beside it a phone side with a small export, paired with one another.
final class ProcessRig {
    /// Seconds that anything may take.
    static let patience = 30.0

    let folder: TemporaryFolder
    private(set) var receiver: Process?
    private(set) var phone: Process?
    private var outputs = 0

    /// State folders of both sides.
    var state: [String] { ["--data-dir", folder.appending("receiver")] }
    var phoneState: [String] { ["--data-dir", folder.appending("phone")] }
    var destination: String { folder.appending("files") }

    /// A receiver that runs.
    init(destination makesDestination: Bool = true) throws {
        folder = try TemporaryFolder()
        if makesDestination {
            try FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: true)
        }
        try startReceiver(makesDestination ? ["--destination", destination] : [])
    }

    deinit {
        for process in [phone, receiver] {
            guard let process, process.isRunning else { continue }
            kill(process.processIdentifier, SIGCONT)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// Starts a program of ours; its output goes to files of the folder.
    func start(_ words: [String], name: String? = nil) throws -> (process: Process, name: String) {
        outputs += 1
        let name = name ?? "process-\(outputs)"
        let process = Process()
        process.executableURL = try Program.healthmd()
        process.arguments = words
        process.standardOutput = try file("\(name).out")
        process.standardError = try file("\(name).err")
        try process.run()
        return (process, name)
    }

    private func file(_ name: String) throws -> FileHandle {
        let path = folder.appending(name)
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forUpdating: URL(fileURLWithPath: path))
    }

    func wait(_ what: String, _ condition: () throws -> Bool) throws {
        let deadline = Date().addingTimeInterval(Self.patience)
        while try !condition() {
            guard Date() < deadline else {
                Issue.record("\(what) did not happen")
                throw CancellationError()
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    func startReceiver(_ options: [String] = []) throws {
        let ports = ["--control-port", "0", "--peer-port", "0", "--peer-address", "127.0.0.1"]
        receiver = try start(["serve"] + ports + options + state, name: "receiver-\(outputs)").process
        try wait("an answer of the receiver") { try CommandRun(["status"] + state).status == 0 }
    }

    /// The file of a running receiver.
    func runtime() throws -> JSONValue {
        try JSONParser.parse(
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.appending("receiver/receiver/runtime.json")))))
    }

    /// Whether another receiver than the one of this file has published itself.
    func hasNewRuntime(_ old: JSONValue) -> Bool {
        do {
            return try runtime()["pid"] != old["pid"]
        } catch {
            return false  // There is none at this moment.
        }
    }

    /// Imports days with steps and a heart rate, and pairs.
    func pairPhone(days: ClosedRange<Int> = 1...3) throws {
        let records = days.map { day in
            let date = "2026-03-" + (day < 10 ? "0\(day)" : "\(day)")
            return """
                 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="iPhone" unit="count" \
                startDate="\(date) 10:00:00 +0100" endDate="\(date) 10:10:00 +0100" value="\(day * 100)"/>
                 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" \
                startDate="\(date) 11:00:00 +0100" endDate="\(date) 11:00:00 +0100" value="61"/>
                """
        }
        let export = folder.appending("export.xml")
        let text = "<HealthData locale=\"en_US\">\n \(records.joined(separator: "\n"))\n</HealthData>\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: export))
        let imported = try CommandRun(["phone", "import", export, "--time-zone", "Europe/Berlin"] + phoneState)
        #expect(imported.status == 0, "\(imported.text)")
        let opened = try CommandRun(["pair", "--no-wait"] + state).document()
        let code = try #require(opened["code"]?.string)
        let port = try #require(opened["listener"]?["port"]?.number?.int)
        let paired = try CommandRun(["phone", "pair", "127.0.0.1:\(port)"] + phoneState, input: code + "\n")
        #expect(paired.status == 0, "\(paired.text)")
    }

    /// Starts the phone's service and waits until the receiver sees it.
    func servePhone() throws {
        phone = try start(["phone", "serve"] + phoneState, name: "phone-\(outputs)").process
        try wait("the phone's connection") {
            try CommandRun(["status"] + state).document()["iphone"]?["connected"] == true
        }
    }

    /// The id that a client printed at once.
    func jobID(of name: String) throws -> String {
        var found: String?
        try wait("the job's id") {
            found = try folder.text("\(name).err").split(separator: "\n").first { $0.hasPrefix("job ") }
                .map { String($0.dropFirst(4)) }
            return found != nil
        }
        return try #require(found)
    }
}
