/// Every message name of the envelope (corpus-protocol.md 2).
public enum MessageName: String, Sendable, CaseIterable {
    case hello, ping, pong, macStatus
    case iphoneExportRequest, iphoneExportAccepted, iphoneExportPreparationProgress, iphoneExportRejected
    case iphoneExportCancel, iphoneExportRawData
    case connectedCorpusTransferOpen, connectedCorpusTransferDisposition, connectedCorpusTransferFinalize
    case connectedCorpusTransferFinalAck, connectedCorpusTransferCancel, connectedCorpusTransferCancelAck
    case connectedCorpusStatus
    case connectedTransferStart, connectedTransferChunk, connectedTransferAck, connectedTransferComplete
    case connectedTransferFinalAck, connectedTransferAbort
    case macExportAccepted, macExportProgress, macExportResult, macExportFailed, macExportCancel
    case macExportRequest, macExportStreamStart, macExportStreamChunk, macExportStreamChunkAck
    case macExportStreamComplete, macExportStreamAbort
    case requestData, requestAllData, healthData, syncProgress

    /// Whether the message belongs to a path that this program does not walk.
    public var isLegacy: Bool {
        switch self {
        case .iphoneExportRawData, .macExportRequest, .macExportStreamStart, .macExportStreamChunk,
            .macExportStreamChunkAck, .macExportStreamComplete, .macExportStreamAbort, .requestData,
            .requestAllData, .healthData, .syncProgress:
            true
        default: false
        }
    }
}
