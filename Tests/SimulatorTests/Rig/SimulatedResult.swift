import DurableStore
import Foundation
import Synchronization

@testable import Receiver

/// What a job made: the destination's files, or the raw result.
struct SimulatedResult: Equatable {
    /// Bytes by path.
    var files: [String: [UInt8]]

    /// Reads the result of a job.
    init(scenario: Scenario, jobID: UUID, destination: Directory, jobs: Directory) throws {
        if scenario.writesFiles {
            files = try SimulatedResult.files(in: destination).filter { !$0.key.hasSuffix(".tmp") }
        } else {
            let path = "\(jobID.uuidString)/\(ResponseCopy.fileName)"
            guard try jobs.status(of: path) != nil else {
                files = [:]
                return
            }
            files = ["raw": try SimulatedResult.rawResult(jobs.file(path).contents(maximumByteCount: 1 << 24))]
        }
    }

    /// The raw result inside a response, without the one instant that tells when the job was accepted.
    private static func rawResult(_ response: [UInt8]) throws -> [UInt8] {
        var text = String(decoding: response, as: UTF8.self)
        guard let start = text.range(of: "\"raw_result\":") else { return [] }
        text = String(text[start.upperBound...])
        if let key = text.range(of: "\"created_at\":\""),
            let end = text.range(of: "\"", range: key.upperBound..<text.endIndex)
        {
            text.replaceSubrange(key.upperBound..<end.lowerBound, with: "T")
        }
        return Array(text.utf8)
    }

    /// Every file below a folder.
    static func files(in folder: Directory) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for entry in try folder.entries() {
            switch entry.kind {
            case .directory:
                for (name, bytes) in try self.files(in: folder.directory(entry.name)) {
                    files["\(entry.name)/\(name)"] = bytes
                }
            default: files[entry.name] = try folder.file(entry.name).contents(maximumByteCount: 1 << 24)
            }
        }
        return files
    }

    /// In which files two results differ.
    func difference(from other: SimulatedResult) -> String {
        let names = Set(files.keys).union(other.files.keys).sorted().filter { files[$0] != other.files[$0] }
        let described = names.prefix(4).map { name in
            "\(name): \(files[name].map { "\($0.count) bytes" } ?? "missing")"
                + ", expected \(other.files[name].map { "\($0.count) bytes" } ?? "none")"
        }
        return described.joined(separator: "; ")
    }

    /// A cancelled job keeps exact days and nothing else, and says how many files they are.
    func requirePart(of whole: SimulatedResult, counted: Int?) throws {
        for (name, bytes) in files where whole.files[name] != bytes {
            throw Simulation.Violation(description: "a cancelled job left \(name), which is no file of its result")
        }
        if let counted, counted > files.count {
            throw Simulation.Violation(description: "a cancelled job counts \(counted) files and left \(files.count)")
        }
    }

    // MARK: - The undisturbed run

    private struct Reference {
        let result: SimulatedResult
        let response: ControlResponse?
    }

    /// By scenario. A nil is a run that is under way: the undisturbed run itself has nothing to compare with.
    private static let references = Mutex<[Scenario: Reference?]>([:])

    /// What an undisturbed run of the same scenario makes; nil inside of that run.
    static func undisturbed(_ simulation: Simulation) throws -> SimulatedResult? {
        try reference(simulation)?.result
    }

    /// What the client of an undisturbed run hears.
    static func undisturbedResponse(_ simulation: Simulation) throws -> ControlResponse? {
        try reference(simulation)?.response
    }

    private static func reference(_ simulation: Simulation) throws -> Reference? {
        let scenario = simulation.scenario
        if let known = references.withLock({ $0[scenario] }) { return known }
        references.withLock { $0[scenario] = .some(nil) }
        let calm = try Simulation(seed: 1, scenario: scenario, weather: .calm)
        let outcome = try calm.run()
        let response = calm.receiver?.engine.book.jobs[calm.jobID]?.result
        let made = Reference(result: outcome.result, response: response)
        references.withLock { $0[scenario] = made }
        return made
    }
}
