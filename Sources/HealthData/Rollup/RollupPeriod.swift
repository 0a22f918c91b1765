import CanonicalJSON

/// The stretch of days that a roll-up covers (export-formats.md 7.1).
public struct RollupPeriod: Sendable, Hashable {
    /// What kind of stretch it is.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        /// An ISO week, Monday first.
        case weekly
        /// A month.
        case monthly
        /// A year.
        case yearly
        /// Exactly the requested days.
        case range
    }

    /// What kind of stretch it is.
    public let kind: Kind
    /// First day.
    public let start: CivilDate
    /// Last day.
    public let end: CivilDate
    /// `2026-W11`, `2026-03`, `2026`, or `<start>_to_<end>`.
    public let id: String

    /// Most days of a range (export-formats.md 7.1).
    public static let maximumDayCount = 10_000

    /// The range of these days. Throws `setting_invalid` when it is empty or too long.
    public init(from start: CivilDate, to end: CivilDate) throws(HealthDataError) {
        guard start <= end, end.daysSince1970 - start.daysSince1970 < Self.maximumDayCount else {
            throw .invalidSetting(
                key: "generateRangeSummary", reason: "needs a range of 1 to \(Self.maximumDayCount) days")
        }
        self.init(kind: .range, start: start, end: end, id: "\(start)_to_\(end)")
    }

    /// The range of requested days in ascending order, however many: roll-ups that no engine pin binds have no limit on
    /// days (extensions.md 11). Nil without days.
    public init?(covering days: [CivilDate]) {
        guard let first = days.first, let last = days.last, first <= last else { return nil }
        self.init(kind: .range, start: first, end: last, id: "\(first)_to_\(last)")
    }

    /// The calendar period that holds a day; for ``Kind/range`` that day alone.
    public init(_ kind: Kind, containing day: CivilDate) {
        switch kind {
        case .range: self.init(kind: kind, start: day, end: day, id: "\(day)_to_\(day)")
        case .yearly:
            self.init(
                kind: kind, start: Self.day(day.year, 1, 1), end: Self.day(day.year, 12, 31),
                id: String(day.description.prefix(4)))
        case .monthly:
            let last = CivilDate.dayCount(year: day.year, month: day.month)
            self.init(
                kind: kind, start: Self.day(day.year, day.month, 1), end: Self.day(day.year, day.month, last),
                id: String(day.description.prefix(7)))
        case .weekly:
            let monday = day.adding(days: 1 - day.weekday) ?? day
            let sunday = monday.adding(days: 6) ?? day
            // A week belongs to the year of its Thursday.
            let thursday = monday.adding(days: 3) ?? day
            let first = Self.day(thursday.year, 1, 1)
            let week = (thursday.daysSince1970 - first.daysSince1970) / 7 + 1
            self.init(
                kind: kind, start: monday, end: sunday,
                id: "\(first.description.prefix(4))-W\(DayText.twoDigits(week))")
        }
    }

    private init(kind: Kind, start: CivilDate, end: CivilDate, id: String) {
        self.kind = kind
        self.start = start
        self.end = end
        self.id = id
    }

    private static func day(_ year: Int, _ month: Int, _ day: Int) -> CivilDate {
        guard let date = CivilDate(year: year, month: month, day: day) else {
            preconditionFailure("the first and last days of months exist")
        }
        return date
    }

    /// Number of days.
    public var dayCount: Int { end.daysSince1970 - start.daysSince1970 + 1 }

    /// `Range`, `Weekly` …, as in titles and folders.
    var title: String { kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst() }

    /// The file of the roll-up below the health subfolder (export-formats.md 7.1).
    func pathBelowSubfolder(of format: ExportFormat, settings: ExportSettings) -> String {
        let suffix = FilePlanner(settings).suffix(of: format)
        return RelativePath.join([
            "Rollups", settings.organizesFormatsIntoFolders ? format.folderName : "", title,
            "\(id)\(suffix).\(format.fileExtension)",
        ])
    }
}

extension FilePlanner {
    /// The path of a roll-up in one format.
    public func path(of period: RollupPeriod, as format: ExportFormat) -> String {
        RelativePath.join([settings.healthSubfolder, period.pathBelowSubfolder(of: format, settings: settings)])
    }
}
