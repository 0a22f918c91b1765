import Cryptography
import Foundation

/// Why a pairing could not be opened or answered.
public enum PairingDeskError: Error, Hashable, Sendable {
    /// One is open already.
    case pairingInProgress
    /// A life outside 10…600 seconds (six digits: 10…300).
    case lifetimeOutOfRange(allowed: ClosedRange<Double>)
    /// No pairing has this id.
    case pairingNotFound
    /// The pairing does not wait for an answer.
    case notAwaitingApproval

    /// The stable name, for programs.
    public var code: String {
        switch self {
        case .pairingInProgress: "pairing_in_progress"
        case .lifetimeOutOfRange: "pairing_lifetime_out_of_range"
        case .pairingNotFound: "pairing_not_found"
        case .notAwaitingApproval: "pairing_not_awaiting_approval"
        }
    }
}

/// A pairing as others may see it: never with its code.
public struct PairingSnapshot: Hashable, Sendable {
    /// The raw values are the words of `state` (extensions.md 5).
    public enum State: String, Hashable, Sendable {
        /// The code can be used.
        case waiting
        /// A phone is there; the person decides.
        case awaitingApproval = "awaiting_approval"
        /// Done.
        case paired
        /// Over without a device.
        case failed
        /// Nobody came, or nobody answered, in time.
        case expired
    }

    /// Why a pairing failed; the raw values are the words of `reason`.
    public enum Reason: String, Hashable, Sendable {
        /// Too many wrong codes.
        case tooManyAttempts = "too_many_attempts"
        /// The person said no.
        case declined
        /// It was closed.
        case closed
    }

    /// Who paired, or wants to.
    public struct Peer: Hashable, Sendable {
        /// Its installation id.
        public let installationID: UUID
        /// Its name, as told.
        public let displayName: String
        /// Where it connected from.
        public let address: PeerAddress
    }

    /// The pairing's id.
    public let id: UUID
    /// Its kind of code.
    public let strength: PairingStrength
    /// Where it stands.
    public internal(set) var state: State
    /// Unix seconds.
    public let expiresAt: Int64
    /// There once a device was confirmed.
    public internal(set) var peer: Peer?
    /// There when it failed.
    public internal(set) var reason: Reason?
}

/// The one open pairing, and the last few that are over (extensions.md 2.1, 2.5).
///
/// The code itself is not kept, only the key that it stands for.
public struct PairingDesk: Sendable {
    /// How many finished pairings can still be asked for.
    public static let historyLimit = 16
    /// The life of a pairing when none is asked for, in seconds.
    public static func defaultLifetime(_ strength: PairingStrength) -> Double {
        strength == .strong ? 600 : 120
    }
    /// The lives that can be asked for, in seconds.
    public static func lifetimes(_ strength: PairingStrength) -> ClosedRange<Double> {
        strength == .strong ? 10...600 : 10...300
    }
    /// How many wrong codes end a pairing.
    public static func failureLimit(_ strength: PairingStrength) -> Int {
        strength == .strong ? 20 : 5
    }
    /// Seconds that an address waits after its first wrong code; doubles with each further one.
    static let firstBackOff: Double = 1
    /// The longest wait.
    static let longestBackOff: Double = 16
    /// Valid proofs that one pairing takes. Far more than an honest phone that loses every answer needs.
    static let usedNonceLimit = 256

    private struct BackOff: Sendable {
        var until: Double
        var seconds: Double
    }

    private struct OpenPairing: Sendable {
        var snapshot: PairingSnapshot
        let codeKey: SecretBytes
        let deadline: Double
        var failureCount = 0
        var backOffs: [PeerAddress: BackOff] = [:]
        var usedNonces: Set<[UInt8]> = []
        /// The provisional secret that approval promotes.
        var reservation: Reservation?
    }

    /// What a pairing that awaits approval is held for.
    struct Reservation: Sendable {
        let provisionalID: UUID
        let connection: ConnectionID
    }

    private var current: OpenPairing?
    private var finished: [PairingSnapshot] = []

    /// No pairing.
    public init() {}

    /// The open pairing, if any.
    public var open: PairingSnapshot? { current?.snapshot }

    /// When the open pairing ends by itself, on the monotonic clock.
    public var deadline: Double? { current?.deadline }

    var reservation: Reservation? { current?.reservation }

    /// A pairing by its id, open or one of the last that are over.
    public func pairing(_ id: UUID) -> PairingSnapshot? {
        if let snapshot = current?.snapshot, snapshot.id == id { return snapshot }
        return finished.last { $0.id == id }
    }

