import CanonicalJSON
import Foundation
import Testing

@testable import HealthRecords

@Suite struct CalendarZoneTests {
    private func zone(_ name: String) throws -> CalendarZone { try #require(CalendarZone(identifier: name)) }

    private func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    private func hours(_ zone: CalendarZone, _ day: String) throws -> Double {
        let interval = zone.dayInterval(try date(day))
        return (interval.end.secondsSince1970 - interval.start.secondsSince1970) / 3_600
    }

    @Test("names that are no place in the database are refused")
    func refusedNames() {
        for name in ["", "Nope/Zone", "GMT+5", "../etc/passwd", "Europe/Berlin ", "+01:00", "EST5EDT,M3.2.0"] {
            #expect(CalendarZone(identifier: name) == nil, "\(name)")
        }
        #expect(CalendarZone(identifier: "Europe/Berlin")?.identifier == "Europe/Berlin")
        #expect(CalendarZone(identifier: "UTC")?.identifier == "UTC")
    }

    @Test("a day lasts 23 hours when the clock is set forward and 25 when it is set back")
    func dayLengths() throws {
        let berlin = try zone("Europe/Berlin")
        #expect(try hours(berlin, "2026-03-29") == 23)
        #expect(try hours(berlin, "2026-10-25") == 25)
        #expect(try hours(berlin, "2026-04-15") == 24)
        #expect(try hours(zone("Australia/Lord_Howe"), "2026-04-05") == 24.5)
        #expect(try hours(zone("Asia/Kathmandu"), "1986-01-01") == 23.75)
    }

    @Test("a day begins at the first instant of its label where midnight does not exist")
    func skippedMidnight() throws {
        let saoPaulo = try zone("America/Sao_Paulo")
        // 2018-11-04 00:00 became 01:00, which is 03:00 UTC.
        let interval = saoPaulo.dayInterval(try date("2018-11-04"))
        #expect(interval.start.secondsSince1970 == 1_541_300_400)
        #expect(try hours(saoPaulo, "2018-11-04") == 23)
        #expect(saoPaulo.civilDate(at: interval.start)?.description == "2018-11-04")
        #expect(saoPaulo.civilDate(at: Instant(secondsSince1970: 1_541_300_399))?.description == "2018-11-03")
        // The clock that is set back at midnight makes the day before it long.
        #expect(try hours(saoPaulo, "2018-02-17") == 25)
    }

    @Test("a day that a zone skips is empty and owns no instant")
    func skippedDay() throws {
        let apia = try zone("Pacific/Apia")
        #expect(try hours(apia, "2011-12-30") == 0)
        #expect(!apia.exists(try date("2011-12-30")))
        let end = apia.dayInterval(try date("2011-12-29")).end
        #expect(end == apia.dayInterval(try date("2011-12-31")).start)
        #expect(apia.civilDate(at: end)?.description == "2011-12-31")
        #expect(apia.civilDate(at: Instant(secondsSince1970: end.secondsSince1970 - 1))?.description == "2011-12-29")
    }

    @Test("the minutes that repeat yesterday's label after midnight belong to the day that has begun")
    func repeatedMidnight() throws {
        let stJohns = try zone("America/St_Johns")
        // 2010-11-07 00:01 was set back to 2010-11-06 23:01.
        let interval = stJohns.dayInterval(try date("2010-11-07"))
        let repeated = Instant(secondsSince1970: interval.start.secondsSince1970 + 600)
        #expect(stJohns.civilDate(at: repeated)?.description == "2010-11-07")
        #expect(try hours(stJohns, "2010-11-07") == 25)
    }

    @Test("noon is twelve o'clock on the wall, whatever the length of the morning")
    func noon() throws {
        let berlin = try zone("Europe/Berlin")
        let day = try date("2026-03-29")
        let start = berlin.dayInterval(day).start.secondsSince1970
        #expect(berlin.noon(day).secondsSince1970 - start == 11 * 3_600)
        let autumn = try date("2026-10-25")
        #expect(berlin.noon(autumn).secondsSince1970 - berlin.dayInterval(autumn).start.secondsSince1970 == 13 * 3_600)
    }

    @Test("days follow each other without gap or overlap, and each instant has the day whose interval holds it")
    func daysTile() throws {
        for name in [
            "Europe/Berlin", "America/New_York", "America/St_Johns", "Pacific/Apia", "Pacific/Kiritimati",
            "Asia/Kathmandu", "Africa/Casablanca", "America/Havana", "Asia/Gaza", "Antarctica/Troll", "UTC",
        ] {
            let zone = try zone(name)
            for day in stride(from: -3_000, through: 24_000, by: 1) {
                let start = zone.startSecond(ofDay: day)
                let end = zone.startSecond(ofDay: day + 1)
                try #require(start <= end, "\(name) \(day)")
                guard start < end else { continue }
                for second in [start, (start + end) / 2, end - 1] {
                    try #require(zone.dayNumber(atSecond: second) == day, "\(name) \(day) \(second)")
                }
            }
        }
    }

    @Test("the table agrees with Foundation's calendar")
    func agreesWithFoundation() throws {
        for name in ["Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Africa/Casablanca", "America/Sao_Paulo"] {
            let zone = try zone(name)
            let foundation = try #require(TimeZone(identifier: name))
            for second in stride(from: -2_000_000_000, to: 4_000_000_000, by: 7_654_321) {
                let expected = foundation.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
                #expect(zone.offset(atSecond: second) == expected, "\(name) \(second)")
            }
        }
    }
}
