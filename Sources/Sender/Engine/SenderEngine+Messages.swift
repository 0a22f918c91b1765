import ConnectedProtocol
import Foundation

extension SenderEngine {
    /// Takes a message of the confirmed peer.
    func take(_ message: SyncMessage, _ link: Link) throws {
        switch message {
        case .macStatus(let status): self.link?.status = status
        case .exportRequest(let request): try take(request, link)
        case .exportCancel(let jobID): try deliver(.peerCancelled(answer: false, message: nil), to: jobID)
        case .corpusDisposition(let disposition): try deliver(.disposition(disposition), to: disposition.jobID)
        case .corpusFinalAck(let acknowledgement): try deliver(.finalAck(acknowledgement), to: acknowledgement.jobID)
        case .corpusCancel(let cancel): try take(cancel, link)
        case .corpusCancelAck(let acknowledgement): try take(acknowledgement)
        case .transferAck(let ack): try drive(.ack(ack), transferNamed: ack.transferID)
        case .transferFinalAck(let ack): try drive(.finalAck(ack), transferNamed: ack.transferID)
        case .transferAbort(let abort): try drive(.abort(abort), transferNamed: abort.transferID)
        case .macExportResult(let result): try store.setResult(result, of: result.jobID)
        case .malformed(let message): answer(message, link)
        case .macExportAccepted, .macExportProgress, .macExportFailed:
            // Told for people; the final acknowledgement that follows decides (corpus-protocol.md 13.5).
            break
        case .hello, .ping, .pong:
            // The connection deals with them.
            break
        case .exportAccepted, .preparationProgress, .exportRejected, .corpusOpen, .corpusFinalize, .corpusStatus,
            .transferStart, .transferChunk, .transferComplete, .macExportCancel, .legacy, .unknown:
            // Messages that only a source sends, and paths that this program does not walk.
            break
        }
    }

    private func drive(_ event: TransferSender.Event, transferNamed transferID: UUID) throws {
        // An answer to a transfer that is over is late, not wrong.
        let job = jobs.values.first { $0.transfer?.machine.start.transferID == transferID }
        if let job { try drive(event, transferOf: job.jobID) }
    }

    private func take(_ cancel: CorpusTransferCancel, _ link: Link) throws {
        guard let job = jobs[cancel.jobID], job.session.journal.session.sessionID == cancel.sessionID else {
            return link.channel.send(.corpusCancelAck(refusal(sessionID: cancel.sessionID, jobID: cancel.jobID)))
        }
        try deliver(.peerCancelled(answer: true, message: cancel.message), to: cancel.jobID)
    }

    private func refusal(sessionID: UUID, jobID: UUID) -> CorpusTransferCancelAck {
        CorpusTransferCancelAck(
            sessionID: sessionID, jobID: jobID, accepted: false, acknowledgedAt: clock().date,
            message: "There is no such job here.")
    }

    /// A message that breaks a rule but can be answered is answered; others are dropped (extensions.md 9.3).
    private func answer(_ message: MalformedMessage, _ link: Link) {
        switch message.name {
        case .iphoneExportRequest:
            reject(
                message.jobID, .unsupportedPeer, "The request breaks a rule: \(message.error.description)", link)
        case .connectedCorpusTransferCancel:
            guard let sessionID = message.sessionID, let jobID = message.jobID else { return }
            link.channel.send(.corpusCancelAck(refusal(sessionID: sessionID, jobID: jobID)))
        default: return
        }
    }

    func reject(_ jobID: UUID?, _ reason: ExportRejectionReason, _ text: String, _ link: Link) {
        if let jobID { report(.requestRejected(jobID: jobID, reason: reason.rawValue)) }
        link.channel.send(
            .exportRejected(
                ExportRejected(jobID: jobID, reason: reason, message: text, occurredAt: clock().date)))
    }
}
