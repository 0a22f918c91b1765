/// Instants for people, without a calendar library.
enum CalendarText {
    /// `yyyy-MM-ddTHH:mm:ssZ`, with milliseconds where there are any, rounded down; nil outside the years 1 to 9999.
    static func utc(secondsSince2001 value: Double) -> String? {
        let unix = value + ItemFormat.referenceDateUnixSeconds
        // 0001-01-01T00:00:00Z and 10000-01-01T00:00:00Z.
        guard unix >= -62_135_596_800, unix < 253_402_300_800 else { return nil }
        let whole = unix.rounded(.down)
        let milliseconds = Int(((unix - whole) * 1_000).rounded(.down))
        let seconds = Int(whole)
        let day = seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400)
        let time = seconds - day * 86_400
        let date = civil(daysSince1970: day)
        let fraction = milliseconds > 0 ? "." + padded(milliseconds, 3) : ""
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
            + padded(time / 3_600, 2) + ":" + padded(time / 60 % 60, 2) + ":" + padded(time % 60, 2) + fraction + "Z"
    }

    /// The proleptic Gregorian date of a day number. Years are counted from March, so that the leap day comes last.
    private static func civil(daysSince1970 day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
