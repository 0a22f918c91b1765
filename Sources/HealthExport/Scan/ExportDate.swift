import CanonicalJSON

/// Reads the dates of an export into whole Unix seconds (apple-health-export.md 6).
///
/// The form of the phone, `yyyy-MM-dd HH:mm:ss ±HHmm`, is read by position; the seconds of the date part and of the
/// offset are remembered, since neighbours mostly share them. Other forms that can mean only one thing are read too
/// and reported as odd: the compact form of iOS 8, ISO 8601, and a 12-hour clock.
struct ExportDateReader {
    /// Stands for "no date" in packed places.
    static let none = Int64.min

    /// How a text was understood.
    enum Form {
        case usual, odd, unreadable
    }

    private var cachedHead: UInt64 = 0
    private var cachedDay: UInt16 = 0
    private var cachedDaySeconds: Int64 = 0

    /// The seconds since 1970 in the usual form; nil when it is any other.
    @inline(__always)
    mutating func usual(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count == 25, let base = text.baseAddress else { return nil }
        let raw = UnsafeRawPointer(base)
        let head = raw.loadUnaligned(as: UInt64.self)
        let day = raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
        if head != cachedHead || day != cachedDay {
            guard let seconds = Self.daySeconds(base) else { return nil }
            cachedHead = head
            cachedDay = day
            cachedDaySeconds = seconds
        }
        guard base[10] == 0x20, base[13] == 0x3A, base[16] == 0x3A, base[19] == 0x20,
            let hour = Self.two(base + 11), hour < 24, let minute = Self.two(base + 14), minute < 60,
            let second = Self.two(base + 17), second <= 60,
            let offsetHour = Self.two(base + 21), offsetHour < 24,
            let offsetMinute = Self.two(base + 23), offsetMinute < 60
        else { return nil }
        let sign: Int64
        switch base[20] {
        case UInt8(ascii: "+"): sign = 1
        case UInt8(ascii: "-"): sign = -1
        default: return nil
        }
        return cachedDaySeconds + hour * 3_600 + minute * 60 + second - sign * (offsetHour * 3_600 + offsetMinute * 60)
    }

    /// The seconds since 1970 in any form that is read, and whether it was an odd one.
    @inline(__always)
    mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> (Int64, Form) {
        if let seconds = usual(text) { return (seconds, .usual) }
        if let seconds = OddDate.read(text) { return (seconds, .odd) }
        return (Self.none, .unreadable)
    }

    @inline(__always)
    private static func two(_ digits: UnsafePointer<UInt8>) -> Int64? {
        let tens = digits[0] &- 0x30
        let ones = digits[1] &- 0x30
        return tens < 10 && ones < 10 ? Int64(tens) * 10 + Int64(ones) : nil
    }

    private static func daySeconds(_ base: UnsafePointer<UInt8>) -> Int64? {
        guard let century = two(base), let year = two(base + 2), base[4] == 0x2D, let month = two(base + 5),
            base[7] == 0x2D, let day = two(base + 8)
        else { return nil }
        return CivilDate(year: Int(century * 100 + year), month: Int(month), day: Int(day)).map {
            Int64($0.daysSince1970) * 86_400
        }
    }
}

/// The rarer forms of a date. Off the fast path, so plain.
enum OddDate {
    /// `20150616071916-0700`, `2026-03-01T10:00:00Z`, `2026-03-01T10:00:00+01:00`, `2024-09-21 7:57:00 am +1000`.
    static func read(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard text.count >= 14, text.count <= 40 else { return nil }
        var parser = Parser(rest: Array(text)[...])
        return parser.compact() ?? parser.extended()
    }

    private struct Parser {
        var rest: ArraySlice<UInt8>

        mutating func number(_ widths: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix(widths.upperBound).prefix { (0x30...0x39).contains($0) }
            guard digits.count >= widths.lowerBound else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        mutating func take(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }

        mutating func compact() -> Int64? {
            let whole = rest
            if let year = number(4...4), let month = number(2...2), let day = number(2...2), let hour = number(2...2),
                let minute = number(2...2), let second = number(2...2), let offset = offset(), rest.isEmpty
            {
                return seconds(year, month, day, hour, minute, second, offset)
            }
            rest = whole
            return nil
        }

        mutating func extended() -> Int64? {
            guard let year = number(4...4), take("-"), let month = number(2...2), take("-"), let day = number(2...2),
                take("T") || take(" "), var hour = number(1...2), take(":"), let minute = number(2...2), take(":"),
                let second = number(2...2)
            else { return nil }
            if let isAfternoon = meridiem() {
                guard (1...12).contains(hour) else { return nil }
                hour = hour % 12 + (isAfternoon ? 12 : 0)
            }
            while take(" ") {}
            guard let offset = offset(), rest.isEmpty else { return nil }
            return seconds(year, month, day, hour, minute, second, offset)
        }

        mutating func meridiem() -> Bool? {
            let whole = rest
            while take(" ") || take("\u{202F}") || take("\u{A0}") {}
            if take("AM") || take("am") { return false }
            if take("PM") || take("pm") { return true }
            rest = whole
            return nil
        }

        mutating func offset() -> Int? {
            if take("Z") { return 0 }
            let sign = take("+") ? 1 : take("-") ? -1 : 0
            guard sign != 0, let hour = number(2...2), hour < 24 else { return nil }
            _ = take(":")
            guard let minute = number(2...2), minute < 60 else { return nil }
            return sign * (hour * 3_600 + minute * 60)
        }

        func seconds(
            _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, _ offset: Int
        ) -> Int64? {
            guard hour < 24, minute < 60, second <= 60,
                let date = CivilDate(year: year, month: month, day: day)
            else { return nil }
            return Int64(date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset)
        }
    }
}
