/// The body of `POST /v1/pairing` and of the approval (extensions.md 5). A code of the caller's own is not taken.
struct OpenPairingRequest {
    let style: PairingCodeStyle
    let timeoutSeconds: Int?

    /// Nothing, or an object with `code_style` and `timeout_seconds`.
    init(_ body: [UInt8]) throws(RouteError) {
        let members = try RouteError.parsing(body.isEmpty ? RequestMembers() : RequestMembers(body))
        let word = try RouteError.parsing(members.string("code_style"))
        let seconds = try RouteError.parsing(members.number("timeout_seconds"))
        guard let style = PairingCodeStyle(rawValue: word ?? PairingCodeStyle.strong.rawValue) else {
            throw .unsupportedCodeStyle
        }
        if let seconds, !(seconds.int.map(style.allowedTimeouts.contains) ?? false) {
            throw .control(.invalidTimeout(allowed: style.allowedTimeouts))
        }
        self.style = style
        timeoutSeconds = seconds?.int
    }

    /// `{"accept": true | false}`.
    static func approval(_ body: [UInt8]) throws(RouteError) -> Bool {
        let members = try RouteError.parsing(RequestMembers(body))
        guard let accept = try RouteError.parsing(members.bool("accept")) else { throw .invalidApproval }
        return accept
    }
}

/// A directory that a request names.
enum DestinationRequest {
    /// PATH_MAX of Linux without its final zero.
    static let maximumPathByteCount = 4_095

    /// The body of `PUT /v1/destination` (control-api.md 12).
    static func path(_ body: [UInt8]) throws(RouteError) -> String {
        let members = try RouteError.parsing(RequestMembers(body))
        guard let path = try RouteError.parsing(members.string("root_path")), isPath(path) else {
            throw .request(.invalidDestination)
        }
        return path
    }

    /// Whether it is an absolute path; whether it leads somewhere is the receiver's to find out.
    static func isPath(_ path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= maximumPathByteCount && !path.utf8.contains(0)
    }
}
