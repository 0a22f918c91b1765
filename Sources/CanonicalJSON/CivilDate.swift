/// A day of the proleptic Gregorian calendar, years 0 to 9999. Pure arithmetic, no zone.
public struct CivilDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Year, 0 to 9999.
    public let year: Int
    /// Month, 1 to 12.
    public let month: Int
    /// Day of the month, from 1.
    public let day: Int

    /// A day, or nil when there is none of that number.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month),
            (1...CivilDate.dayCount(year: year, month: month)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that lies `daysSince1970` days after 1970-01-01, or nil outside years 0 to 9999.
    public init?(daysSince1970 days: Int) {
        guard (-719_528...2_932_896).contains(days) else { return nil }
        // Years that begin in March put the leap day last (Howard Hinnant, chrono-compatible date algorithms).
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day that `yyyy-MM-dd` names; nil for any other text or a day that does not exist.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let date = text.withUTF8({ CivilDate(bytes: $0) }) else { return nil }
        self = date
    }

    /// The day that ten ASCII bytes `yyyy-MM-dd` name.
    public init?(bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for index in range {
                guard bytes[index] &- 0x30 < 10 else { return nil }
                value = value * 10 + Int(bytes[index] - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Number of days of a month.
    public static func dayCount(year: Int, month: Int) -> Int {
        switch month {
        case 2: return isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// Whether a year has a 29 February.
    public static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Days after 1970-01-01; negative before it.
    public var daysSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Day of the week, 1 (Monday) to 7 (Sunday), as ISO 8601 counts.
    public var weekday: Int {
        // 1970-01-01 was a Thursday.
        let index = (daysSince1970 + 3) % 7
        return (index < 0 ? index + 7 : index) + 1
    }

    /// The day `days` later, or earlier for a negative number; nil outside years 0 to 9999.
    public func adding(days: Int) -> CivilDate? { CivilDate(daysSince1970: daysSince1970 + days) }

    /// `yyyy-MM-dd`.
    public var description: String {
        var output: [UInt8] = []
        append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends `yyyy-MM-dd`.
    public func append(to output: inout [UInt8]) {
        PaddedNumber.append(year, width: 4, to: &output)
        output.append(UInt8(ascii: "-"))
        PaddedNumber.append(month, width: 2, to: &output)
        output.append(UInt8(ascii: "-"))
        PaddedNumber.append(day, width: 2, to: &output)
    }

    /// Earlier days first.
    public static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

/// Decimal numbers of a fixed width.
enum PaddedNumber {
    static func append(_ value: Int, width: Int, to output: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
