import CanonicalJSON

/// Dates as HTTP writes them, in IMF-fixdate (RFC 9110 5.6.7): `Sat, 10 Oct 2026 12:00:17 GMT`.
enum HTTPDate {
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The text of Unix seconds.
    static func text(_ second: Int) -> String {
        guard let day = ArchiveDay(utcSecond: second), let iso = UTCText.seconds(second) else {
            preconditionFailure("a clock outside the calendar")
        }
        let date = day.date
        let number = (date.day < 10 ? "0" : "") + String(date.day)
        return "\(weekdays[date.weekday - 1]), \(number) \(months[date.month - 1]) \(iso.prefix(4)) "
            + "\(iso.dropFirst(11).prefix(8)) GMT"
    }

    /// Unix seconds of a text; nil for another form. The weekday is not looked at.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2,
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = (month < 9 ? "0" : "") + String(month + 1)
        return UTCText.parse("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }
}
