import CanonicalJSON
import Cryptography
import Foundation
import TestSupport
import Testing

@testable import DayArchive

@Suite("Connecting and the mirror")
struct MirrorTests {
    @Test("connecting writes private keys and an empty mirror, once")
    func connecting() throws {
        let rig = try ReaderRig(connects: false)
        let connection = try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff(editor: nil))
        #expect(connection.bucket == TestKeys.reading.bucket)
        #expect(connection.files == ["reading-key.json", "mirror.json"])
        for name in connection.files {
            let attributes = try FileManager.default.attributesOfItem(atPath: rig.profile.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(throws: ReaderError.alreadyConnected(profile: rig.profile.path)) {
            try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff(editor: nil))
        }
        #expect(throws: ReaderError.alreadyConnected(profile: rig.profile.path)) {
            try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff(reading: TestKeys.reading2))
        }
        // A handoff with an editor key for the same archive adds that and touches nothing else.
        let added = try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff())
        #expect(added.files == ["editor-key.json"])
        #expect(try rig.profile.editorKey().text == TestKeys.editor.text)
        #expect(throws: ReaderError.alreadyConnected(profile: rig.profile.path)) {
            try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff())
        }
    }

    @Test("an interrupted connecting goes on with the same handoff, and with no other", arguments: [false, true])
    func interruptedConnecting(hasEditor: Bool) throws {
        let rig = try ReaderRig()
        try FileManager.default.removeItem(atPath: rig.profile.path + "/mirror.json")
        if !hasEditor { try FileManager.default.removeItem(atPath: rig.profile.path + "/editor-key.json") }
        #expect(throws: ReaderError.alreadyConnected(profile: rig.profile.path)) {
            try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff(reading: TestKeys.reading2))
        }
        if hasEditor {
            for other in [TestKeys.editor2, nil] {
                #expect(throws: ReaderError.alreadyConnected(profile: rig.profile.path)) {
                    try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff(editor: other))
                }
            }
        }
        let done = try ArchiveReader.connect(rig.profile, handoff: try ReaderRig.handoff())
        #expect(done.files == ["mirror.json"] + (hasEditor ? [] : ["editor-key.json"]))
        #expect(try rig.reader.sync() == .init(copied: 0, mirrored: 0))
    }

    @Test("key files have the published form", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func keyFiles() throws {
        let rig = try ReaderRig()
        let keys = try ArchiveFixtures.read("keys")
        let reading = try JSONParser.parse(
            Array(try Data(contentsOf: URL(fileURLWithPath: rig.profile.path + "/reading-key.json"))))
        #expect(reading["readingPrivate"] == (try keys.at("reading"))["pkcs8_b64u"])
        #expect(reading["readingPublic"] == (try keys.at("reading"))["public_b64u"])
        let editor = try JSONParser.parse(
            Array(try Data(contentsOf: URL(fileURLWithPath: rig.profile.path + "/editor-key.json"))))
        #expect(editor["editorPrivate"] == (try keys.at("editor"))["pkcs8_b64u"])
    }

    @Test("a profile that others can enter is tightened")
    func tightened() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("wide")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let profile = try ReaderProfile(path: path)
        #expect(try profile.folder.status().permissions == 0o700)
    }

    @Test("sync copies what changed, once, in ranges")
    func syncing() throws {
        let rig = try ReaderRig()
        // A week apart, so that 92 days hold fourteen of them; two are left for a second range.
        try rig.uploadRow(from: "2026-01-01", count: 16, step: 7)
        _ = rig.exchange.takeTargets()
        #expect(try rig.reader.sync() == .init(copied: 16, mirrored: 16))
        let targets = rig.exchange.takeTargets()
        #expect(targets.first == "/b/\(rig.service.bucket)/days")
        #expect(
            Set(targets.dropFirst()) == [
                "/b/\(rig.service.bucket)/d?from=2026-01-01&to=2026-04-02",
                "/b/\(rig.service.bucket)/d?from=2026-04-09&to=2026-04-16",
            ])
        #expect(try rig.fileNames().count == 16)
        let lines = String(decoding: try rig.profile.dayLines(try ArchiveDay(text: "2026-01-08")), as: UTF8.self)
        #expect(lines.split(separator: "\n").count == 2)
        #expect(
            lines.hasPrefix(#"{"bucket":"day","end":"2026-01-09T00:00:00Z","id":"agg:steps:2026-01-08T00:00:00Z:d""#))
        #expect(try rig.reader.sync() == .init(copied: 0, mirrored: 16))
        #expect(rig.exchange.takeTargets().count == 1)
        rig.service.clock.advance(seconds: 10)
        try rig.uploadRow(from: "2026-01-29", count: 1)
        _ = rig.exchange.takeTargets()
        #expect(try rig.reader.sync() == .init(copied: 1, mirrored: 16))
        #expect(rig.exchange.takeTargets().last == "/b/\(rig.service.bucket)/d?from=2026-01-29&to=2026-01-29")
    }

    @Test("an interrupted sync keeps what it reached and goes on there")
    func interrupted() throws {
        var limits = ServiceRig.patient
        limits.daysPerRange = 3
        let rig = try ReaderRig(limits: limits)
        try rig.uploadRow(from: "2026-01-01", count: 12)
        // The listing, then answers of three days each; one range is one piece of work, so all or nothing of it is passed on.
        rig.exchange.fail(after: 3)
        #expect(throws: ClientError.self) { try rig.reader.sync() }
        #expect(try rig.profile.mirror().days.isEmpty)
        rig.exchange.fail(after: nil)
        #expect(try rig.reader.sync().mirrored == 12)
        let mirror = try rig.profile.mirror()
        #expect(mirror.days.count == 12)
        #expect(!mirror.syncedAt.isEmpty)
    }

    @Test("a range of ranges that fails keeps the ranges before it")
    func interruptedLater() throws {
        let rig = try ReaderRig()
        // Ten days apart: each day is a range of its own.
        try rig.uploadRow(from: "2024-01-01", count: 9, step: 10)
        rig.exchange.fail(after: 6)
        #expect(throws: ClientError.self) { try rig.reader.sync() }
        let held = try rig.profile.mirror().days
        // Five ranges were answered; those before the first that was not are kept.
        #expect(held.count <= 5)
        #expect(try rig.fileNames() == held.keys.sorted().map { "\($0).ndjson" })
        rig.exchange.fail(after: nil)
        #expect(try rig.reader.sync() == .init(copied: 9 - held.count, mirrored: 9))
    }

    @Test("paging is followed to the end")
    func paging() throws {
        var limits = ServiceRig.patient
        limits.daysPerPage = 7
        limits.daysPerRange = 5
        let rig = try ReaderRig(limits: limits)
        try rig.uploadRow(from: "2026-01-01", count: 23)
        #expect(try rig.reader.sync() == .init(copied: 23, mirrored: 23))
        #expect(try rig.reader.query(EventFilter(metric: "steps")).lines.count == 23)
    }

    @Test("a handoff of another archive reads nothing here")
    func foreignKey() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-01-01", count: 1)
        let foreign = ArchiveClient(
            endpoint: try #require(ServiceEndpoint(ReaderRig.endpoint)), bucket: rig.service.bucket,
            exchange: rig.exchange, clock: rig.reader.clock)
        #expect {
            _ = try foreign.listDays(key: TestKeys.reading2.readKey)
        } throws: { error in
            if case ClientError.refused(_, 403, _, _) = error { true } else { false }
        }
    }

    @Test("a clock that is wrong is corrected by the service's answer")
    func wrongClock() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-01-01", count: 2)
        let clock = rig.service.clock
        let late = ArchiveReader(
            profile: rig.profile, exchange: rig.exchange,
            clock: ServiceClock(local: { clock.now.milliseconds - 7_200_000 }))
        _ = rig.exchange.takeTargets()
        #expect(try late.sync().copied == 2)
        // One refusal, then everything on the service's clock.
        #expect(rig.exchange.takeTargets().count == 3)
    }

    @Test("status counts both sides")
    func status() throws {
        let rig = try ReaderRig()
        try rig.uploadRow(from: "2026-01-01", count: 5)
        _ = try rig.reader.sync(until: try ArchiveDay(text: "2026-01-03"))
        let status = try rig.reader.status()
        #expect(status.archive.days == 5)
        #expect(status.mirrored == 3)
        #expect(status.behind == 2)
        #expect(status.lines.count == 3)
        #expect(status.lines[2] == "Mirror:  3 days, 2026-01-01 to 2026-01-03, 2 behind")
    }

    @Test("a service that hands over other days than asked is not believed")
    func strangeAnswers() throws {
        struct Fixed: ArchiveExchange {
            let answer: ExchangeAnswer
            func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer { answer }
        }
        let frame = DayFrame.encode([try sealedDay("2026-01-05", [2, 1])])
        func client(_ answer: ExchangeAnswer) throws -> ArchiveClient {
            ArchiveClient(
                endpoint: try #require(ServiceEndpoint("http://x")), bucket: TestKeys.reading.bucket,
                exchange: Fixed(answer: answer), clock: ServiceClock())
        }
        let key = TestKeys.reading.readKey
        let day = try ArchiveDay(text: "2026-01-04")
        let outside = try client(ExchangeAnswer(status: 200, body: frame))
        #expect(throws: ClientError.self) { try outside.sealedDays(from: day, to: day, key: key) }
        let looping = try client(ExchangeAnswer(status: 200, headers: ["x-efferent-next": "2026-01-04"]))
        #expect(throws: ClientError.self) { try looping.sealedDays(from: day, to: day, key: key) }
        let missing = try client(ExchangeAnswer(status: 200))
        #expect(throws: ClientError.missingDay(day)) { try missing.fetch([day], readingKey: TestKeys.reading) { _ in } }
        let listing = try client(ExchangeAnswer(status: 200, body: Array(#"{"days":[],"next":"2026-01-01"}"#.utf8)))
        #expect(throws: ClientError.self) { try listing.listDays(key: key) }
    }
}
