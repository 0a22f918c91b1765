import Foundation

/// A base URL that leads to this machine and nowhere else (cli.md 1).
struct BaseURL: Equatable {
    /// Lower-case host, no trailing slash: `http://localhost:17645`.
    let text: String

    /// Scheme http, host `127.0.0.1`, `::1` or `localhost`; no user, path (except `/`), query or fragment.
    init?(_ given: String) {
        guard given.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let parts = URLComponents(string: given),
            parts.scheme?.lowercased() == "http", parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil, parts.path.isEmpty || parts.path == "/",
            let host = parts.host?.lowercased()
        else { return nil }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard ["127.0.0.1", "localhost", "::1"].contains(bare) else { return nil }
        if let port = parts.port, !(1...65_535).contains(port) { return nil }
        text = "http://" + (bare == "::1" ? "[::1]" : bare) + (parts.port.map { ":\($0)" } ?? "")
    }

    /// The control API of a daemon that published this port.
    init(port: Int) { text = "http://127.0.0.1:\(port)" }

    /// What a client without any hint tries.
    static let standard = BaseURL(port: 17_645)
}
