import CanonicalJSON

/// Whether templates can be carried out on every day, told when they are set instead of when days arrive.
extension FilePlanner {
    /// Bytes of one name that every usual file system takes.
    public static let maximumNameByteCount = 255

    /// Placeholders of names and folders (export-formats.md 2).
    public static let placeholders = ["date", "year", "YR", "month", "day", "monthName", "weekday", "quarter"]
    /// Placeholders of the names of single entries (export-formats.md 10).
    public static let entryPlaceholders = ["date", "time", "metric", "category"]

    /// Refuses unknown placeholders, names that some file system does not take (cli.md 14), and templates that give two
    /// days one file. Throws `setting_invalid` with the key of the setting.
    public func checkTemplates() throws(HealthDataError) {
        for (key, template, known) in templates {
            if let unknown = Self.placeholderNames(in: template).first(where: { !known.contains($0) }) {
                let list = known.map { "{\($0)}" }.joined(separator: ", ")
                throw .invalidSetting(
                    key: key,
                    reason: known.isEmpty
                        ? "takes no {\(unknown)}; put it into folderStructure"
                        : "has no {\(unknown)}; there are \(list)")
            }
            let text = PathTemplate.text(template, date: Self.longestDay)
            for name in text.split(separator: "/") {
                if let fault = Self.fault(inName: String(name)) { throw .invalidSetting(key: key, reason: fault) }
            }
        }
        if settings.filenameFormat.isEmpty { throw .invalidSetting(key: "filenameFormat", reason: "must not be empty") }
        try checkLengths()
        try checkDaysDiffer()
    }

    private var templates: [(key: String, template: String, placeholders: [String])] {
        [
            ("filenameFormat", settings.filenameFormat, Self.placeholders),
            ("folderStructure", settings.folderStructure, Self.placeholders),
            ("healthSubfolder", settings.healthSubfolder, []),
            ("dailyNoteInjection.folderPath", settings.dailyNotes.folderPath, Self.placeholders),
            ("dailyNoteInjection.filenamePattern", settings.dailyNotes.filenamePattern, Self.placeholders),
            ("individualTracking.entriesFolder", settings.individualTracking.entriesFolder, []),
            (
                "individualTracking.filenameTemplate", settings.individualTracking.filenameTemplate,
                Self.entryPlaceholders
            ),
        ]
    }

    private func checkLengths() throws(HealthDataError) {
        for file in try files(for: Self.longestDay) {
            for name in file.path.split(separator: "/") where name.utf8.count > Self.maximumNameByteCount {
                throw .invalidSetting(
                    key: "filenameFormat",
                    reason: "gives a name of \(name.utf8.count) bytes, and \(Self.maximumNameByteCount) are the most")
            }
        }
    }

    private func checkDaysDiffer() throws(HealthDataError) {
        do {
            try checkCollisions(for: Self.sampleDays)
        } catch {
            guard case .pathCollision(let path) = error else { throw error }
            throw .invalidSetting(
                key: "filenameFormat",
                reason: "gives several days, or a day and another file, one name (\(path)); put {date} into it, or "
                    + "{year}, {month} and {day} into name and folders")
        }
    }

    /// A day whose month and weekday have the longest names.
    private static let longestDay = day("2026-09-30")
    /// Neighbours, and days that differ in nothing but the week, the month or the year.
    private static let sampleDays = ["2026-01-01", "2026-01-02", "2026-01-08", "2026-02-01", "2027-01-01"].map(day)

    private static func day(_ text: String) -> CivilDate {
        guard let day = CivilDate(text) else { preconditionFailure("\(text) is a day") }
        return day
    }

    /// The words between `{` and `}`.
    private static func placeholderNames(in template: String) -> [String] {
        template.split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            part.firstIndex(of: "}").map { String(part[..<$0]) }
        }
    }

    /// Why a name is not one on every usual system; nil when it is (cli.md 14).
    static func fault(inName name: String) -> String? {
        if let character = name.first(where: { #":<>"|?*\"#.contains($0) }) {
            return "must not hold \(character): some systems have no such names"
        }
        if name.hasSuffix(".") || name.hasSuffix(" ") { return "must not end in a point or a space" }
        let stem = name.prefix { $0 != "." }.uppercased()
        let isDevice =
            ["CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"].contains(stem)
            || (stem.count == 4 && ["COM", "LPT"].contains(String(stem.prefix(3)))
                && stem.last.map { "0123456789¹²³".contains($0) } == true)
        return isDevice ? "must not be the name of a device (\(stem))" : nil
    }
}
