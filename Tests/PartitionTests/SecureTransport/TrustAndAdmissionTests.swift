import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// Provisional secrets and promotion (extensions.md 2.5).
@Suite("Trust")
struct TrustTests {
    private func trusted(_ secret: SecretBytes) -> DiallerConnection<RigMessage>.Credential {
        .trusted(installationID: TransportRig.listenerID, secret: secret)
    }

    /// Pairs, but the dialler's hello never arrives.
    private func pairWithoutHello(
        _ rig: TransportRig, as id: UUID = ManualIPVectors.clientID
    ) -> TransportRig.Connection {
        var packets = 0
        rig.alter = { direction, packet in
            if direction == .toListener { packets += 1 }
            return direction == .toListener && packets == 2 ? [] : [packet]
        }
        let connection = rig.dial(TransportRig.code(), as: id)
        rig.alter = nil
        rig.listener(connection, .peerClosed)
        return connection
    }

    @Test("without a hello a pairing stays provisional; a later reconnect with the new secret completes it")
    func provisionalReconnect() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing()
        let lost = pairWithoutHello(rig)
        let secret = try #require(lost.provisional?.reconnectSecret)
        #expect(rig.gate.trust.records.isEmpty)
        #expect(rig.gate.trust.provisional.count == 1)
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .waiting)

        let later = rig.dial(trusted(secret))
        #expect(later.listenerSession != nil)
        #expect(rig.gate.trust.provisional.isEmpty)
        #expect(rig.gate.trust.records[ManualIPVectors.clientID]?.strength == .strong)
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .paired)
    }

    @Test("the old secret stays valid until the new one is confirmed, and not a moment longer")
    func rotation() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let old = try #require(rig.dial(TransportRig.code()).confirmed?.reconnectSecret)
        let pairedAt = rig.gate.trust.records[ManualIPVectors.clientID]?.pairedAt
        rig.advance(100)
        try rig.openPairing()
        let new = try #require(pairWithoutHello(rig).provisional?.reconnectSecret)
        #expect(rig.dial(trusted(old)).listenerSession != nil)
        #expect(rig.dial(trusted(new)).listenerSession != nil)
        #expect(rig.dial(trusted(old)).cause == .wrongSecret)
        #expect(rig.dial(trusted(new)).listenerSession != nil)
        #expect(rig.gate.trust.records[ManualIPVectors.clientID]?.pairedAt == pairedAt)
    }

    @Test("a provisional secret dies after a day")
    func provisionalExpiry() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let secret = try #require(pairWithoutHello(rig).provisional?.reconnectSecret)
        rig.advance(24 * 3_600 - 1)
        let early = rig.accept()
        #expect(early.listenerEnd == nil)
        #expect(!rig.gate.trust.liveProvisional(at: rig.now).isEmpty)
        rig.advance(1)
        #expect(rig.dial(trusted(secret)).cause == .wrongSecret)
    }

    @Test("four provisional secrets of one installation and sixteen in all are kept; one more is refused, none evicted")
    func provisionalLimits() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let secrets = (0..<4).compactMap { _ in pairWithoutHello(rig).provisional?.reconnectSecret }
        #expect(secrets.count == 4)
        #expect(pairWithoutHello(rig).cause == .tooManyProvisionalSecrets)
        for _ in 0..<12 { #expect(pairWithoutHello(rig, as: UUID()).cause == nil) }
        #expect(pairWithoutHello(rig, as: UUID()).cause == .tooManyProvisionalSecrets)
        #expect(rig.gate.trust.provisional.count == 16)
        #expect(rig.dial(trusted(secrets[0])).listenerSession != nil)
    }

    @Test("unpair deletes record and provisional secrets and closes the connection")
    func unpair() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let connection = rig.dial(TransportRig.code())
        let secret = try #require(connection.confirmed?.reconnectSecret)
        try rig.openPairing()
        let provisional = try #require(pairWithoutHello(rig).provisional?.reconnectSecret)
        rig.perform(rig.gate.unpair(ManualIPVectors.clientID))
        #expect(connection.listenerEnd == .unpaired)
        #expect(rig.gate.trust.records.isEmpty && rig.gate.trust.provisional.isEmpty)
        #expect(rig.dial(trusted(secret)).cause == .wrongSecret)
        #expect(rig.dial(trusted(provisional)).cause == .wrongSecret)
    }

    @Test("a peer that is unpaired between proof and hello is not admitted")
    func unpairedInBetween() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let secret = try #require(rig.dial(TransportRig.code()).confirmed?.reconnectSecret)
        rig.alter = { direction, packet in
            guard direction == .toDialler else { return [packet] }
            _ = rig.gate.unpair(ManualIPVectors.clientID)
            return [packet]
        }
        let connection = rig.dial(trusted(secret))
        #expect(connection.listenerEnd == .notAdmitted)
        #expect(rig.gate.trust.records.isEmpty)
    }

    @Test("when a promotion cannot be stored, nothing changes and the connection ends")
    func promotionStoreFailure() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing()
        rig.alter = { direction, packet in
            if direction == .toDialler { rig.storeFails = true }
            return [packet]
        }
        let connection = rig.dial(TransportRig.code())
        #expect(connection.listenerEnd == .storeFailed)
        #expect(rig.gate.trust.records.isEmpty)
        #expect(rig.gate.trust.provisional.count == 1)
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .waiting)
    }

    @Test("a trusted phone is let in although its visit cannot be noted")
    func unnotedVisit() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let secret = try #require(rig.dial(TransportRig.code()).confirmed?.reconnectSecret)
        rig.storeFails = true
        let later = rig.dial(trusted(secret))
        #expect(later.listenerSession != nil && later.listenerEnd == nil)
    }

    @Test("the changes that the gate hands out rebuild its store")
    func changesRebuildTheStore() throws {
        let rig = TransportRig()
        try rig.openPairing()
        _ = pairWithoutHello(rig, as: UUID())
        _ = pairWithoutHello(rig)
        let connection = rig.dial(TransportRig.code())
        let secret = try #require(connection.confirmed?.reconnectSecret)
        rig.advance(5)
        _ = rig.dial(trusted(secret))
        var records: [UUID: TrustRecord] = [:]
        var provisional: [UUID: ProvisionalSecret] = [:]
        for change in rig.stored {
            switch change {
            case .addProvisional(let secret): provisional[secret.id] = secret
            case .removeProvisional(let ids): ids.forEach { provisional[$0] = nil }
            case .setRecord(let record): records[record.installationID] = record
            case .touchRecord(let id, let name, let time):
                records[id]?.displayName = name
                records[id]?.lastConnectedAt = time
            case .removeRecord(let id): records[id] = nil
            }
        }
        #expect(Set(provisional.keys) == Set(rig.gate.trust.provisional.map(\.id)))
        #expect(Set(records.keys) == Set(rig.gate.trust.records.keys))
        let kept = try #require(records[ManualIPVectors.clientID])
        #expect(kept.lastConnectedAt == rig.now.wall)

        // A new process starts from them.
        let next = TransportRig(
            trust: TrustStore(records: Array(records.values), provisional: Array(provisional.values)))
        next.now = rig.now
        #expect(next.dial(trusted(secret)).listenerSession != nil)
    }

    @Test("a six-digit secret that outlived its process is deleted at the next start")
    func leftovers() throws {
        let rig = TransportRig()
        try rig.openPairing(.phoneApp, code: "123456")
        _ = rig.dial(TransportRig.code("123456"))
        let next = TransportRig(trust: TrustStore(provisional: rig.gate.trust.provisional))
        #expect(!next.gate.start(at: rig.now).changes.isEmpty)
        #expect(next.gate.trust.provisional.isEmpty)
    }

    @Test("a dialler tries a new secret before the old one, and keeps the old one until the new hello")
    func diallerTrust() throws {
        func listener(_ secret: UInt8, at time: Double) -> SavedListener {
            SavedListener(
                installationID: UUID(), displayName: "x", host: "h", port: 17_646,
                reconnectSecret: SecretBytes(copying: [UInt8](repeating: secret, count: 32)), pairedAt: time)
        }
        let now = Moment(wall: 1_000, monotonic: 0)
        var trust = DiallerTrust(trusted: listener(1, at: 0))
        trust.keepProvisional(listener(2, at: 1_000))
        #expect(trust.candidates(at: now).map { $0.reconnectSecret.copyBytes()[0] } == [2, 1])
        let isChanged = trust.confirm(listener(2, at: 1_000))
        #expect(isChanged)
        #expect(trust.candidates(at: now).map { $0.reconnectSecret.copyBytes()[0] } == [2])
        let isChangedAgain = trust.confirm(listener(2, at: 9_999))
        #expect(!isChangedAgain)
        #expect(trust.trusted?.pairedAt == 1_000)
        trust.keepProvisional(listener(3, at: 1_000))
        let later = Moment(wall: 1_000 + 24 * 3_600, monotonic: 0)
        #expect(trust.candidates(at: later).map { $0.reconnectSecret.copyBytes()[0] } == [2])
    }

    @Test("the waits between attempts double from 250 ms to 30 s and start anew after success")
    func backOff() {
        var backOff = ReconnectBackOff()
        let waits = (0..<9).map { _ in backOff.failed() }
        #expect(waits == [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30])
        backOff.succeeded()
        #expect(backOff.failed() == 0.25)
    }
}

