import Cryptography
import Foundation

/// How a peer proved itself; carried from the proof to the confirmation, which looks at it again.
public enum PeerCredential: Sendable {
    /// The secret of a trust record. Held, to notice when it was replaced in the meantime.
    case record(SecretBytes)
    /// A provisional secret, of this connection's code pairing or of an earlier one.
    case provisional(UUID)
}

/// The answer to a pairing request, given once what it needs is durable.
public enum AuthenticationVerdict: Sendable {
    /// The peer knows a reconnect secret.
    case trusted(secret: SecretBytes, credential: PeerCredential)
    /// The peer knows the code; `newSecret` was stored as provisional.
    case code(codeKey: SecretBytes, newSecret: SecretBytes, credential: PeerCredential)
    /// Not accepted; the cause is for the log alone.
    case rejected(RejectionCause)
}

/// Why a pairing request was not accepted. The peer is never told.
public enum RejectionCause: Hashable, Sendable {
    /// The code attempt was refused.
    case code(PairingDesk.Refusal)
    /// The installation is not paired, or its secret is another.
    case wrongSecret
    /// No provisional secret more is kept.
    case tooManyProvisionalSecrets
    /// A six-digit pairing may not replace a strong one.
    case holdsStrongRecord
    /// The installation id is our own.
    case ownInstallationID
    /// No place among the waiting peers.
    case noPlace

    /// The stable name, for logs.
    public var code: String {
        switch self {
        case .code(let refusal): refusal.rawValue
        case .wrongSecret: "wrong_secret"
        case .tooManyProvisionalSecrets: "too_many_provisional_secrets"
        case .holdsStrongRecord: "holds_strong_record"
        case .ownInstallationID: "installation_ids_equal"
        case .noPlace: "no_place"
        }
    }
}

/// The answer to a confirmation, given once what it changes is durable.
public enum ConfirmationVerdict: Hashable, Sendable {
    /// The connection may be used.
    case admitted
    /// The connection waits for the person.
    case awaitingApproval
    /// The connection is closed.
    case refused
}

/// A confirmed peer: its hello decrypted and fits its handshake.
public struct PeerConfirmation: Sendable {
    /// Who.
    public let installationID: UUID
    /// The name in its hello, else in its request.
    public let displayName: String
    /// How it proved itself.
    public let credential: PeerCredential
}

/// What all connections of a listener share: the pairing desk, the admission and the trust store.
///
/// Every method decides on this value and says what follows: changes for the database, connections to close.
/// Decide, journal, act: a driver works on a copy, stores the changes in one transaction, and only then adopts the
/// copy and acts. `decide` does exactly that; a driver holds one lock around it. An effect may name a connection that
/// is gone already; that is nothing to do.
public struct ListenerGate: Sendable {
    /// What a decision entails.
    public struct Effects: Sendable {
        /// For the database, in one transaction.
        public var changes: [TrustChange] = []
        /// Connections that end.
        public var closing: [(connection: ConnectionID, reason: ConnectionEnd)] = []
        /// The held connection that was approved.
        public var approved: ConnectionID?
        /// Why the visit of a phone was not noted, for the log: it is known until the process ends.
        public var unstoredNote: (any Error)?

        mutating func close(_ connection: ConnectionID?, _ reason: ConnectionEnd) {
            if let connection { closing.append((connection, reason)) }
        }
    }

    /// Our own installation id.
    public let installationID: UUID
    /// The open pairing and the last ones.
    public private(set) var desk = PairingDesk()
    /// Who is connected.
    public private(set) var admission = PeerAdmission()
    /// Whom we trust.
    public private(set) var trust: TrustStore
    private var addresses: [ConnectionID: PeerAddress] = [:]

    /// A gate without connections, over what the database has.
    public init(installationID: UUID, trust: TrustStore) {
        self.installationID = installationID
        self.trust = trust
    }

    /// Cleans up after an earlier process: six-digit secrets whose pairing ended with it, and dead ones.
    public mutating func start(at now: Moment) -> Effects {
        Effects(changes: dropUnapproved() + trust.dropExpired(at: now))
    }

    /// Decides on a copy, stores what changed, then adopts the copy. When `store` throws, nothing happened, unless it was only to note
    /// the visit of a phone that is trusted already: a full disk does not turn it away.
    public mutating func decide<Result>(
        storing store: ([TrustChange]) throws -> Void, _ decision: (inout ListenerGate) throws -> (Result, Effects)
    ) throws -> (Result, Effects) {
        var copy = self
        var (result, effects) = try decision(&copy)
        if !effects.changes.isEmpty {
            do {
                try store(effects.changes)
            } catch {
                guard effects.changes.allSatisfy(\.isNote) else { throw error }
                effects.unstoredNote = error
            }
        }
        self = copy
        return (result, effects)
    }

    /// When `tick` has something to do, on the monotonic clock.
    public var deadline: Double? { desk.deadline }

    // MARK: Connections

    /// A connection was accepted from this address.
    public mutating func accept(_ connection: ConnectionID, from address: PeerAddress) -> Effects {
        var effects = Effects()
        let evicted = admission.accept(connection)
        addresses[connection] = address
        if let evicted { addresses[evicted] = nil }
        effects.close(evicted, .evicted)
        return effects
    }

