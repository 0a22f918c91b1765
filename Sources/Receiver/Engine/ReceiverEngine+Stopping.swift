import ConnectedProtocol
import Foundation

/// The end of the process.
extension ReceiverEngine {
    /// Begins nothing new, interrupts finalizations at their next boundary, pauses jobs durably and answers waiters.
    ///
    /// What the worker has in hand goes on; its completions still come, since the queues are drained before they end.
    func stop() {
        isStopping = true
        for session in sessions.values where finalizing.contains(session.id) { session.interruption.raise() }
        for installationID in Set(book.jobs.values.map(\.peerInstallationID)) {
            attempt("pause_failed") {
                try change { book in ((), book.disconnected(from: installationID, now: now)) }
            }
        }
    }
}
