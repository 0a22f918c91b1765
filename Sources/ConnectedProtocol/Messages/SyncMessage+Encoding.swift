import Foundation

extension SyncMessage {
    /// The bytes of a message. `.legacy`, `.unknown` and `.malformed` are never sent by this program.
    public func encode() -> [UInt8] {
        switch self {
        case .ping, .pong: wrap([UInt8]("{}".utf8))
        case .exportCancel(let jobID), .macExportCancel(let jobID): wrap(WireEncoding.text(of: ["jobID": jobID]))
        case .corpusOpen(let open): wrapPayload(open.text)
        case .hello(let payload): wrapPayload(payload)
        case .macStatus(let payload): wrapPayload(payload)
        case .exportRequest(let payload): wrapPayload(payload)
        case .exportAccepted(let payload): wrapPayload(payload)
        case .preparationProgress(let payload): wrapPayload(payload)
        case .exportRejected(let payload): wrapPayload(payload)
        case .corpusDisposition(let payload): wrapPayload(payload)
        case .corpusFinalize(let payload): wrapPayload(payload)
        case .corpusFinalAck(let payload): wrapPayload(payload)
        case .corpusCancel(let payload): wrapPayload(payload)
        case .corpusCancelAck(let payload): wrapPayload(payload)
        case .corpusStatus(let payload): wrapPayload(payload)
        case .transferStart(let payload): wrapPayload(payload)
        case .transferChunk(let payload): wrapPayload(payload)
        case .transferAck(let payload): wrapPayload(payload)
        case .transferComplete(let payload): wrapPayload(payload)
        case .transferFinalAck(let payload): wrapPayload(payload)
        case .transferAbort(let payload): wrapPayload(payload)
        case .macExportAccepted(let payload): wrapPayload(payload)
        case .macExportProgress(let payload): wrapPayload(payload)
        case .macExportResult(let payload): wrapPayload(payload)
        case .macExportFailed(let payload): wrapPayload(payload)
        case .legacy, .unknown, .malformed: preconditionFailure("this program does not send such a message")
        }
    }

    private func wrapPayload<Payload: Encodable>(_ payload: Payload) -> [UInt8] {
        wrapPayload(WireEncoding.text(of: payload))
    }

    private func wrapPayload(_ payload: [UInt8]) -> [UInt8] {
        wrap([UInt8](#"{"_0":"#.utf8) + payload + [UInt8(ascii: "}")])
    }

    private func wrap(_ body: [UInt8]) -> [UInt8] {
        guard let name else { preconditionFailure("an unknown message has no name") }
        return [UInt8](#"{""#.utf8) + name.rawValue.utf8 + [UInt8](#"":"#.utf8) + body + [UInt8(ascii: "}")]
    }
}

extension CorpusTransferOpen {
    /// The payload, with the manifest's own text.
    fileprivate var text: [UInt8] {
        var text = [UInt8](#"{"session":"#.utf8) + WireEncoding.text(of: session)
        text += #","partition":"#.utf8
        text += WireEncoding.text(of: partition)
        if let exportManifest {
            text += #","exportManifest":"#.utf8
            text += exportManifest.text
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}
