import Cryptography
import HTTPService
import Transport

/// Who may create an archive (day-archive.md 12). Applies to new ones only.
public enum ClaimPolicy: Sendable {
    /// Whoever knows the operator's token, of which only the SHA-256 is kept.
    case token(Digest)
    /// Whoever speaks from this computer, without a proxy between.
    case loopback
    /// Everyone.
    case open
    /// Nobody.
    case closed

    static let tokenName = "x-efferent-claim-token"
    private static let forwardingNames = ["forwarded", "x-forwarded-for", "x-real-ip"]

    /// The policy of a plain token.
    public static func token(_ text: String) -> ClaimPolicy { .token(SHA256.hash(text)) }

    func allows(_ request: ServiceRequest) -> Bool {
        switch self {
        case .token(let digest):
            guard let text = request.headers[Self.tokenName] else { return false }
            return constantTimeEquals(SHA256.hash(text), digest)
        case .loopback:
            return request.peer.isLoopback && Self.forwardingNames.allSatisfy { request.headers[$0] == nil }
        case .open: return true
        case .closed: return false
        }
    }
}