/// Who may be connected at once (extensions.md 2.2, 2.3).
@Suite("Admission")
struct PeerAdmissionTests {
    private func id(_ number: Int) -> ConnectionID { ConnectionID(UInt64(number)) }

    @Test("a seventeenth waiting peer evicts the oldest")
    func waiting() {
        let rig = TransportRig()
        let connections = (0..<17).map { _ in rig.accept() }
        #expect(connections[0].listenerEnd == .evicted)
        #expect(connections.dropFirst().allSatisfy { $0.listenerEnd == nil })
        #expect(rig.gate.admission.count == 16)
    }

    @Test("proved peers wait in places of their own: strangers cannot push them out")
    func strangers() {
        var admission = PeerAdmission()
        let phone = UUID()
        #expect(admission.accept(id(0)) == nil)
        #expect(admission.prove(id(0), installationID: phone) == .admitted(closing: nil))
        for number in 1...100 { _ = admission.accept(id(number)) }
        #expect(admission.count == 17)
        #expect(admission.confirm(id(0), installationID: phone) == .admitted(closing: nil))
    }

    @Test("an installation has two places with a proof; a third takes the oldest's")
    func perInstallation() {
        var admission = PeerAdmission()
        let phone = UUID()
        for number in 0..<3 { _ = admission.accept(id(number)) }
        #expect(admission.prove(id(0), installationID: phone) == .admitted(closing: nil))
        #expect(admission.prove(id(1), installationID: phone) == .admitted(closing: nil))
        #expect(admission.prove(id(2), installationID: phone) == .admitted(closing: id(0)))
        #expect(admission.connections(of: phone) == [id(1), id(2)])
    }

