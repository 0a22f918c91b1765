import CanonicalJSON
import Foundation
import Synchronization

/// The phases of cli.md 10 that a job's state stands for.
enum JobPhase {
    /// Nil for states that say nothing to somebody who waits: the answer itself does.
    static func name(_ document: JSONValue) -> String? {
        switch document["state"]?.string {
        case "queued", "sent": return "job_created"
        case "accepted": return "accepted"
        case "preparing": return "preparing"
        case "paused": return "paused"
        case "transferring":
            let total = totalDays(document) ?? 0
            let processed = document["processed_days"]?.number?.int ?? 0
            return total > 0 && processed >= total ? "finalizing" : "transferring"
        default: return nil
        }
    }

    /// Days in all; the response object counts them under another name.
    static func totalDays(_ document: JSONValue?) -> Int? {
        (document?["total_days"] ?? document?["total_count"])?.number?.int
    }
}

/// Asks for a job's state once a second on a connection of its own, and reports it.
final class ProgressPoller: Sendable {
    private let client: ControlClient
    private let path: String
    private let progress: ProgressReporter
    private let stopped = Mutex(false)
    private let seen = Atomic(false)

    /// Whether the receiver ever said that it has the job.
    var hasSeenJob: Bool { seen.load(ordering: .acquiring) }

    init(client: ControlClient, path: String, progress: ProgressReporter) {
        self.client = client
        self.path = path
        self.progress = progress
    }

    func start() {
        Thread.detachNewThread { [self] in
            while !stopped.withLock({ $0 }) {
                // A poll that fails says nothing about the job: the waiting connection is what counts.
                if let answer = try? client.send("GET", path), let phase = JobPhase.name(answer.document) {
                    seen.store(true, ordering: .releasing)
                    stopped.withLock { if !$0 { progress.report(phase: phase, state: answer.document) } }
                }
                Thread.sleep(forTimeInterval: 1)
            }
        }
    }

    /// No report comes after this returns.
    func stop() {
        stopped.withLock { $0 = true }
    }
}
