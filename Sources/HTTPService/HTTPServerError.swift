import Transport

/// Why a server could not start.
public enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The port or address cannot be used.
    case listen(TransportError)
    /// libmicrohttpd did not start.
    case engineFailed
    /// Any other refusal of the system.
    case system(operation: String, number: Int32)

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .listen(let error): error.code
        case .engineFailed: "http_engine_failed"
        case .system: "http_system_error"
        }
    }

    /// A sentence for a person.
    public var description: String {
        switch self {
        case .listen(let error): error.description
        case .engineFailed: "The HTTP engine did not start. Check the limits of memory and threads, then try again."
        case .system(let operation, let number):
            "\(operation) failed (errno \(number)). Try again; if it stays, report this."
        }
    }
}
