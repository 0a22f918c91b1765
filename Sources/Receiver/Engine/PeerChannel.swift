import ConnectedProtocol
import Cryptography
import Foundation

/// A connection that was opened, as the engine uses it. Calls come from the engine thread and never block.
protocol PeerChannel: AnyObject, Sendable {
    /// Queues one message document.
    func send(_ document: [UInt8])
    /// Ends the connection; `peerClosed` follows as an event.
    func close(_ reason: ConnectionEnd)
}

/// The payload of a chunk in the buffer that it arrived in, with the digest that was taken of it on the way.
struct ChunkPayload: Sendable {
    /// The buffer.
    let buffer: [UInt8]
    /// Where the payload lies in it.
    let range: Range<Int>
    /// The digest of the payload.
    let actualSHA256: Digest
    /// Gives the buffer back; called once the bytes are written or dropped.
    let release: @Sendable ([UInt8]) -> Void
}

/// What a connection reports to the engine.
enum PeerEvent: Sendable {
    /// It was opened: the peer is confirmed and said hello.
    case opened(PeerOpening)
    /// A message.
    case message(SyncMessage)
    /// A chunk, in a binary frame or in JSON.
    case chunk(transferID: UUID, sequence: Int, stated: Digest, payload: ChunkPayload)
    /// It is gone.
    case closed
}

/// Who is there.
struct PeerOpening: Sendable {
    let installationID: UUID
    let displayName: String
    let capabilities: PeerCapabilities
    let usesSecureRecords: Bool
    let channel: any PeerChannel
}
