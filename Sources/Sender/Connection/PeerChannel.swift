import ConnectedProtocol
import Foundation

/// What the engine sees of a connection that is confirmed. When the connection is gone, calls do nothing, and the end arrives as
/// an event.
protocol PeerChannel: AnyObject, Sendable {
    /// Sends a message.
    func send(_ message: SyncMessage)

    /// Sends a binary frame; the closure fills in exactly `frame.payloadByteCount` bytes. Throws what the closure throws, and then
    /// nothing was sent.
    func send(_ frame: BinaryFrame, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws

    /// Ends the connection.
    func close(_ end: ConnectionEnd)
}
