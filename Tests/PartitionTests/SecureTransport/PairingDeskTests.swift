import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// Codes and attempts (extensions.md 2.1, 2.5), through the gate as a driver uses it.
@Suite("Pairing desk")
struct PairingDeskTests {
    private let wrong = TransportRig.code("00000000000000000000")
    private let wrongSix = TransportRig.code("000000")
    private let six = TransportRig.code("123456")

    private func otherAddress(_ number: Int) throws -> PeerAddress {
        try #require(PeerAddress(bytes: [10, 0, UInt8(number >> 8), UInt8(number & 0xff)]))
    }

    @Test("one pairing is open at a time, and ids are remembered when it is over")
    func oneAtATime() throws {
        let rig = TransportRig()
        let first = try rig.openPairing()
        #expect(first.state == .waiting)
        #expect(first.expiresAt == rig.now.unixSeconds + 600)
        #expect(throws: PairingDeskError.pairingInProgress) { try rig.openPairing() }
        let (closed, _) = try rig.gate.closePairing(first.id, at: rig.now)
        #expect(closed.state == .failed && closed.reason == .closed)
        let second = try rig.openPairing(.phoneApp, code: "123456")
        #expect(second.expiresAt == rig.now.unixSeconds + 120)
        #expect(rig.gate.desk.pairing(first.id)?.state == .failed)
        #expect(throws: PairingDeskError.pairingNotFound) { try rig.gate.closePairing(UUID(), at: rig.now) }
    }

    @Test(
        "a pairing lives 10 to 600 seconds, with six digits 10 to 300",
        arguments: [
            (PairingStrength.strong, 9.0, false), (.strong, 10, true), (.strong, 600, true), (.strong, 601, false),
            (.phoneApp, 10, true), (.phoneApp, 300, true), (.phoneApp, 301, false),
        ])
    func lifetimes(strength: PairingStrength, seconds: Double, isAllowed: Bool) throws {
        let rig = TransportRig()
        let code = String(repeating: "1", count: strength.digitCount)
        do {
            let (snapshot, _) = try rig.gate.openPairing(
                id: UUID(), strength: strength, code: code, lifetime: seconds, at: rig.now)
            #expect(isAllowed)
            #expect(snapshot.expiresAt == rig.now.unixSeconds + Int64(seconds))
        } catch {
            #expect(!isAllowed && error.code == "pairing_lifetime_out_of_range")
        }
    }

