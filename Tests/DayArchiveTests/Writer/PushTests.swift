import CanonicalJSON
import Cryptography
import DurableStore
import Foundation
import HealthExport
import HealthRecords
import TestSupport
import Testing

@testable import DayArchive

@Suite("Sending days")
struct PushTests {
    @Test("setting up makes private keys once, claims with the token, and registers both keys")
    func settingUp() throws {
        let rig = try WriterRig()
        let writer = try rig.writer()
        #expect(throws: WriterError.notSetUp) { try writer.status() }
        #expect {
            try writer.setUp(url: WriterRig.endpoint, claimToken: "wrong")
        } throws: { error in
            if case ClientError.refused(_, 403, _, _) = error { true } else { false }
        }
        _ = rig.exchange.take()
        let made = try writer.setUp(url: WriterRig.endpoint + "/", claimToken: "secret")
        #expect(made.isNew && !made.madeKeys)
        let base = "PUT /b/\(made.bucket)"
        #expect(rig.exchange.take() == [base, "\(base)/editor", "\(base)/reader"])
        // In the same second it would be the very same request, which gets the same answer.
        rig.clock.advance(seconds: 1)
        let again = try writer.setUp(url: WriterRig.endpoint)
        #expect(again == .init(bucket: made.bucket, endpoint: made.endpoint, madeKeys: false, isNew: false))
        #expect(rig.exchange.take() == [base])
        for name in ["reading-key.json", "writer-key.json", "editor-key.json", "writer.sqlite"] {
            let status = try #require(try rig.directory.status(of: name))
            #expect(status.permissions == 0o600)
        }
        #expect(throws: StoreError.self) { try rig.writer() }
    }

    @Test("every day from the first is sent, a month a request; unchanged days never leave again")
    func pushing() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-08-01")
        try rig.days.addSteps(20, on: "2026-10-10")
        let writer = try rig.readyWriter()
        _ = rig.exchange.take()
        let first = try writer.push()
        #expect(first == .init(lookedAt: 71, unchanged: 0, sent: 71, refused: 0, missing: 71, stopped: nil))
        #expect(rig.exchange.take().filter { $0.hasPrefix("PUT") }.count == 3)
        let second = try writer.push()
        #expect(second == .init(lookedAt: 7, unchanged: 7, sent: 0, refused: 0, missing: nil, stopped: nil))
        #expect(rig.exchange.take() == [])
        try rig.days.addSteps(5, on: "2026-10-09")
        let third = try writer.push()
        #expect(third.sent == 1)
        let reader = try rig.reader(of: writer)
        #expect(try reader.sync().copied == 71)
        let events = try reader.query(EventFilter(metric: "steps", bucket: "day"))
        #expect(events.lines.count == 3)
        #expect(try reader.profile.dayLines(try ArchiveDay(text: "2026-08-02")) == [])
        #expect(try writer.status().owedDays == 0)
    }

    @Test("a new import owes every day, and digests keep what did not change at home")
    func newGeneration() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-09-01")
        let writer = try rig.readyWriter()
        _ = try writer.push()
        try rig.days.addSteps(1, on: "2026-09-05")
        #expect(try writer.push().sent == 0)
        rig.days.state.withLock { $0.generation = 2 }
        let report = try writer.push()
        #expect(report.lookedAt == 40)
        #expect(report.sent == 1)
    }

    @Test("a day that the archive lost goes again with the daily check, which a broken listing does not stand for")
    func dailyCheck() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-10-01")
        let writer = try rig.readyWriter()
        _ = try writer.push()
        // The service forgets a day, and holds another with other bytes.
        let lost = try ArchiveDay(text: "2026-10-02")
        try rig.storage.dropDayForTest(writer.keys().reading.bucket, lost)
        rig.clock.advance(seconds: 86_400)
        rig.exchange.refuse { method, target in method == "GET" && target.contains("/days") ? 0 : nil }
        let blind = try writer.push()
        #expect(blind.missing == nil)
        #expect(blind.sent == 1)
        rig.exchange.refuse(nil)
        let checked = try writer.push()
        #expect(checked.missing == 1)
        #expect(checked.sent == 1)
        #expect(try rig.storage.day(writer.keys().reading.bucket, lost) != nil)
    }

    @Test("a day refused five times is set aside until the daily check")
    func setAside() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-10-10")
        let writer = try rig.readyWriter()
        rig.exchange.refuse { method, target in method == "PUT" && target.hasSuffix("/days") ? 400 : nil }
        for _ in 0..<5 { #expect(try writer.push().refused == 1) }
        #expect(try writer.push() == .init(lookedAt: 0))
        #expect(try writer.status().setAsideDays == 1)
        rig.exchange.refuse(nil)
        rig.clock.advance(seconds: 86_400)
        #expect(try writer.push().sent == 2)
        #expect(try writer.status().setAsideDays == 0)
    }

    @Test("a day that the service refuses does not keep back the days that travel with it")
    func oneHeavyDay() throws {
        var limits = ServiceRig.patient
        limits.dayByteCount = 4_000
        limits.daysPerUpload = 10
        let rig = try WriterRig(limits: limits)
        try rig.days.addSteps(10, on: "2026-09-01")
        rig.days.addHeartRates(3_000, on: try #require(CivilDate("2026-09-20")))
        let writer = try rig.readyWriter()
        let report = try writer.push()
        #expect(report.stopped == nil)
        #expect(report.sent == 39 && report.refused == 1)
        #expect(try writer.status().owedDays == 1)
    }

    @Test("without now, the moment of the refusal tells the service's clock")
    func dateHeader() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-10-10")
        _ = try rig.readyWriter()
        // A day off: the service's refusal, with a date instead of now.
        let seconds = rig.clock.now.seconds
        rig.exchange.change { _, answer in
            guard answer.status == 400 else { return answer }
            return ExchangeAnswer(
                status: 400, headers: ["date": HTTPDate.text(seconds)], body: Array(#"{"error":"late"}"#.utf8))
        }
        let writer = try rig.writer(clockOffset: -86_400_000)
        #expect(try writer.push().stopped == nil)
        #expect(HTTPDate.seconds(HTTPDate.text(1_791_633_600)) == 1_791_633_600)
        for text in ["", "Sat, 10 Oct 2026 12:00:17 CET", "Sat, 10 Okt 2026 12:00:17 GMT", "Sat, 1 Oct 2026 12:00 GMT"]
        {
            #expect(HTTPDate.seconds(text) == nil)
        }
    }

    @Test(
        "trouble of the service stops a push and leaves its days owed",
        arguments: [0, 429, 502, 507, 403])
    func trouble(status: Int) throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-10-08")
        let writer = try rig.readyWriter()
        rig.exchange.refuse { method, target in method == "PUT" && target.hasSuffix("/days") ? status : nil }
        let report = try writer.push()
        #expect(report.stopped != nil)
        #expect(report.sent == 0)
        #expect(try writer.status().owedDays == 3)
        #expect(try writer.status().setAsideDays == 0)
        rig.exchange.refuse(nil)
        #expect(try writer.push().sent == 3)
    }

    @Test("only the days that the service names are clean")
    func partly() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-10-08")
        let writer = try rig.readyWriter()
        rig.exchange.change { target, answer in
            guard target.hasSuffix("/days") else { return answer }
            return ExchangeAnswer(status: 200, body: Array(#"{"stored":["2026-10-09"],"bytes":1}"#.utf8))
        }
        #expect(try writer.push().sent == 1)
        #expect(try writer.status().owedDays == 2)
    }

    @Test("a writer whose clock is off signs on the service's clock")
    func clock() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-10-09")
        let writer = try rig.writer(clockOffset: -3_600_000)
        _ = try writer.setUp(url: WriterRig.endpoint, claimToken: "secret")
        #expect(try writer.push().sent == 2)
    }

    @Test("another service is owed everything")
    func moving() throws {
        let rig = try WriterRig()
        try rig.days.addSteps(10, on: "2026-10-08")
        let writer = try rig.readyWriter()
        _ = try writer.push()
        #expect(try writer.status().owedDays == 0)
        try writer.ledger.changeEndpoint("http://other.test")
        #expect(try writer.status().owedDays == 3)
    }

    @Test("a whole way: export, day store, writer, service, reader")
    func wholeWay() throws {
        let rig = try WriterRig()
        let export = rig.folder.appending("export.xml")
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <HealthData locale="en_US">
             <ExportDate value="2026-10-10 12:00:00 +0000"/>
             <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" creationDate="2026-10-09 10:00:00 +0000" startDate="2026-10-09 09:00:00 +0000" endDate="2026-10-09 09:05:00 +0000" value="321"/>
             <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" creationDate="2026-10-09 10:00:00 +0000" startDate="2026-10-09 09:01:00 +0000" endDate="2026-10-09 09:01:00 +0000" value="61"/>
            </HealthData>
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: export))
        let store = try DayStore.open(in: try Directory.openRoot(rig.folder.appending("phone"), creating: true))
        _ = try store.importExport(
            paths: [export], timeZone: "UTC", now: Instant(secondsSince1970: Double(rig.clock.now.seconds)))
        let clock = rig.clock
        let writer = try ArchiveWriter(
            folder: rig.directory, source: StoredDays(store), exchange: rig.exchange,
            clock: ServiceClock(local: { clock.now.milliseconds }))
        _ = try writer.setUp(url: WriterRig.endpoint, claimToken: "secret")
        #expect(try writer.push().sent == 2)
        let reader = try rig.reader(of: writer)
        let daily = try reader.call("phone_data_daily", ["metrics": ["steps"]])
        #expect(daily["rows"] == [["2026-10-09", 321], ["2026-10-10", nil]])
        let written = try reader.call(
            "phone_data_write",
            [
                "items": [
                    [
                        "op": "put", "id": "w", "metric": "bodyMass", "start": 1_791_550_000, "end": 1_791_550_000,
                        "value": 70, "unit": "kg",
                    ]
                ]
            ])
        #expect(written["items"] == 1)
        #expect(try writer.applyEdits().answered.first?.outcome == EditOutcome(applied: 1, failed: []))
        #expect(try writer.push().sent == 1)
        rig.clock.advance(seconds: 400)
        let mass = try reader.call("phone_data_samples", ["metric": "bodyMass"])
        #expect(mass["matched"] == 1)
        let name = try EditName(text: try #require(written["name"]?.string))
        #expect(try writer.undo(name) == 1)
        #expect(try writer.push().sent == 1)
        rig.clock.advance(seconds: 400)
        #expect(try reader.call("phone_data_samples", ["metric": "bodyMass"])["matched"] == 0)
    }
}

extension LocalStorage {
    /// Loses a day, as a disk might.
    func dropDayForTest(_ bucket: BucketID, _ day: ArchiveDay) throws {
        try read { connection in
            try connection.run(
                "DELETE FROM days WHERE bucket = ? AND day = ?", .text(bucket.text), .text(day.description))
            try connection.run("COMMIT")
        }
    }
}
