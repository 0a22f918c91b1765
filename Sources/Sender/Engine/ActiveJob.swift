import ConnectedProtocol
import Foundation

/// A job in memory: its machine, what it was bound to, and what the machine cannot know about files.
struct ActiveJob {
    /// What was stored when the job began.
    let stored: StoredJob
    /// The machine.
    var session: SenderSession
    /// Whether the items of a restored job were found intact.
    var isVerified: Bool
    /// Whether that is being found out.
    var isBeingVerified = false
    /// Partitions that can be sent, by transfer.
    var ready: [UUID: ReadyPartition] = [:]
    /// The running transfer.
    var transfer: RunningTransfer?

    init(_ stored: StoredJob, session: SenderSession, isVerified: Bool) {
        self.stored = stored
        self.session = session
        self.isVerified = isVerified
    }

    var jobID: UUID { stored.jobID }

    /// Whether the job is between these two installations; a job of the in-memory sender is bound to its connection.
    func isBound(source: UUID, _ destination: UUID) -> Bool {
        guard let binding = session.journal.session.peerBinding else { return true }
        return binding.sourceInstallationID == source && binding.destinationInstallationID == destination
    }

    /// Whether the job can go on over a connection: the peer is the one, and still speaks the session's version for life
    /// (corpus-protocol.md 19).
    func isBound(to link: SenderEngine.Link) -> Bool {
        guard let binding = session.journal.session.peerBinding else { return true }
        return link.negotiation?.isDurable == true && link.negotiation?.peerBinding == binding
            && link.peer.corpus?.protocolVersions.contains(session.journal.session.protocolVersion) == true
            && TransferSender.missing(at: link.peer) == nil
    }
}

/// A transfer on its way.
struct RunningTransfer {
    var machine: TransferSender
    let ready: ReadyPartition
    let chunks: ChunkTransport
}
