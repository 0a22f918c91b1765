import Cryptography
import Foundation

/// One message between the two sides (corpus-protocol.md 2).
public enum SyncMessage: Sendable, Hashable {
    /// Capabilities.
    case hello(PeerCapabilities)
    /// Asks for a sign of life.
    case ping
    /// Answers a ping.
    case pong
    /// State of the destination.
    case macStatus(MacStatus)
    /// Asks for an export.
    case exportRequest(ExportRequest)
    /// The source serves a request.
    case exportAccepted(ExportAccepted)
    /// The source prepares.
    case preparationProgress(PreparationProgress)
    /// The source refuses a request.
    case exportRejected(ExportRejected)
    /// The destination gives a job up.
    case exportCancel(jobID: UUID)
    /// Asks to send a partition.
    case corpusOpen(CorpusTransferOpen)
    /// Answers an open.
    case corpusDisposition(CorpusTransferDisposition)
    /// Ends a session.
    case corpusFinalize(CorpusTransferFinalize)
    /// Answers a finalization.
    case corpusFinalAck(CorpusTransferFinalAck)
    /// Cancels a session.
    case corpusCancel(CorpusTransferCancel)
    /// Answers a cancellation.
    case corpusCancelAck(CorpusTransferCancelAck)
    /// State of a job at the source.
    case corpusStatus(CorpusStatus)
    /// Announces a transfer.
    case transferStart(TransferStart)
    /// Bytes of a transfer.
    case transferChunk(TransferChunk)
    /// Acknowledges a start or a chunk.
    case transferAck(TransferAck)
    /// Ends a transfer.
    case transferComplete(TransferComplete)
    /// Answers a completion.
    case transferFinalAck(TransferFinalAck)
    /// Gives a transfer up.
    case transferAbort(TransferAbort)
    /// The destination takes a job.
    case macExportAccepted(MacExportAccepted)
    /// The destination works.
    case macExportProgress(MacExportProgress)
    /// Outcome of a file job.
    case macExportResult(MacExportResult)
    /// A job failed at the destination.
    case macExportFailed(MacExportFailed)
    /// The source gives a job up.
    case macExportCancel(jobID: UUID)
    /// A message of a path that this program does not walk.
    case legacy(MessageName)
    /// A message of no known name; dropped, the connection stays.
    case unknown
    /// A known message whose payload breaks a rule (extensions.md 9.3).
    case malformed(MalformedMessage)

    /// The name in the envelope; nil for an unknown message.
    public var name: MessageName? {
        switch self {
        case .hello: .hello
        case .ping: .ping
        case .pong: .pong
        case .macStatus: .macStatus
        case .exportRequest: .iphoneExportRequest
        case .exportAccepted: .iphoneExportAccepted
        case .preparationProgress: .iphoneExportPreparationProgress
        case .exportRejected: .iphoneExportRejected
        case .exportCancel: .iphoneExportCancel
        case .corpusOpen: .connectedCorpusTransferOpen
        case .corpusDisposition: .connectedCorpusTransferDisposition
        case .corpusFinalize: .connectedCorpusTransferFinalize
        case .corpusFinalAck: .connectedCorpusTransferFinalAck
        case .corpusCancel: .connectedCorpusTransferCancel
        case .corpusCancelAck: .connectedCorpusTransferCancelAck
        case .corpusStatus: .connectedCorpusStatus
        case .transferStart: .connectedTransferStart
        case .transferChunk: .connectedTransferChunk
        case .transferAck: .connectedTransferAck
        case .transferComplete: .connectedTransferComplete
        case .transferFinalAck: .connectedTransferFinalAck
        case .transferAbort: .connectedTransferAbort
        case .macExportAccepted: .macExportAccepted
        case .macExportProgress: .macExportProgress
        case .macExportResult: .macExportResult
        case .macExportFailed: .macExportFailed
        case .macExportCancel: .macExportCancel
        case .legacy(let name): name
        case .unknown: nil
        case .malformed(let message): message.name
        }
    }
}

/// What can still be told of a message whose payload breaks a rule, so that it can be answered (extensions.md 9.3).
public struct MalformedMessage: Sendable, Hashable {
    /// Name of the message.
    public let name: MessageName
    /// The first rule that is broken.
    public let error: MessageError
    /// The session, when it can be read.
    public let sessionID: UUID?
    /// The job, when it can be read.
    public let jobID: UUID?
    /// The transfer, when it can be read.
    public let transferID: UUID?
    /// Index and digest of the partition of an open, when both can be read; what a reject must echo.
    public let partition: PartitionReference?

    /// Names a partition in a reject.
    public struct PartitionReference: Sendable, Hashable {
        /// Index.
        public let index: Int
        /// Digest.
        public let sha256: Digest
    }
}

extension MessageError: Hashable {
    /// Feeds code and description, which tell errors apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(description)
    }
}
