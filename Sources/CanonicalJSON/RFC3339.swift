/// RFC 3339 texts in UTC of instants that are counted in seconds since 2001-01-01T00:00:00Z.
public enum RFC3339 {
    /// Unix time of 2001-01-01T00:00:00Z.
    public static let referenceSince1970 = 978_307_200
    private static let secondsPerDay = 86_400
    private static let nanosecondsPerSecond: UInt128 = 1_000_000_000

    /// `yyyy-MM-ddTHH:mm:ssZ`; a fraction is cut off towards the past. Nil for an instant that is not finite or lies
    /// outside years 0 to 9999.
    public static func seconds(since2001 instant: Double) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(20)
        guard let whole = wholeSeconds(instant), append(seconds: whole, nanoseconds: nil, to: &output) else {
            return nil
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// `yyyy-MM-ddTHH:mm:ss.nnnnnnnnnZ`: the binary64 value rounded half to even (extensions.md 9.12). Nil as above.
    public static func nanoseconds(since2001 instant: Double) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(30)
        guard appendNanoseconds(since2001: instant, to: &output) else { return nil }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends what ``nanoseconds(since2001:)`` gives, without a string in between; false, and nothing appended, where that is nil.
    public static func appendNanoseconds(since2001 instant: Double, to output: inout [UInt8]) -> Bool {
        guard var whole = wholeSeconds(instant) else { return false }
        var nanoseconds = roundedNanoseconds(instant - instant.rounded(.down))
        if nanoseconds == Int(nanosecondsPerSecond) {
            nanoseconds = 0
            whole += 1
        }
        return append(seconds: whole, nanoseconds: nanoseconds, to: &output)
    }

    /// The instant of an RFC 3339 text, with any offset and fraction; nil for another text.
    public static func parse(_ text: some StringProtocol) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 64, bytes[10] | 0x20 == UInt8(ascii: "t"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let date = bytes.withUnsafeBufferPointer({ CivilDate(bytes: UnsafeBufferPointer(rebasing: $0[..<10])) }),
            let hour = twoDigits(bytes, 11), let minute = twoDigits(bytes, 14), let second = twoDigits(bytes, 17),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var index = 19
        var fraction = "0"
        if bytes[index] == UInt8(ascii: ".") {
            let digits = bytes[(index + 1)...].prefix { $0 &- 0x30 < 10 }
            guard !digits.isEmpty else { return nil }
            fraction += "." + String(decoding: digits, as: UTF8.self)
            index += 1 + digits.count
        }
        guard let offset = zoneOffset(bytes, index), let fractional = Double(fraction) else { return nil }
        let whole = date.daysSince1970 * secondsPerDay + hour * 3_600 + minute * 60 + second - offset
        return Double(whole - referenceSince1970) + fractional
    }

    private static func wholeSeconds(_ instant: Double) -> Int? {
        // Twelve thousand years keep the conversion far from overflow; `CivilDate` draws the exact line.
        guard instant.isFinite, instant.magnitude < 4e11 else { return nil }
        return Int(instant.rounded(.down)) + referenceSince1970
    }

    /// `fraction` × 10⁹ in exact integer arithmetic, rounded half to even; `fraction` in 0…1.
    private static func roundedNanoseconds(_ fraction: Double) -> Int {
        guard fraction > 0 else { return 0 }
        // fraction = significand × 2^-shift with an integer significand below 2⁵³.
        let shift = 52 - Int(fraction.exponent)
        guard shift < 100 else { return 0 }
        let significand = UInt128(fraction.significandBitPattern | 1 << 52)
        let product = significand * nanosecondsPerSecond
        let quotient = product >> UInt128(shift)
        let remainder = product - quotient << UInt128(shift)
        let half = UInt128(1) << UInt128(shift - 1)
        let roundsUp = remainder > half || (remainder == half && quotient & 1 == 1)
        return Int(quotient) + (roundsUp ? 1 : 0)
    }

    private static func append(seconds: Int, nanoseconds: Int?, to output: inout [UInt8]) -> Bool {
        let day = Int((Double(seconds) / Double(secondsPerDay)).rounded(.down))
        guard let date = CivilDate(daysSince1970: day) else { return false }
        let rest = seconds - day * secondsPerDay
        date.append(to: &output)
        output.append(UInt8(ascii: "T"))
        PaddedNumber.append(rest / 3_600, width: 2, to: &output)
        output.append(UInt8(ascii: ":"))
        PaddedNumber.append(rest / 60 % 60, width: 2, to: &output)
        output.append(UInt8(ascii: ":"))
        PaddedNumber.append(rest % 60, width: 2, to: &output)
        if let nanoseconds {
            output.append(UInt8(ascii: "."))
            PaddedNumber.append(nanoseconds, width: 9, to: &output)
        }
        output.append(UInt8(ascii: "Z"))
        return true
    }

    private static func twoDigits(_ bytes: [UInt8], _ index: Int) -> Int? {
        guard index + 1 < bytes.count, bytes[index] &- 0x30 < 10, bytes[index + 1] &- 0x30 < 10 else { return nil }
        return Int(bytes[index] - 0x30) * 10 + Int(bytes[index + 1] - 0x30)
    }

    /// Seconds east of UTC that the zone at `index` names, when it ends the text.
    private static func zoneOffset(_ bytes: [UInt8], _ index: Int) -> Int? {
        guard index < bytes.count else { return nil }
        if bytes[index] | 0x20 == UInt8(ascii: "z") { return index + 1 == bytes.count ? 0 : nil }
        guard bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-"), index + 6 == bytes.count,
            bytes[index + 3] == UInt8(ascii: ":"), let hours = twoDigits(bytes, index + 1), hours < 24,
            let minutes = twoDigits(bytes, index + 4), minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        return bytes[index] == UInt8(ascii: "-") ? -offset : offset
    }
}
