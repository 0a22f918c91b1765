import Foundation

/// A message about one corpus session (corpus-protocol.md 9).
public protocol SessionMessage {
    /// The session.
    var sessionID: UUID { get }
    /// The job.
    var jobID: UUID { get }
}

/// A message that also names the request that the session serves.
public protocol FingerprintedMessage: SessionMessage {
    /// Identity of the request.
    var requestFingerprint: RequestFingerprint { get }
}

extension SessionMessage {
    /// Whether the message names this session and its job.
    public func isAbout(_ session: CorpusSession) -> Bool {
        sessionID == session.sessionID && jobID == session.jobID
    }
}

extension FingerprintedMessage {
    /// Whether the message names this session, its job and its request.
    public func isAboutRequest(of session: CorpusSession) -> Bool {
        isAbout(session) && requestFingerprint == session.requestFingerprint
    }
}

extension CorpusTransferDisposition: SessionMessage {}
extension CorpusTransferCancel: SessionMessage {}
extension CorpusTransferCancelAck: SessionMessage {}
extension PartitionDescriptor: SessionMessage {}
extension PartitionManifest: SessionMessage {}
extension CorpusTransferFinalize: FingerprintedMessage {}
extension CorpusTransferFinalAck: FingerprintedMessage {}
extension CorpusStatus: FingerprintedMessage {}
