import Foundation

/// Number texts of the output files. printf rounding, a point in every locale.
enum NumberText {
    /// Fixed fraction digits: `2.50`.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { buffer in
            let count = withVaList([Int32(digits), value]) { vsnprintf(buffer.baseAddress!, 400, "%.*f", $0) }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<Int(count)], as: UTF8.self)
        }
    }

    /// Fixed fraction digits with comma groups: `12,500`.
    static func grouped(_ value: Double, _ digits: Int) -> String {
        grouping(fixed(value, digits))
    }

    /// Puts commas between groups of three digits before the point.
    static func grouping(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let start = bytes.first == UInt8(ascii: "-") ? 1 : 0
        let end = bytes.firstIndex(of: UInt8(ascii: ".")) ?? bytes.count
        var output = Array(bytes[..<start])
        for index in start..<end {
            if index > start, (end - index) % 3 == 0 { output.append(UInt8(ascii: ",")) }
            output.append(bytes[index])
        }
        output.append(contentsOf: bytes[end...])
        return String(decoding: output, as: UTF8.self)
    }

    /// Shortest round-trip form with at least one fraction digit: `520.0`.
    static func double(_ value: Double) -> String { value.description }

    /// Shortest round-trip form, whole numbers without a fraction: `520`.
    static func shortest(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Towards zero.
    static func truncated(_ value: Double) -> String { fixed(value.rounded(.towardZero) + 0, 0) }
}

/// Texts of durations, paces and moods (health-data.md 3.2, 3.4, 3.6).
enum DayText {
    /// `7h 45m`; `15m` under an hour; whole minutes.
    static func duration(_ seconds: Double) -> String {
        let minutes = whole(seconds / 60)
        return minutes >= 60 ? "\(minutes / 60)h \(minutes % 60)m" : "\(minutes)m"
    }

    /// `1:00:00`, or `30:00` under an hour; whole seconds.
    static func clockDuration(_ seconds: Double) -> String {
        let total = whole(seconds)
        let minutes = total / 60 % 60
        let rest = twoDigits(total % 60)
        return total >= 3_600 ? "\(total / 3_600):\(twoDigits(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    /// `6:00 /km`; nil from 60 minutes up.
    static func pace(_ seconds: Double, per unit: String) -> String? {
        guard seconds.isFinite, seconds > 0 else { return nil }
        let total = Int(min(seconds, 1e6).rounded())
        guard total < 3_600 else { return nil }
        return "\(total / 60):\(twoDigits(total % 60)) /\(unit)"
    }

    /// truncate((valence + 1) / 2 × 100).
    static func moodPercent(_ valence: Double) -> Int {
        whole((valence + 1) / 2 * 100)
    }

    /// The band of a valence.
    static func moodBand(_ valence: Double) -> String {
        switch valence {
        case 0.6...: "Very Pleasant"
        case 0.2...: "Pleasant"
        case (-0.2)...: "Neutral"
        case (-0.6)...: "Unpleasant"
        default: "Very Unpleasant"
        }
    }

    static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// Towards zero; what is not a number or beyond any clock becomes the nearest bound.
    private static func whole(_ value: Double) -> Int {
        value.isNaN ? 0 : Int(max(-1e15, min(1e15, value)))
    }
}
