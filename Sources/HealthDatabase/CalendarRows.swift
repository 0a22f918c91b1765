import CanonicalJSON
import DurableStore

/// The dates from the first day to the last, so that days without rows can be found and weeks named in plain SQL.
enum CalendarRows {
    /// Beyond a hundred years a document of a wrong year is the likely reason: then only the days' own dates have rows.
    static let maximumSpan = 36_525

    /// Brings the table to the days that are there.
    static func update(in connection: DatabaseConnection) throws {
        let span = try connection.first("SELECT min(date), max(date) FROM days") {
            (first: try $0.textIfPresent(0), last: try $0.textIfPresent(1))
        }
        guard let first = span?.first.flatMap({ CivilDate($0) }), let last = span?.last.flatMap({ CivilDate($0) })
        else { return try connection.run("DELETE FROM calendar") }
        try connection.run(
            "DELETE FROM calendar WHERE date < ? OR date > ?", .text(first.description), .text(last.description))
        let numbers = first.daysSince1970...last.daysSince1970
        let dates: [CivilDate]
        if numbers.count <= maximumSpan {
            dates = numbers.compactMap { CivilDate(daysSince1970: $0) }
        } else {
            dates = try connection.all("SELECT date FROM days", read: { try $0.text(0) }).compactMap { CivilDate($0) }
        }
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
