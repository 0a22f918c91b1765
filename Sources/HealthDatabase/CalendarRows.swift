import CanonicalJSON
import DurableStore

/// The dates from the first day to the last, so that days without rows can be found and weeks named in plain SQL.
enum CalendarRows {
    /// Beyond a hundred years a document of a wrong year is the likely reason: then only the days' own dates have rows.
    static let maximumSpan = 36_525

    /// Adds the dates before the first and behind the last row, as far as there are days. What costs more is left to
    /// ``update(in:)``.
    static func extend(in connection: DatabaseConnection) throws {
        guard let days = try span(of: "days", connection), days.count <= maximumSpan else { return }
        guard let known = try span(of: "calendar", connection) else {
            return try insert(days.compactMap { CivilDate(daysSince1970: $0) }, connection)
        }
        guard known.lowerBound > days.lowerBound || known.upperBound < days.upperBound else { return }
        let missing = days.filter { !known.contains($0) }
        try insert(missing.compactMap { CivilDate(daysSince1970: $0) }, connection)
    }

    /// The first and the last date of a table as day numbers; nil for an empty one.
    private static func span(of table: String, _ connection: DatabaseConnection) throws -> ClosedRange<Int>? {
        let found = try connection.first("SELECT min(date), max(date) FROM \(table)") {
            (first: try $0.textIfPresent(0), last: try $0.textIfPresent(1))
        }
        guard let first = found?.first.flatMap({ CivilDate($0) }), let last = found?.last.flatMap({ CivilDate($0) })
        else { return nil }
        return first.daysSince1970...last.daysSince1970
    }

    /// Brings the table to the days that are there.
    static func update(in connection: DatabaseConnection) throws {
        guard let numbers = try span(of: "days", connection), let first = CivilDate(daysSince1970: numbers.lowerBound),
            let last = CivilDate(daysSince1970: numbers.upperBound)
        else { return try connection.run("DELETE FROM calendar") }
        try connection.run(
            "DELETE FROM calendar WHERE date < ? OR date > ?", .text(first.description), .text(last.description))
        let dates: [CivilDate]
        if numbers.count <= maximumSpan {
            dates = numbers.compactMap { CivilDate(daysSince1970: $0) }
        } else {
            dates = try connection.all("SELECT date FROM days", read: { try $0.text(0) }).compactMap { CivilDate($0) }
        }
        try insert(dates, connection)
    }

    private static func insert(_ dates: [CivilDate], _ connection: DatabaseConnection) throws {
        let sql = """
            INSERT OR IGNORE INTO calendar (date, day_number, week, month, year, weekday) VALUES (?, ?, ?, ?, ?, ?)
            """
        try connection.runForEach(sql, dates) { statement, date in
            // 1970-01-01 was a Thursday.
            let weekday = ((date.daysSince1970 + 3) % 7 + 7) % 7
            let monday = date.adding(days: -weekday) ?? date
            try statement.bind(1, date.description)
            try statement.bind(2, Int64(date.daysSince1970))
            try statement.bind(3, monday.description)
            try statement.bind(4, String(date.description.prefix(7)))
            try statement.bind(5, Int64(date.year))
            try statement.bind(6, Int64(weekday + 1))
        }
    }
}
