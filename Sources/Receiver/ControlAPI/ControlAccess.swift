import Cryptography
import HTTPService

/// Who may ask: `Host`, `Origin` and the control token (control-api.md 1, extensions.md 5).
struct ControlAccess: Sendable {
    /// Characters of 32 random bytes in base64url without padding (control-api.md 1).
    static let minimumTokenCharacterCount = 43

    private let token: SecretBytes
    /// Whether upstream's routes need the token too.
    let requiresToken: Bool

    /// Nil when the token is too short, or could not stand in a header.
    init?(token: String, requiresToken: Bool) {
        let bytes = Array(token.utf8)
        guard bytes.count >= Self.minimumTokenCharacterCount, bytes.allSatisfy(Self.isTokenCharacter) else {
            return nil
        }
        self.token = SecretBytes(copying: bytes)
        self.requiresToken = requiresToken
    }

    /// RFC 6750, section 2.1: what a bearer token is made of.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=".utf8.contains(byte)
        }
    }

    /// Whether a browser may have been lured here: a `Host` that does not name this computer (DNS rebinding), or an
    /// `Origin` other than that very host. Both may be absent.
    static func isLocal(_ headers: HTTPHeaders) -> Bool {
        let host = headers["Host"]
        if let host, !namesLoopback(host) { return false }
        guard let origin = headers["Origin"] else { return true }
        return host.map { origin == "http://" + $0 } ?? false
    }

    /// `127.0.0.1`, `localhost` or `[::1]`, and any port.
    private static func namesLoopback(_ host: String) -> Bool {
        let lowercase = host.lowercased()
        for name in ["127.0.0.1", "localhost", "[::1]"] where lowercase.hasPrefix(name) {
            let rest = lowercase.utf8.dropFirst(name.utf8.count)
            guard let first = rest.first else { return true }
            return first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { $0 &- 0x30 < 10 }
        }
        return false
    }

    /// Whether the request carries the token. The comparison takes the same time wherever the first difference stands.
    func isAuthorized(_ headers: HTTPHeaders) -> Bool {
        let scheme = "bearer "
        guard let value = headers["Authorization"], value.utf8.count > scheme.utf8.count,
            value.prefix(scheme.count).lowercased() == scheme
        else { return false }
        let credentials = value.utf8.dropFirst(scheme.utf8.count).drop { $0 == UInt8(ascii: " ") }
        return constantTimeEquals(token, Array(credentials))
    }
}