    /// Opens a pairing. The code has exactly the digits of its strength, from a secure source without bias.
    mutating func open(
        id: UUID, strength: PairingStrength, code: String, lifetime: Double? = nil, at now: Moment
    ) throws(PairingDeskError) -> PairingSnapshot {
        precondition(code.utf8.count == strength.digitCount && code.utf8.allSatisfy { (48...57).contains($0) })
        guard current == nil else { throw .pairingInProgress }
        let lifetime = lifetime ?? Self.defaultLifetime(strength)
        guard Self.lifetimes(strength).contains(lifetime) else {
            throw .lifetimeOutOfRange(allowed: Self.lifetimes(strength))
        }
        let snapshot = PairingSnapshot(
            id: id, strength: strength, state: .waiting, expiresAt: now.unixSeconds + Int64(lifetime))
        current = OpenPairing(
            snapshot: snapshot, codeKey: ManualIPKeys.codeKey(digits: code), deadline: now.monotonic + lifetime)
        return snapshot
    }

    /// What became of an attempt.
    enum Attempt {
        /// The code is right and this proof was not used before.
        case accepted(pairingID: UUID, strength: PairingStrength, codeKey: SecretBytes)
        /// Anything else; which, is nobody's business but the log's.
        case refused(Refusal)
    }

    /// Why an attempt was refused. For logs and tests; a peer is never told.
    public enum Refusal: String, Hashable, Sendable {
        /// No pairing is open, or it is reserved for another connection.
        case notOpen = "not_open"
        /// A six-digit pairing takes only near addresses.
        case addressNotNear = "address_not_near"
        /// The address has to wait; the proof was not looked at.
        case tooEarly = "too_early"
        /// The code was wrong.
        case wrongCode = "wrong_code"
        /// A recorded request was played again.
        case repeatedNonce = "nonce_repeated"
    }

    /// Checks a code proof. Counts it when it is wrong, remembers its nonce when it is right.
    mutating func attempt(
        _ proof: [UInt8], request: PairingRequest, address: PeerAddress, at now: Moment
    ) -> Attempt {
        guard var pairing = current, pairing.snapshot.state == .waiting, now.monotonic < pairing.deadline else {
            return .refused(.notOpen)
        }
        guard pairing.snapshot.strength == .strong || address.isNear else { return .refused(.addressNotNear) }
        let backOff = pairing.backOffs[address]
        if let backOff, now.monotonic < backOff.until { return .refused(.tooEarly) }

        let expected = ManualIPKeys.codeClientProof(
            codeKey: pairing.codeKey, publicKey: request.publicKey, nonce: request.nonce)
        guard constantTimeEquals(expected, proof) else {
            let seconds = min(backOff.map { $0.seconds * 2 } ?? Self.firstBackOff, Self.longestBackOff)
            pairing.backOffs[address] = BackOff(until: now.monotonic + seconds, seconds: seconds)
            pairing.failureCount += 1
            current = pairing
            if pairing.failureCount >= Self.failureLimit(pairing.snapshot.strength) {
                finish(.failed, reason: .tooManyAttempts)
            }
            return .refused(.wrongCode)
        }
        guard !pairing.usedNonces.contains(request.nonce), pairing.usedNonces.count < Self.usedNonceLimit else {
            return .refused(.repeatedNonce)
        }
        pairing.usedNonces.insert(request.nonce)
        pairing.backOffs[address] = nil
        current = pairing
        return .accepted(
            pairingID: pairing.snapshot.id, strength: pairing.snapshot.strength, codeKey: pairing.codeKey)
    }

    /// Whether the pairing with this id is the open one and still takes a device.
    func isWaiting(_ id: UUID) -> Bool {
        current?.snapshot.id == id && current?.snapshot.state == .waiting
    }

    /// Reserves the pairing for one connection until the person has answered.
    mutating func reserve(_ reservation: Reservation, peer: PairingSnapshot.Peer) {
        precondition(current?.snapshot.state == .waiting)
        current?.snapshot.state = .awaitingApproval
        current?.snapshot.peer = peer
        current?.reservation = reservation
    }

    /// The pairing is used up.
    mutating func complete(peer: PairingSnapshot.Peer) {
        current?.snapshot.peer = peer
        finish(.paired, reason: nil)
    }

    /// Ends the open pairing without a device.
    mutating func fail(_ reason: PairingSnapshot.Reason) {
        finish(.failed, reason: reason)
    }

    /// Ends the open pairing because its time is over.
    mutating func expire() {
        finish(.expired, reason: nil)
    }

    private mutating func finish(_ state: PairingSnapshot.State, reason: PairingSnapshot.Reason?) {
        guard var snapshot = current?.snapshot else { return }
        snapshot.state = state
        snapshot.reason = reason
        current = nil
        finished.append(snapshot)
        if finished.count > Self.historyLimit { finished.removeFirst() }
    }
}
