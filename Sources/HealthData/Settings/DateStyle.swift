import CanonicalJSON

/// Date styles of the body (export-formats.md 5.5). The raw value is the wire name.
public enum DateStyle: String, Sendable, CaseIterable, Codable {
    /// `2026-03-15`.
    case iso = "yyyy-MM-dd"
    /// `03/15/2026`.
    case monthDayYear = "MM/dd/yyyy"
    /// `March 15, 2026`.
    case longMonthFirst = "MMMM d, yyyy"
    /// `15/03/2026`.
    case dayMonthYear = "dd/MM/yyyy"
    /// `15 March 2026`.
    case longDayFirst = "d MMMM yyyy"
    /// `20260315`.
    case compact = "yyyyMMdd"
    /// `Sun, Mar 15, 2026`.
    case weekday = "EEE, MMM d, yyyy"

    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// The date in this style, with English names.
    func text(_ date: CivilDate) -> String {
        let iso = date.description
        let (year, month, day) = (iso.prefix(4), iso.dropFirst(5).prefix(2), iso.suffix(2))
        let name = Self.months[date.month - 1]
        switch self {
        case .iso: return iso
        case .monthDayYear: return "\(month)/\(day)/\(year)"
        case .longMonthFirst: return "\(name) \(date.day), \(year)"
        case .dayMonthYear: return "\(day)/\(month)/\(year)"
        case .longDayFirst: return "\(date.day) \(name) \(year)"
        case .compact: return "\(year)\(month)\(day)"
        case .weekday:
            return "\(Self.weekdays[date.weekday - 1].prefix(3)), \(name.prefix(3)) \(date.day), \(year)"
        }
    }
}

/// Time styles of the body (export-formats.md 5.5). The raw value is the wire name.
public enum TimeStyle: String, Sendable, CaseIterable, Codable {
    /// `21:05`.
    case hourMinute = "HH:mm"
    /// `21:05:00`.
    case hourMinuteSecond = "HH:mm:ss"
    /// `9:05 PM`.
    case twelveHour = "h:mm a"
    /// `9:05:00 PM`.
    case twelveHourSecond = "h:mm:ss a"

    /// A clock time in this style.
    func text(hour: Int, minute: Int, second: Int) -> String {
        let minutes = DayText.twoDigits(minute)
        let seconds = DayText.twoDigits(second)
        let twelve = hour % 12 == 0 ? 12 : hour % 12
        let half = hour < 12 ? "AM" : "PM"
        switch self {
        case .hourMinute: return "\(DayText.twoDigits(hour)):\(minutes)"
        case .hourMinuteSecond: return "\(DayText.twoDigits(hour)):\(minutes):\(seconds)"
        case .twelveHour: return "\(twelve):\(minutes) \(half)"
        case .twelveHourSecond: return "\(twelve):\(minutes):\(seconds) \(half)"
        }
    }
}