    /// A connection is gone, whoever closed it. A pairing that is reserved for it stays reserved.
    public mutating func disconnected(_ connection: ConnectionID) {
        admission.remove(connection)
        addresses[connection] = nil
    }

    /// Checks a pairing request. `newSecret` is what a code pairing is given: 32 random bytes and a fresh id.
    public mutating func authenticate(
        _ request: PairingRequest, connection: ConnectionID, newSecret: SecretBytes, newSecretID: UUID, at now: Moment
    ) -> (AuthenticationVerdict, Effects) {
        var effects = tick(at: now)
        guard request.installationID != installationID else { return (.rejected(.ownInstallationID), effects) }
        let verdict: AuthenticationVerdict
        switch request.proof {
        case .trusted(let proof):
            verdict = reconnect(request, proof: proof, at: now)
        case .code(let proof):
            verdict = pair(
                request, proof: proof, connection: connection, newSecret: newSecret, newSecretID: newSecretID,
                effects: &effects, at: now)
        }
        if case .rejected = verdict { return (verdict, effects) }
        switch admission.prove(connection, installationID: request.installationID) {
        case .admitted(let evicted):
            if let evicted { addresses[evicted] = nil }
            effects.close(evicted, .evicted)
            return (verdict, effects)
        case .refused:
            // Whatever was decided for this connection goes with it.
            effects.changes += trust.dropProvisional { $0.id == newSecretID }
            return (.rejected(.noPlace), effects)
        }
    }

    /// A trusted reconnect: the record's secret, or a provisional one of a strong pairing (extensions.md 2.5).
    /// A six-digit one waits for approval and opens nothing before (2.1).
    private func reconnect(_ request: PairingRequest, proof: [UInt8], at now: Moment) -> AuthenticationVerdict {
        func isProved(by secret: SecretBytes) -> Bool {
            let expected = ManualIPKeys.trustedClientProof(reconnectSecret: secret, client: request.party)
            return constantTimeEquals(expected, proof)
        }
        if let record = trust.records[request.installationID], isProved(by: record.reconnectSecret) {
            return .trusted(secret: record.reconnectSecret, credential: .record(record.reconnectSecret))
        }
        for secret in trust.liveProvisional(at: now)
        where secret.installationID == request.installationID && secret.strength == .strong {
            if isProved(by: secret.secret) {
                return .trusted(secret: secret.secret, credential: .provisional(secret.id))
            }
        }
        return .rejected(.wrongSecret)
    }

    private mutating func pair(
        _ request: PairingRequest, proof: [UInt8], connection: ConnectionID, newSecret: SecretBytes,
        newSecretID: UUID, effects: inout Effects, at now: Moment
    ) -> AuthenticationVerdict {
        guard let address = addresses[connection] else { return .rejected(.noPlace) }
        if desk.open?.strength == .phoneApp, holdsStrongRecord(request.installationID) {
            return .rejected(.holdsStrongRecord)
        }
        switch desk.attempt(proof, request: request, address: address, at: now) {
        case .refused(let refusal):
            // Too many wrong codes end a pairing; its six-digit secrets end with it.
            if desk.open == nil { effects.changes += dropUnapproved() }
            return .rejected(.code(refusal))
        case .accepted(let pairingID, let strength, let codeKey):
            guard trust.hasRoom(for: request.installationID, at: now) else {
                return .rejected(.tooManyProvisionalSecrets)
            }
            effects.changes += trust.add(
                ProvisionalSecret(
                    id: newSecretID, installationID: request.installationID, displayName: request.deviceName,
                    secret: newSecret, strength: strength, pairingID: pairingID, createdAt: now.wall), at: now)
            return .code(codeKey: codeKey, newSecret: newSecret, credential: .provisional(newSecretID))
        }
    }

    /// A peer was confirmed (extensions.md 2.1, 2.5): decides whether its connection may be used.
    public mutating func confirm(
        _ confirmation: PeerConfirmation, connection: ConnectionID, at now: Moment
    ) -> (ConfirmationVerdict, Effects) {
        var effects = tick(at: now)
        switch confirmation.credential {
        case .record(let secret):
            guard let record = trust.records[confirmation.installationID],
                constantTimeEquals(record.reconnectSecret, secret)
            else { return (.refused, effects) }
            guard admit(connection, confirmation.installationID, &effects) else { return (.refused, effects) }
            effects.changes += trust.touch(
                confirmation.installationID, displayName: confirmation.displayName, at: now)
            return (.admitted, effects)
        case .provisional(let id):
            guard let secret = trust.liveProvisional(at: now).first(where: { $0.id == id }),
                secret.installationID == confirmation.installationID, let address = addresses[connection]
            else { return (.refused, effects) }
            let peer = PairingSnapshot.Peer(
                installationID: confirmation.installationID, displayName: confirmation.displayName,
                address: address)
            guard secret.strength == .strong else {
                return (reserve(secret, peer: peer, connection: connection), effects)
            }
            guard admit(connection, confirmation.installationID, &effects) else { return (.refused, effects) }
            effects.changes += promote(secret, peer: peer, at: now)
            return (.admitted, effects)
        }
    }

