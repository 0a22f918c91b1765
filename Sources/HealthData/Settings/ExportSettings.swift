import CanonicalJSON

/// One of the four file formats of a day (export-formats.md 1), in the order in which they are written.
public enum ExportFormat: String, Sendable, CaseIterable, Codable {
    /// Front matter and a readable body.
    case markdown = "Markdown"
    /// Front matter only.
    case bases = "Obsidian Bases"
    /// The canonical day document.
    case json = "JSON"
    /// One row a value.
    case csv = "CSV"

    /// Without the point.
    public var fileExtension: String {
        switch self {
        case .markdown, .bases: "md"
        case .json: "json"
        case .csv: "csv"
        }
    }

    /// The folder of the format when formats are organized into folders.
    public var folderName: String { self == .bases ? "Bases" : rawValue }
}

/// What happens to a file that is there already (export-formats.md 9).
public enum WriteMode: String, Sendable, CaseIterable, Codable {
    /// It is replaced.
    case overwrite = "Overwrite"
    /// The new content follows the old.
    case append = "Append"
    /// Markdown is merged, other formats are replaced.
    case update = "Update"
}

/// The settings that shape output (export-formats.md 1), parsed from a settings snapshot (corpus-protocol.md 7).
///
/// A value of this type names only safe relative paths and known choices. Defaults are those of extensions.md 4.
public struct ExportSettings: Sendable, Equatable {
    /// Formats in the order of ``ExportFormat``, each once.
    public var formats: [ExportFormat] = [.markdown, .json]
    /// What happens to files that are there already.
    public var writeMode = WriteMode.overwrite
    /// File name template without extension.
    public var filenameFormat = "{date}"
    /// Folder template; empty means flat.
    public var folderStructure = ""
    /// Folder below the chosen root; empty means the root itself.
    public var healthSubfolder = "Health"
    /// One folder a format.
    public var organizesFormatsIntoFolders = false
    /// Front matter in Markdown.
    public var includesMetadata = true
    /// The data dictionary beside the files.
    public var includesDataDictionary = true
    /// A ZIP archive instead of loose files.
    public var archivesFiles = false
    /// A roll-up of the range.
    public var generatesRangeSummary = false
    /// Roll-ups of whole calendar periods, of which the requested days are a part: the older switches, still honoured.
    /// Never holds ``RollupPeriod/Kind/range``.
    public var calendarRollups: Set<RollupPeriod.Kind> = []
    /// Roll-ups without daily files.
    public var summaryOnly = false
    /// Sample arrays and archive.
    public var detail = DetailLevel.summary
    /// Look of Markdown and Bases.
    public var customization = FormatCustomization()
    /// Files of single entries.
    public var individualTracking = IndividualTracking()
    /// Merging into daily notes.
    public var dailyNotes = DailyNoteSettings()
    /// Metrics that are exported; nil for all.
    public var metricIDs: [String]?
    /// The zone that the source names; nil when it does not.
    public var calendarTimeZoneIdentifier: String?

    /// The defaults.
    public init() {}

    /// The metrics as a selection.
    public var selection: MetricSelection { metricIDs.map { MetricSelection(metricIDs: $0) } ?? .all }

    // MARK: Snapshot

    /// Settings from the text of a snapshot. Throws `setting_invalid` with the key.
    public init(snapshot text: [UInt8]) throws {
        do {
            try self.init(snapshot: JSONParser.parse(text))
        } catch let error as JSONError {
            throw HealthDataError.invalidSetting(
                key: "settingsSnapshot", reason: "is not JSON (\(error.code.rawValue) at byte \(error.offset))")
        }
    }

    /// Settings from a snapshot. Missing keys have the legacy meaning of corpus-protocol.md 7.
    public init(snapshot: JSONValue) throws {
        let reader = try SettingReader(snapshot, path: "")
        formats = try Self.formats(reader)
        writeMode = try reader.choice("writeMode") ?? .overwrite
        filenameFormat = try reader.path("filenameFormat") ?? "{date}"
        guard !filenameFormat.isEmpty else {
            throw HealthDataError.invalidSetting(key: "filenameFormat", reason: "must not be empty")
        }
        folderStructure = try reader.path("folderStructure") ?? ""
        healthSubfolder = try reader.path("healthSubfolder") ?? ""
        organizesFormatsIntoFolders = try reader.bool("organizeFormatsIntoFolders") ?? false
        includesMetadata = try reader.bool("includeMetadata") ?? true
        includesDataDictionary = try reader.bool("includeDataDictionary") ?? true
        archivesFiles = try reader.bool("archiveExportFiles") ?? reader.bool("archiveMarkdownExports") ?? false
        generatesRangeSummary = try Self.rangeSummary(reader)
        for (kind, key) in Self.calendarRollupKeys where try reader.bool(key) == true { calendarRollups.insert(kind) }
        summaryOnly = try reader.bool("summaryOnlyExport") ?? false
        detail = try Self.detail(reader)
        customization = try FormatCustomization(reader)
        individualTracking = try IndividualTracking(reader.object("individualTracking"))
        dailyNotes = try DailyNoteSettings(reader.object("dailyNoteInjection"))
        calendarTimeZoneIdentifier = try reader.string("calendarTimeZoneIdentifier")
        metricIDs = try reader.object("metricSelection")?.strings("enabledMetricIDs")?.sorted()
    }