    @Test("an expired code opens nothing")
    func expiry() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing()
        rig.advance(599.9)
        #expect(rig.dial(TransportRig.code("00000000000000000000")).cause == .code(.wrongCode))
        rig.advance(0.1)
        let late = rig.dial(TransportRig.code())
        #expect(late.cause == .code(.notOpen))
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .expired)
    }

    @Test("a code works for one device")
    func singleUse() throws {
        let rig = TransportRig()
        try rig.openPairing()
        #expect(rig.dial(TransportRig.code(), as: UUID()).listenerSession != nil)
        #expect(rig.dial(TransportRig.code(), as: UUID()).cause == .code(.notOpen))
    }

    @Test("of two devices that proved the code, the first to be confirmed gets the pairing and the other nothing")
    func race() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let (first, second) = (UUID(), UUID())
        // Both prove the code before either says hello.
        rig.alter = { direction, packet in
            direction == .toDialler ? [] : [packet]
        }
        let slow = rig.dial(TransportRig.code(), as: second)
        let fast = rig.dial(TransportRig.code(), as: first)
        #expect(rig.gate.trust.provisional.count == 2)
        rig.alter = nil
        // The responses were lost; play them now from what was sent.
        for packet in fast.sentPackets(.toDialler) { rig.dialler(fast, .received(packet)) }
        rig.run()
        #expect(fast.listenerSession != nil)
        for packet in slow.sentPackets(.toDialler) { rig.dialler(slow, .received(packet)) }
        rig.run()
        #expect(slow.listenerEnd == .notAdmitted)
        #expect(Set(rig.gate.trust.records.keys) == [first])
        #expect(rig.gate.trust.provisional.isEmpty)
    }

    @Test(
        "a wrong code makes its address wait 1 second, doubling to 16; early attempts are neither checked nor counted")
    func backOff() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing()
        for seconds: Double in [1, 2, 4, 8, 16, 16] {
            #expect(rig.dial(wrong).cause == .code(.wrongCode))
            for _ in 0..<30 { #expect(rig.dial(TransportRig.code()).cause == .code(.tooEarly)) }
            rig.advance(seconds - 0.001)
            #expect(rig.dial(TransportRig.code()).cause == .code(.tooEarly))
            rig.advance(0.001)
        }
        // Another address does not wait, and the right code works after the wait.
        #expect(rig.dial(wrong, from: TransportRig.far).cause == .code(.wrongCode))
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .waiting)
        #expect(rig.dial(TransportRig.code()).listenerSession != nil)
    }

    @Test("twenty wrong codes end a strong pairing, five a six-digit one", arguments: PairingStrength.allCases)
    func lockOut(strength: PairingStrength) throws {
        let rig = TransportRig()
        let isStrong = strength == .strong
        let pairing = try rig.openPairing(strength, code: isStrong ? TransportRig.strongCode : "123456")
        let limit = isStrong ? 20 : 5
        for number in 0..<limit {
            #expect(rig.gate.desk.pairing(pairing.id)?.state == .waiting)
            let connection = rig.dial(isStrong ? wrong : wrongSix, from: try otherAddress(number))
            #expect(connection.cause == .code(.wrongCode))
        }
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .failed)
        #expect(rig.gate.desk.pairing(pairing.id)?.reason == .tooManyAttempts)
        #expect(rig.dial(isStrong ? TransportRig.code() : six).cause == .code(.notOpen))
    }

    @Test("trusted reconnects are never delayed by wrong codes")
    func reconnectsAreNotDelayed() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let secret = try #require(rig.dial(TransportRig.code()).confirmed?.reconnectSecret)
        try rig.openPairing()
        #expect(rig.dial(wrong).cause == .code(.wrongCode))
        let credential = DiallerConnection<RigMessage>.Credential.trusted(
            installationID: TransportRig.listenerID, secret: secret)
        #expect(rig.dial(credential).listenerSession != nil)
    }

    // MARK: Six digits

    @Test("a six-digit pairing takes near addresses only, and does not count the others")
    func nearAddresses() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing(.phoneApp, code: "123456")
        for _ in 0..<10 { #expect(rig.dial(wrongSix, from: TransportRig.far).cause == .code(.addressNotNear)) }
        #expect(rig.dial(six, from: TransportRig.far).cause == .code(.addressNotNear))
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .waiting)
    }

    @Test("a six-digit pairing waits for the person; until then its phone gets pongs and nothing else")
    func approval() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing(.phoneApp, code: "123456")
        let connection = rig.dial(six, extensions: nil)
        let snapshot = try #require(rig.gate.desk.pairing(pairing.id))
        #expect(snapshot.state == .awaitingApproval)
        #expect(snapshot.peer?.installationID == ManualIPVectors.clientID)
        #expect(snapshot.peer?.address == TransportRig.near)
        #expect(connection.listenerSession == nil)
        #expect(connection.listenerEnd == nil)
        #expect(rig.gate.trust.records.isEmpty)

        let sent = connection.sentPackets(.toDialler).count
        rig.dialler(connection, .send(Array(#"{"text":"request"}"#.utf8)))
        rig.run()
        #expect(connection.listenerDropped == [.beforeApproval])
        #expect(connection.sentPackets(.toDialler).count == sent)
        rig.dialler(connection, .send(Array(#"{"ping":{}}"#.utf8)))
        rig.run()
        #expect(connection.sentPackets(.toDialler).count == sent + 1)

        // Reserved: nobody else can use the code meanwhile.
        #expect(rig.dial(six, as: UUID()).cause == .code(.notOpen))

        let (answered, effects) = try rig.gate.answerPairing(pairing.id, accept: true, at: rig.now)
        rig.perform(effects)
        #expect(answered.state == .paired)
        #expect(connection.listenerSession?.installationID == ManualIPVectors.clientID)
        #expect(rig.gate.trust.records[ManualIPVectors.clientID]?.strength == .phoneApp)
        #expect(rig.gate.trust.provisional.isEmpty)
        rig.dialler(connection, .send(Array(#"{"text":"now"}"#.utf8)))
        rig.run()
        #expect(connection.listenerReceived == [.text("now")])
    }

    @Test("a yes that overtakes the question on its way to the connection opens it all the same")
    func approvalOvertakes() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing(.phoneApp, code: "123456")
        rig.approvesBeforeVerdict = pairing.id
        let connection = rig.dial(six, extensions: nil)
        #expect(connection.listenerSession?.installationID == ManualIPVectors.clientID)
        rig.dialler(connection, .send(Array(#"{"text":"now"}"#.utf8)))
        rig.run()
        #expect(connection.listenerReceived == [.text("now")])
    }

    @Test("no, closing and expiry delete a six-digit secret and close its connection", arguments: [0, 1, 2])
    func refusal(way: Int) throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing(.phoneApp, code: "123456")
        let connection = rig.dial(six)
        let secret = try #require(connection.provisional?.reconnectSecret)
        #expect(rig.gate.trust.provisional.count == 1)
        switch way {
        case 0: rig.perform(try rig.gate.answerPairing(pairing.id, accept: false, at: rig.now).1)
        case 1: rig.perform(try rig.gate.closePairing(pairing.id, at: rig.now).1)
        default:
            for _ in 0..<12 {
                rig.advance(10)
                rig.tick()
            }
        }
        #expect(connection.listenerEnd == .notApproved)
        #expect(rig.gate.trust.provisional.isEmpty && rig.gate.trust.records.isEmpty)
        let state = rig.gate.desk.pairing(pairing.id)?.state
        #expect(state == (way == 2 ? .expired : .failed))
        let credential = DiallerConnection<RigMessage>.Credential.trusted(
            installationID: TransportRig.listenerID, secret: secret)
        #expect(rig.dial(credential).cause == .wrongSecret)
        #expect(throws: PairingDeskError.notAwaitingApproval) {
            try rig.gate.answerPairing(pairing.id, accept: true, at: rig.now)
        }
    }

    @Test("a six-digit secret opens nothing before the yes, and everything after it, even when its connection is gone")
    func reconnectBeforeApproval() throws {
        let rig = TransportRig()
        let pairing = try rig.openPairing(.phoneApp, code: "123456")
        let connection = rig.dial(six)
        let secret = try #require(connection.provisional?.reconnectSecret)
        rig.listener(connection, .peerClosed)
        let credential = DiallerConnection<RigMessage>.Credential.trusted(
            installationID: TransportRig.listenerID, secret: secret)
        #expect(rig.dial(credential).cause == .wrongSecret)
        rig.perform(try rig.gate.answerPairing(pairing.id, accept: true, at: rig.now).1)
        #expect(rig.dial(credential).listenerSession != nil)
    }

    @Test("an installation that holds a strong record cannot be paired with six digits")
    func strongStaysStrong() throws {
        let rig = TransportRig()
        try rig.openPairing()
        let first = rig.dial(TransportRig.code())
        let pairing = try rig.openPairing(.phoneApp, code: "123456")
        #expect(rig.dial(six).cause == .holdsStrongRecord)
        #expect(rig.gate.desk.pairing(pairing.id)?.state == .waiting)
        #expect(first.listenerEnd == nil)
        #expect(rig.gate.trust.records[ManualIPVectors.clientID]?.strength == .strong)
    }

    @Test("a waiting answer leaves the phone's older trust and connection alone")
    func olderTrustWhileWaiting() throws {
        let rig = TransportRig()
        let first = try rig.openPairing(.phoneApp, code: "123456")
        let old = rig.dial(six)
        rig.perform(try rig.gate.answerPairing(first.id, accept: true, at: rig.now).1)
        let secret = try #require(rig.gate.trust.records[ManualIPVectors.clientID]?.reconnectSecret)
        rig.advance(1)
        let second = try rig.openPairing(.phoneApp, code: "123456")
        let new = rig.dial(six)
        #expect(rig.gate.desk.pairing(second.id)?.state == .awaitingApproval)
        #expect(old.listenerEnd == nil)
        rig.perform(try rig.gate.answerPairing(second.id, accept: false, at: rig.now).1)
        #expect(new.listenerEnd == .notApproved)
        #expect(old.listenerEnd == nil)
        let kept = try #require(rig.gate.trust.records[ManualIPVectors.clientID]?.reconnectSecret)
        #expect(constantTimeEquals(kept, secret))
    }
}

@Suite("Peer addresses")
struct PeerAddressTests {
    private func address(_ words: [UInt16]) throws -> PeerAddress {
        try #require(PeerAddress(bytes: words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }))
    }

    @Test(
        "the near networks end exactly where the page says",
        arguments: [
            ([127, 0, 0, 1], true), ([127, 255, 255, 255], true), ([128, 0, 0, 1], false), ([10, 1, 2, 3], true),
            ([11, 0, 0, 0], false), ([9, 255, 255, 255], false), ([172, 16, 0, 0], true),
            ([172, 31, 255, 255], true), ([172, 32, 0, 0], false), ([172, 15, 255, 255], false),
            ([192, 168, 0, 1], true), ([192, 169, 0, 1], false), ([100, 64, 0, 0], true),
            ([100, 127, 255, 255], true), ([100, 128, 0, 0], false), ([100, 63, 255, 255], false),
            ([169, 254, 9, 9], true), ([169, 253, 9, 9], false), ([8, 8, 8, 8], false), ([0, 0, 0, 0], false),
        ] as [([UInt8], Bool)])
    func version4(bytes: [UInt8], isNear: Bool) throws {
        let plain = try #require(PeerAddress(bytes: bytes))
        #expect(plain.isNear == isNear)
        let mapped = try #require(PeerAddress(bytes: [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + bytes))
        #expect(mapped == plain)
    }

    @Test("version 6: loopback, link-local and unique local addresses are near")
    func version6() throws {
        #expect(try address([0, 0, 0, 0, 0, 0, 0, 1]).isNear)
        #expect(try address([0xfe80, 0, 0, 0, 1, 2, 3, 4]).isNear)
        #expect(try address([0xfebf, 0, 0, 0, 1, 2, 3, 4]).isNear)
        #expect(try address([0xfd12, 0, 0, 0, 1, 2, 3, 4]).isNear)
        #expect(try address([0xfc00, 0, 0, 0, 0, 0, 0, 1]).isNear)
        #expect(!(try address([0xfec0, 0, 0, 0, 0, 0, 0, 1]).isNear))
        #expect(!(try address([0xfe00, 0, 0, 0, 0, 0, 0, 1]).isNear))
        #expect(!(try address([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1]).isNear))
        #expect(!(try address([0, 0, 0, 0, 0, 0, 0, 2]).isNear))
        #expect(!(try address([0, 0, 0, 0, 0, 0, 0, 0]).isNear))
    }

    @Test("addresses print as RFC 5952 has it")
    func printing() throws {
        #expect("\(TransportRig.near)" == "192.168.1.7")
        #expect("\(try address([0x2001, 0xdb8, 0, 0, 1, 0, 0, 1]))" == "2001:db8::1:0:0:1")
        #expect("\(try address([0, 0, 0, 0, 0, 0, 0, 1]))" == "::1")
        #expect("\(try address([0x2001, 0xdb8, 0, 1, 1, 1, 1, 1]))" == "2001:db8:0:1:1:1:1:1")
        #expect("\(try address([0xfe80, 0, 0, 0, 0, 0, 0, 0]))" == "fe80::")
        #expect("\(try address([0, 0, 0, 0, 0, 0, 0, 0]))" == "::")
        #expect(PeerAddress(bytes: [1, 2, 3]) == nil)
    }
}
