import Cryptography
import Foundation

/// What a dialler keeps of a listener (secure-transport.md 9).
public struct SavedListener: Sendable {
    /// The listener's installation id.
    public var installationID: UUID
    /// The name last told.
    public var displayName: String
    /// Where it was reached.
    public var host: String
    /// Its port.
    public var port: UInt16
    /// 32 bytes.
    public var reconnectSecret: SecretBytes
    /// Seconds since 2001.
    public var pairedAt: Double

    /// A listener as the store has it.
    public init(
        installationID: UUID, displayName: String, host: String, port: UInt16, reconnectSecret: SecretBytes,
        pairedAt: Double
    ) {
        self.installationID = installationID
        self.displayName = displayName
        self.host = host
        self.port = port
        self.reconnectSecret = reconnectSecret
        self.pairedAt = pairedAt
    }
}

/// Whom a dialler trusts: one listener, and at most one that has not been confirmed yet (secure-transport.md 9,
/// extensions.md 2.1, 2.6). The old trust stays until the new listener has said hello; a rejection, which anybody on
/// the way can forge, takes nothing away.
public struct DiallerTrust: Sendable {
    /// The confirmed listener.
    public private(set) var trusted: SavedListener?
    /// The listener of a code pairing whose hello never came.
    public private(set) var provisional: SavedListener?

    /// The trust as the store has it.
    public init(trusted: SavedListener? = nil, provisional: SavedListener? = nil) {
        self.trusted = trusted
        self.provisional = provisional
    }

    /// The listeners to try, in this order. A provisional secret may have been confirmed on the other side alone, so
    /// it goes first, as long as the listener keeps it.
    public func candidates(at now: Moment) -> [SavedListener] {
        let live = provisional.flatMap { listener in
            abs(now.wall - listener.pairedAt) < TrustStore.provisionalSeconds ? listener : nil
        }
        return [live, trusted].compactMap { $0 }
    }

    /// A code pairing succeeded. Store it before the hello goes out.
    public mutating func keepProvisional(_ listener: SavedListener) {
        provisional = listener
    }

    /// The listener with this secret said hello: it is the trusted one. Any other trust goes.
    ///
    /// Returns whether anything changed that has to be stored.
    public mutating func confirm(_ listener: SavedListener) -> Bool {
        let isNew = trusted.map { !constantTimeEquals($0.reconnectSecret, listener.reconnectSecret) } ?? true
        let isRenamed = trusted?.displayName != listener.displayName
        let wasProvisional = provisional.map { constantTimeEquals($0.reconnectSecret, listener.reconnectSecret) }
        var kept = listener
        if !isNew, let trusted { kept.pairedAt = trusted.pairedAt }
        trusted = kept
        // An unconfirmed pairing with another secret is still to be tried.
        if wasProvisional == true { provisional = nil }
        return isNew || isRenamed || wasProvisional == true
    }

    /// Forgets everything.
    public mutating func forget() {
        trusted = nil
        provisional = nil
    }
}

/// The waits between a dialler's attempts: 250 ms doubling to 30 s (extensions.md 2.6).
public struct ReconnectBackOff: Hashable, Sendable {
    /// The first wait in seconds.
    public static let first: Double = 0.25
    /// The longest wait in seconds.
    public static let longest: Double = 30

    private var next = ReconnectBackOff.first

    /// Nothing has failed yet.
    public init() {}

    /// How long to wait after another failure.
    public mutating func failed() -> Double {
        defer { next = min(next * 2, Self.longest) }
        return next
    }

    /// A connection was opened.
    public mutating func succeeded() {
        next = Self.first
    }
}
