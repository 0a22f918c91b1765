import DurableStore
import Foundation
import Synchronization

/// The verified snapshots that are being sent now. Downloads of one result that overlap share one, so that a crowd of
/// slow readers costs the space and the reading of one copy for each result, not for each reader.
final class SnapshotShelf: Sendable {
    /// A private, unlinked copy whose bytes had the recorded digest. Nobody can change it; its space is free again when the
    /// last reader is done.
    final class Snapshot: Sendable {
        let file: File
        let sha256: String

        init(_ file: File, sha256: String) {
            self.file = file
            self.sha256 = sha256
        }
    }

    private struct Reference {
        weak var snapshot: Snapshot?
    }

    private struct State {
        var snapshots: [UUID: Reference] = [:]
        /// Jobs whose copies are to be looked after.
        var checks: Set<UUID> = []
    }

    private let state = Mutex(State())

    /// The snapshot of a job's response that is being sent, or a new one. Two that are made at the same moment are both
    /// used.
    func snapshot(
        of jobID: UUID, sha256: String, make: () throws -> File
    ) throws -> (snapshot: Snapshot, isShared: Bool) {
        let shared = state.withLock { $0.snapshots[jobID]?.snapshot }
        if let shared, shared.sha256 == sha256 { return (shared, true) }
        let made = Snapshot(try make(), sha256: sha256)
        state.withLock { state in
            state.snapshots = state.snapshots.filter { $0.value.snapshot != nil }
            state.snapshots[jobID] = Reference(snapshot: made)
        }
        return (made, false)
    }

    /// Whether the caller is the one who looks after a job's copies; then it calls ``endCheck(of:)``.
    func beginCheck(of jobID: UUID) -> Bool {
        state.withLock { $0.checks.insert(jobID).inserted }
    }

    /// Ends what ``beginCheck(of:)`` began.
    func endCheck(of jobID: UUID) {
        state.withLock { _ = $0.checks.remove(jobID) }
    }
}
