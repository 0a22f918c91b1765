import ConnectedProtocol
import Foundation

/// The end of the process.
extension ReceiverEngine {
    /// Tells the process, once, that the disk failed a sync of the journal. Nothing can be stored any more and every access says so:
    /// the process has to end, and a new one goes on from what is on the disk.
    func tellJournalLoss() {
        guard store.database.hasFailedForGood, let tell = journalLoss else { return }
        journalLoss = nil
        log("journal_lost")
        tell()
    }

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