    @Test("when all sixteen places are taken a newcomer is refused, unless it can take its own installation's")
    func provedPlaces() {
        var admission = PeerAdmission()
        let phones = (0..<16).map { _ in UUID() }
        for (number, phone) in phones.enumerated() {
            _ = admission.accept(id(number))
            #expect(admission.prove(id(number), installationID: phone) == .admitted(closing: nil))
        }
        _ = admission.accept(id(100))
        #expect(admission.prove(id(100), installationID: UUID()) == .refused)
        #expect(admission.prove(id(100), installationID: phones[3]) == .admitted(closing: id(3)))
    }

    @Test("a ninth installation is refused; a newer connection of one of the eight replaces the older")
    func installations() {
        var admission = PeerAdmission()
        func connect(_ number: Int, _ phone: UUID) -> PeerAdmission.Outcome {
            _ = admission.accept(id(number))
            _ = admission.prove(id(number), installationID: phone)
            return admission.confirm(id(number), installationID: phone)
        }
        let phones = (0..<8).map { _ in UUID() }
        for (number, phone) in phones.enumerated() { #expect(connect(number, phone) == .admitted(closing: nil)) }
        #expect(connect(8, UUID()) == .refused)
        let count = admission.count
        #expect(connect(9, phones[5]) == .admitted(closing: id(5)))
        #expect(admission.count == count)
        #expect(admission.connections(of: phones[5]) == [id(9)])
        #expect(admission.confirmedInstallations == Set(phones))
        admission.remove(id(0))
        #expect(connect(10, UUID()) == .admitted(closing: nil))
    }

    @Test("nothing is confirmed that did not prove itself, or proved another installation")
    func confirmationNeedsProof() {
        var admission = PeerAdmission()
        _ = admission.accept(id(0))
        let phone = UUID()
        #expect(admission.confirm(id(0), installationID: phone) == .refused)
        _ = admission.prove(id(0), installationID: phone)
        #expect(admission.confirm(id(0), installationID: UUID()) == .refused)
        #expect(admission.prove(id(7), installationID: phone) == .refused)
    }

    @Test("a newly confirmed connection closes the older one of its installation, and no other")
    func replacement() throws {
        let rig = TransportRig()
        let (phone, other) = (UUID(), UUID())
        try rig.openPairing()
        let first = rig.dial(TransportRig.code(), as: phone)
        try rig.openPairing()
        let bystander = rig.dial(TransportRig.code(), as: other)
        let secret = try #require(first.confirmed?.reconnectSecret)
        let second = rig.dial(.trusted(installationID: TransportRig.listenerID, secret: secret), as: phone)
        #expect(first.listenerEnd == .replaced)
        #expect(second.listenerEnd == nil)
        #expect(bystander.listenerEnd == nil)
    }
}
