/// A day of the proleptic Gregorian calendar, without a time zone: the label of a day, `yyyy-MM-dd`.
///
/// Parsed strictly: ten ASCII characters, a day that exists, years 0001...9999.
public struct CalendarDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1970-01-01.
    public let dayNumber: Int

    /// The day that many days after 1970-01-01, or nil outside the years 0001...9999.
    public init?(dayNumber: Int) {
        guard CalendarDay.dayNumbers.contains(dayNumber) else { return nil }
        self.dayNumber = dayNumber
    }

    /// The day with this label, or nil when it is not a day.
    public init?(_ label: String) {
        let bytes = Array(label.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        guard day <= CalendarDay.length(ofMonth: month, year: year) else { return nil }
        dayNumber = CalendarDay.dayNumber(year: year, month: month, day: day)
    }

    /// Year, month 1...12 and day 1...31.
    public var components: (year: Int, month: Int, day: Int) {
        // Howard Hinnant's civil-from-days: years run from March, so that the leap day is the last of a year.
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// The label, `yyyy-MM-dd`.
    public var description: String {
        let (year, month, day) = components
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// The day that many days later, or nil outside the years 0001...9999.
    public func adding(days: Int) -> CalendarDay? {
        let (sum, overflow) = dayNumber.addingReportingOverflow(days)
        return overflow ? nil : CalendarDay(dayNumber: sum)
    }

    /// Earlier days first.
    public static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.dayNumber < right.dayNumber }

    private static let dayNumbers = dayNumber(year: 1, month: 1, day: 1)...dayNumber(year: 9999, month: 12, day: 31)

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfEra = yearFromMarch - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
