import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import TestSupport
import Testing

@testable import Sender

@Suite("Phone store")
struct PhoneStoreTests {
    private let temporary: TemporaryFolder
    private let store: PhoneStore

    init() throws {
        temporary = try TemporaryFolder()
        store = try PhoneStore(folder: try Directory.openRoot(temporary.path).createDirectory("phone"))
    }

    private func again() throws -> PhoneStore {
        try PhoneStore(folder: try Directory.openRoot(temporary.path).createDirectory("phone"))
    }

    private func listener(_ name: String) -> SavedListener {
        SavedListener(
            installationID: UUID(), displayName: name, host: "nas.local", port: 17_646,
            reconnectSecret: SecretBytes.random(count: 32), pairedAt: 700_000_000.125)
    }

    @Test("the installation's identity is made once")
    func identity() throws {
        let now = ProtocolDate(secondsSince2001: 1)
        let first = try store.installationID(now: now)
        #expect(try store.installationID(now: now) == first)
        #expect(try again().installationID(now: now) == first)
    }

    @Test("trust is kept with its secrets; a provisional workstation does not replace the trusted one")
    func trust() throws {
        let first = listener("Desk")
        let second = listener("Other")
        var trust = DiallerTrust()
        _ = trust.confirm(first)
        trust.keepProvisional(second)
        try store.setTrust(trust)
        let read = try again().trust()
        #expect(read.trusted?.installationID == first.installationID)
        #expect(read.trusted?.pairedAt == 700_000_000.125)
        #expect(read.provisional?.displayName == "Other")
        let secret = try #require(read.trusted?.reconnectSecret)
        #expect(constantTimeEquals(secret, first.reconnectSecret))
        trust.forget()
        try store.setTrust(trust)
        #expect(try again().trust().trusted == nil)
    }

    @Test("pushes are kept in the order in which they were queued")
    func pushes() throws {
        let pushes = (1...3).map { number in
            QueuedPush(
                jobID: UUID(), firstDay: "2026-01-0\(number)", lastDay: "2026-01-09",
                queuedAt: ProtocolDate(secondsSince2001: Double(10 - number)))
        }
        for push in pushes { try store.queuePush(push) }
        try store.removePush(pushes[1].jobID)
        #expect(try again().queuedPushes() == [pushes[0], pushes[2]])
    }

    @Test("another connection's push is noticed")
    func noticed() throws {
        let other = try again()
        let before = try store.dataVersion()
        try other.queuePush(
            QueuedPush(
                jobID: UUID(), firstDay: "2026-01-01", lastDay: "2026-01-01",
                queuedAt: ProtocolDate(secondsSince2001: 0)))
        #expect(try store.dataVersion() != before)
    }

    @Test("database, items and folders are private whatever the umask")
    func modes() throws {
        for name in ["phone", "phone/items"] {
            #expect(try mode(name) == 0o700)
        }
        #expect(try mode("phone/phone.sqlite") == 0o600)
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.appending(name))
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }
}
