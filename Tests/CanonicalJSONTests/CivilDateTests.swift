import Testing

@testable import CanonicalJSON

@Suite("Dates")
struct CivilDateTests {
    @Test("days and dates convert both ways over four centuries and at the ends")
    func roundTrips() throws {
        var expected = try #require(CivilDate(year: 1900, month: 1, day: 1))
        let start = expected.daysSince1970
        for offset in 0..<146_097 {
            let date = try #require(CivilDate(daysSince1970: start + offset))
            #expect(date == expected && date.daysSince1970 == start + offset)
            let isLastOfMonth = date.day == CivilDate.dayCount(year: date.year, month: date.month)
            let isLastOfYear = isLastOfMonth && date.month == 12
            expected = try #require(
                CivilDate(
                    year: date.year + (isLastOfYear ? 1 : 0),
                    month: isLastOfYear ? 1 : date.month + (isLastOfMonth ? 1 : 0),
                    day: isLastOfMonth ? 1 : date.day + 1))
        }
        #expect(CivilDate("0000-01-01")?.daysSince1970 == -719_528)
        #expect(CivilDate("9999-12-31")?.daysSince1970 == 2_932_896)
        #expect(CivilDate(daysSince1970: 2_932_897) == nil)
        #expect(CivilDate(daysSince1970: -719_529) == nil)
    }

    @Test("known days")
    func knownDays() {
        #expect(CivilDate("1970-01-01")?.daysSince1970 == 0)
        #expect(CivilDate("2001-01-01")?.daysSince1970 == 11_323)
        #expect(CivilDate("2024-02-29")?.description == "2024-02-29")
        #expect(CivilDate("2023-11-14")?.weekday == 2)
        #expect(CivilDate("1969-12-28")?.weekday == 7)
        #expect(CivilDate("2024-02-28")?.adding(days: 2)?.description == "2024-03-01")
    }

    @Test(
        "other texts are no dates",
        arguments: [
            "2023-02-29", "2023-13-01", "2023-00-10", "2023-1-01", "2023-01-32", "20230101", "2023-01-01 ",
            "٢٠٢٣-01-01",
        ])
    func refusals(text: String) {
        #expect(CivilDate(text) == nil)
    }

    @Test("instants in seconds and in nine digits, rounded half to even")
    func instants() {
        #expect(RFC3339.seconds(since2001: 0) == "2001-01-01T00:00:00Z")
        #expect(RFC3339.seconds(since2001: -0.5) == "2000-12-31T23:59:59Z")
        #expect(RFC3339.nanoseconds(since2001: 795_270_896) == "2026-03-15T12:34:56.000000000Z")
        #expect(RFC3339.nanoseconds(since2001: 721_700_000.5) == "2023-11-15T00:13:20.500000000Z")
        // 2⁻¹⁰ s is 976562.5 ns, a tie that goes to the even 976562; 3 × 2⁻¹⁰ s is 2929687.5 ns and goes to 2929688.
        #expect(RFC3339.nanoseconds(since2001: 0x1p-10) == "2001-01-01T00:00:00.000976562Z")
        #expect(RFC3339.nanoseconds(since2001: 0x3p-10) == "2001-01-01T00:00:00.002929688Z")
        #expect(RFC3339.nanoseconds(since2001: 0.999_999_999_9) == "2001-01-01T00:00:01.000000000Z")
        #expect(RFC3339.nanoseconds(since2001: -1e-20) == "2001-01-01T00:00:00.000000000Z")
        #expect(RFC3339.nanoseconds(since2001: .infinity) == nil)
        #expect(RFC3339.seconds(since2001: 1e18) == nil)
        #expect(RFC3339.seconds(since2001: 3e11) == nil)
    }

    @Test("instants are read back")
    func parsing() {
        #expect(RFC3339.parse("2026-03-15T12:34:56.500000000Z") == 795_270_896.5)
        #expect(RFC3339.parse("2026-03-15T12:34:56+02:00") == 795_263_696)
        #expect(RFC3339.parse("2026-03-15 12:34:56Z") == nil)
        #expect(RFC3339.parse("2026-03-15T12:34:56") == nil)
        #expect(RFC3339.parse("2026-03-15T12:34:56.Z") == nil)
    }
}
