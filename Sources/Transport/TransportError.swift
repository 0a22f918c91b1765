/// Everything that can go wrong on the way to a peer. What the bytes mean is no concern of this room.
public enum TransportError: Error, Equatable, Sendable {
    /// A text that is no IPv4 or IPv6 address.
    case invalidAddress(text: String)
    /// Another process listens on the port.
    case portInUse(address: String, port: UInt16)
    /// The system keeps the port for others (below 1024).
    case portNotPermitted(port: UInt16)
    /// The address does not belong to this computer.
    case addressUnavailable(address: String)
    /// The name has no address.
    case nameNotFound(host: String)
    /// Nobody listens there.
    case refused(host: String, port: UInt16)
    /// No way leads there.
    case unreachable(host: String, port: UInt16)
    /// Nobody answered in time.
    case connectTimedOut(host: String, port: UInt16)
    /// Another thread called the attempt off.
    case cancelled
    /// Nothing came in time.
    case receiveTimedOut
    /// The peer did not take what was sent in time.
    case sendTimedOut
    /// The stream ended inside something whose length was known.
    case endOfStream(expected: Int, received: Int)
    /// The peer, or the network, ended the connection.
    case connectionReset
    /// This side ended the connection.
    case closed
    /// More bytes wait to be sent than are allowed to.
    case sendQueueFull(limit: Int)
    /// The process or the system has no descriptor left.
    case tooManyOpenFiles
    /// Any other refusal of the system.
    case system(operation: String, number: Int32)

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .invalidAddress: "invalid_address"
        case .portInUse: "port_in_use"
        case .portNotPermitted: "port_not_permitted"
        case .addressUnavailable: "address_unavailable"
        case .nameNotFound: "name_not_found"
        case .refused: "connection_refused"
        case .unreachable: "unreachable"
        case .connectTimedOut: "connect_timeout"
        case .cancelled: "cancelled"
        case .receiveTimedOut: "receive_timeout"
        case .sendTimedOut: "send_timeout"
        case .endOfStream: "end_of_stream"
        case .connectionReset: "connection_reset"
        case .closed: "connection_closed"
        case .sendQueueFull: "send_queue_full"
        case .tooManyOpenFiles: "too_many_open_files"
        case .system: "transport_error"
        }
    }
}

extension TransportError: CustomStringConvertible {
    /// A sentence for a person: what happened and what to do next.
    public var description: String {
        switch self {
        case .invalidAddress(let text): "\"\(text)\" is not an IP address. Write one like 192.168.1.5 or fe80::1."
        case .portInUse(let address, let port):
            "Port \(port) on \(address) is in use by another program. Stop it, or choose another port (0 takes any free one)."
        case .portNotPermitted(let port): "Port \(port) is not permitted for this user. Choose one above 1023."
        case .addressUnavailable(let address):
            "\(address) is not an address of this computer. Choose one that `ip address` lists."
        case .nameNotFound(let host): "\(host) has no address. Check the name, or use the IP address."
        case .refused(let host, let port):
            "\(host) refused the connection on port \(port). Start the receiver there (healthmd serve), or check the port."
        case .unreachable(let host, let port):
            "\(host) port \(port) cannot be reached. Check that both computers are in the same network."
        case .connectTimedOut(let host, let port):
            "\(host) port \(port) did not answer in time. Check the address and the firewall."
        case .cancelled: "The connection attempt was called off. Start it again when needed."
        case .receiveTimedOut: "The peer sent nothing in time. Connect again."
        case .sendTimedOut: "The peer took nothing in time. Connect again."
        case .endOfStream(let expected, let received):
            "The stream ended after \(received) of \(expected) bytes. Connect again."
        case .connectionReset: "The connection broke. Connect again."
        case .closed: "The connection was closed on this side. Connect again."
        case .sendQueueFull(let limit): "More than \(limit) bytes wait to be sent. Wait until the peer has taken some."
        case .tooManyOpenFiles: "Too many open files. Raise the limit (ulimit -n), then try again."
        case .system(let operation, let number):
            "\(operation) failed (errno \(number)). Try again; if it stays, report this."
        }
    }
}