    private mutating func admit(
        _ connection: ConnectionID, _ installationID: UUID, _ effects: inout Effects
    ) -> Bool {
        switch admission.confirm(connection, installationID: installationID) {
        case .admitted(let older):
            if let older { addresses[older] = nil }
            effects.close(older, .replaced)
            return true
        case .refused:
            return false
        }
    }

    /// The secret becomes the installation's, and the pairing that it came from is used up.
    private mutating func promote(
        _ secret: ProvisionalSecret, peer: PairingSnapshot.Peer, at now: Moment
    ) -> [TrustChange] {
        var changes = trust.promote(secret, displayName: peer.displayName, at: now)
        // Single use: whoever else proved this code gets nothing for it.
        changes += trust.dropProvisional { $0.pairingID == secret.pairingID }
        if desk.open?.id == secret.pairingID { desk.complete(peer: peer) }
        return changes
    }

    private mutating func reserve(
        _ secret: ProvisionalSecret, peer: PairingSnapshot.Peer, connection: ConnectionID
    ) -> ConfirmationVerdict {
        guard desk.isWaiting(secret.pairingID), !holdsStrongRecord(secret.installationID) else { return .refused }
        desk.reserve(PairingDesk.Reservation(provisionalID: secret.id, connection: connection), peer: peer)
        return .awaitingApproval
    }

    private func holdsStrongRecord(_ installationID: UUID) -> Bool {
        trust.records[installationID]?.strength == .strong
    }
}

// MARK: - The person's side

extension ListenerGate {
    /// Opens a pairing (extensions.md 2.1). `code` has `strength.digitCount` digits of secure randomness and is
    /// shown to the person; it is not kept.
    public mutating func openPairing(
        id: UUID, strength: PairingStrength, code: String, lifetime: Double? = nil, at now: Moment
    ) throws(PairingDeskError) -> (PairingSnapshot, Effects) {
        let effects = tick(at: now)
        return (try desk.open(id: id, strength: strength, code: code, lifetime: lifetime, at: now), effects)
    }

    /// Answers the question that a six-digit pairing asks.
    public mutating func answerPairing(
        _ id: UUID, accept: Bool, at now: Moment
    ) throws(PairingDeskError) -> (PairingSnapshot, Effects) {
        var effects = tick(at: now)
        guard desk.pairing(id) != nil else { throw .pairingNotFound }
        guard let open = desk.open, open.id == id, let reservation = desk.reservation, let peer = open.peer else {
            throw .notAwaitingApproval
        }
        let secret = trust.provisional.first { $0.id == reservation.provisionalID }
        guard accept, let secret, !holdsStrongRecord(secret.installationID) else {
            effects.close(reservation.connection, .notApproved)
            desk.fail(.declined)
            effects.changes += dropUnapproved()
            return (snapshot(id), effects)
        }
        effects.changes += promote(secret, peer: peer, at: now)
        if admit(reservation.connection, secret.installationID, &effects) {
            effects.approved = reservation.connection
        } else {
            // Paired all the same: the phone reconnects with its secret.
            effects.close(reservation.connection, .notAdmitted)
        }
        return (snapshot(id), effects)
    }

    /// Closes an open pairing; what it had stored goes too. A pairing that is over stays as it is.
    public mutating func closePairing(
        _ id: UUID, at now: Moment
    ) throws(PairingDeskError) -> (PairingSnapshot, Effects) {
        var effects = tick(at: now)
        guard desk.pairing(id) != nil else { throw .pairingNotFound }
        guard desk.open?.id == id else { return (snapshot(id), effects) }
        effects.close(desk.reservation?.connection, .notApproved)
        desk.fail(.closed)
        effects.changes += trust.dropProvisional { $0.pairingID == id }
        return (snapshot(id), effects)
    }

    /// Forgets an installation and closes its connections.
    public mutating func unpair(_ installationID: UUID) -> Effects {
        var effects = Effects()
        effects.changes = trust.forget(installationID)
        for connection in admission.connections(of: installationID) {
            effects.close(connection, .unpaired)
            disconnected(connection)
        }
        if desk.open?.peer?.installationID == installationID { desk.fail(.closed) }
        return effects
    }

    /// Ends a pairing whose time is over. Every other method does it first by itself.
    public mutating func tick(at now: Moment) -> Effects {
        var effects = Effects()
        guard let deadline = desk.deadline, now.monotonic >= deadline else { return effects }
        effects.close(desk.reservation?.connection, .notApproved)
        desk.expire()
        effects.changes += dropUnapproved()
        return effects
    }

    /// Six-digit secrets live no longer than their pairing is open.
    private mutating func dropUnapproved() -> [TrustChange] {
        trust.dropProvisional { $0.strength == .phoneApp }
    }

    private func snapshot(_ id: UUID) -> PairingSnapshot {
        guard let snapshot = desk.pairing(id) else { preconditionFailure("a pairing was just there") }
        return snapshot
    }
}