    private static func formats(_ reader: SettingReader) throws -> [ExportFormat] {
        var wanted: Set<ExportFormat> = []
        for name in try reader.strings("exportFormats") ?? [] {
            guard let format = ExportFormat(rawValue: name) else {
                throw HealthDataError.invalidSetting(
                    key: "exportFormats",
                    reason: "must be any of \(ExportFormat.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            wanted.insert(format)
        }
        return ExportFormat.allCases.filter(wanted.contains)
    }

    private static func rangeSummary(_ reader: SettingReader) throws -> Bool {
        if let value = try reader.bool("generateRangeSummary") { return value }
        for (_, key) in Self.calendarRollupKeys where try reader.bool(key) == true { return true }
        return false
    }

    private static let calendarRollupKeys: [(kind: RollupPeriod.Kind, key: String)] = [
        (.weekly, "generateWeeklyRollups"), (.monthly, "generateMonthlyRollups"), (.yearly, "generateYearlyRollups"),
    ]

    private static func detail(_ reader: SettingReader) throws -> DetailLevel {
        let isGranular = try reader.bool("includeGranularData") ?? false
        let samples = try reader.string("compatibilityDetail") ?? (isGranular ? "selected_time_series" : "summary")
        let archive = try reader.string("healthKitSourceArchivePolicy") ?? (isGranular ? "canonical_v1" : "none")
        switch (archive, samples) {
        case ("canonical_v1", "summary"), ("canonical_v1", "selected_time_series"): return .lossless
        case ("none", "selected_time_series"): return .timeSeries
        case ("none", "summary"): return .summary
        case ("none", _), ("canonical_v1", _):
            throw HealthDataError.invalidSetting(
                key: "compatibilityDetail", reason: "must be summary or selected_time_series")
        default:
            throw HealthDataError.invalidSetting(
                key: "healthKitSourceArchivePolicy", reason: "must be none or canonical_v1")
        }
    }

    /// The snapshot of these settings, for a manifest (corpus-protocol.md 7).
    public func snapshot() -> JSONObject {
        var object: JSONObject = [
            "exportFormats": .array(formats.map { .string($0.rawValue) }),
            "includeMetadata": .bool(includesMetadata), "groupByCategory": true,
            "organizeFormatsIntoFolders": .bool(organizesFormatsIntoFolders),
            "archiveExportFiles": .bool(archivesFiles), "summaryOnlyExport": .bool(summaryOnly),
            "includeGranularData": .bool(detail == .lossless),
            "generateRangeSummary": .bool(generatesRangeSummary), "appleExportEngineAuthorityIsFrozen": true,
            "filenameFormat": .string(filenameFormat), "folderStructure": .string(folderStructure),
            "healthSubfolder": .string(healthSubfolder), "writeMode": .string(writeMode.rawValue),
            "compatibilityDetail": detail.includesSamples ? "selected_time_series" : "summary",
            "healthKitSourceArchivePolicy": detail == .lossless ? "canonical_v1" : "none",
            "formatCustomization": .object(customization.snapshot()),
            "individualTracking": .object(individualTracking.snapshot()),
            "dailyNoteInjection": .object(dailyNotes.snapshot()),
        ]
        let known = Registry.current.metrics
        let ids = metricIDs ?? known.map(\.id)
        let categories = Set(known.filter { ids.contains($0.id) }.map(\.category))
        object.append(
            "metricSelection",
            [
                "enabledMetricIDs": .array(ids.sorted().map { .string($0) }),
                "enabledCategoryIDs": .array(categories.sorted().map { .string($0.lowercased()) }),
            ])
        object.append("calendarTimeZoneIdentifier", ifPresent: calendarTimeZoneIdentifier.map { .string($0) })
        for (kind, key) in Self.calendarRollupKeys where calendarRollups.contains(kind) { object.append(key, true) }
        // Written only when false: missing means true.
        if !includesDataDictionary { object.append("includeDataDictionary", false) }
        return object
    }
}
