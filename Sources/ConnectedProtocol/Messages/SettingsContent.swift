/// How much of a day's samples the documents carry.
public enum CompatibilityDetail: String, Sendable, Codable {
    /// Aggregates only.
    case summary
    /// Aggregates and sample arrays.
    case selectedTimeSeries = "selected_time_series"
}

/// Whether documents carry the archive of source records.
public enum SourceArchivePolicy: String, Sendable, Codable {
    /// No archive.
    case none
    /// The canonical archive.
    case canonical = "canonical_v1"
}

/// The keys of a settings snapshot (corpus-protocol.md 7).
public struct SettingsContent: Sendable, Hashable, Codable {
    /// Formats, a set: `Markdown`, `Obsidian Bases`, `JSON`, `CSV`.
    public var exportFormats: [String] = ["JSON", "Markdown"]
    /// Front matter in Markdown.
    public var includeMetadata = true
    /// Sections by category.
    public var groupByCategory = true
    /// One folder per format.
    public var organizeFormatsIntoFolders = false
    /// One ZIP archive instead of loose files.
    public var archiveExportFiles = false
    /// Roll-ups without daily files.
    public var summaryOnlyExport = false
    /// Roll-ups.
    public var generateRangeSummary = false
    /// Roll-ups of the ISO weeks that are touched. This and the next two are keys of older builds: written only when
    /// true, since a peer that does not know them could not confirm the fingerprint (corpus-protocol.md 6).
    public var generateWeeklyRollups = false
    /// Roll-ups of the months that are touched.
    public var generateMonthlyRollups = false
    /// Roll-ups of the years that are touched.
    public var generateYearlyRollups = false
    /// Whether the source has frozen the authority of its engine.
    public var appleExportEngineAuthorityIsFrozen = true
    /// A dictionary beside the files.
    public var includeDataDictionary = true
    /// Template of file names.
    public var filenameFormat = "{date}"
    /// Template of folders; empty for none.
    public var folderStructure = ""
    /// Folder below the destination.
    public var healthSubfolder: String? = "Health"
    /// Zone of the source's calendar.
    public var calendarTimeZoneIdentifier: String?
    /// `Overwrite`, `Append` or `Update`.
    public var writeMode = "Overwrite"
    /// Sample arrays.
    public var compatibilityDetail = CompatibilityDetail.summary
    /// Source records.
    public var healthKitSourceArchivePolicy = SourceArchivePolicy.none
    /// Display preferences of Markdown and Bases.
    public var formatCustomization = FormatCustomization()
    /// Files of single entries.
    public var individualTracking = IndividualTracking()
    /// Daily notes.
    public var dailyNoteInjection = DailyNoteInjection()
    /// Metrics that are exported.
    public var metricSelection = MetricSelection()
    /// The renderer that the source pinned.
    public var appleExportEnginePin: EnginePin?

    /// The settings of a fresh installation (extensions.md 4).
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case exportFormats, includeMetadata, groupByCategory, organizeFormatsIntoFolders, archiveExportFiles
        case summaryOnlyExport, includeGranularData, generateRangeSummary, appleExportEngineAuthorityIsFrozen
        case includeDataDictionary, filenameFormat, folderStructure, healthSubfolder, calendarTimeZoneIdentifier
        case writeMode, compatibilityDetail, healthKitSourceArchivePolicy, formatCustomization
        case individualTracking, dailyNoteInjection, metricSelection, appleExportEnginePin
        case archiveMarkdownExports, generateWeeklyRollups, generateMonthlyRollups, generateYearlyRollups
    }

    /// Reads settings, those of older builds included.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys, _ standIn: Bool = false) throws -> Bool {
            try container.value(key, default: standIn)
        }
        exportFormats = try container.value(.exportFormats, default: [])
        includeMetadata = try flag(.includeMetadata, true)
        groupByCategory = try flag(.groupByCategory, true)
        organizeFormatsIntoFolders = try flag(.organizeFormatsIntoFolders)
        archiveExportFiles = try flag(.archiveExportFiles, try flag(.archiveMarkdownExports))
        summaryOnlyExport = try flag(.summaryOnlyExport)
        generateWeeklyRollups = try flag(.generateWeeklyRollups)
        generateMonthlyRollups = try flag(.generateMonthlyRollups)
        generateYearlyRollups = try flag(.generateYearlyRollups)
        let hasOldRollups = generateWeeklyRollups || generateMonthlyRollups || generateYearlyRollups
        generateRangeSummary = try flag(.generateRangeSummary, hasOldRollups)
        appleExportEngineAuthorityIsFrozen = try flag(.appleExportEngineAuthorityIsFrozen)
        includeDataDictionary = try flag(.includeDataDictionary, true)
        filenameFormat = try container.value(.filenameFormat, default: "{date}")
        folderStructure = try container.value(.folderStructure, default: "")
        healthSubfolder = try container.decodeIfPresent(String.self, forKey: .healthSubfolder)
        calendarTimeZoneIdentifier = try container.decodeIfPresent(String.self, forKey: .calendarTimeZoneIdentifier)
        writeMode = try container.value(.writeMode, default: "Overwrite")
        let isGranular = try flag(.includeGranularData)
        compatibilityDetail = try container.value(
            .compatibilityDetail, default: isGranular ? .selectedTimeSeries : .summary)
        healthKitSourceArchivePolicy = try container.value(
            .healthKitSourceArchivePolicy, default: isGranular ? .canonical : .none)
        formatCustomization = try container.value(.formatCustomization, default: FormatCustomization())
        individualTracking = try container.value(.individualTracking, default: IndividualTracking())
        dailyNoteInjection = try container.value(.dailyNoteInjection, default: DailyNoteInjection())
        metricSelection = try container.value(.metricSelection, default: MetricSelection())
        appleExportEnginePin = try container.decodeIfPresent(EnginePin.self, forKey: .appleExportEnginePin)
    }

    /// Writes the current keys. `includeDataDictionary` is written only when false; `includeGranularData` is true
    /// only for samples with archive.
    public func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Set(exportFormats).sorted(), forKey: .exportFormats)
        try container.encode(includeMetadata, forKey: .includeMetadata)
        try container.encode(groupByCategory, forKey: .groupByCategory)
        try container.encode(organizeFormatsIntoFolders, forKey: .organizeFormatsIntoFolders)
        try container.encode(archiveExportFiles, forKey: .archiveExportFiles)
        try container.encode(summaryOnlyExport, forKey: .summaryOnlyExport)
        let isLossless = compatibilityDetail == .selectedTimeSeries && healthKitSourceArchivePolicy == .canonical
        try container.encode(isLossless, forKey: .includeGranularData)
        try container.encode(generateRangeSummary, forKey: .generateRangeSummary)
        if generateWeeklyRollups { try container.encode(true, forKey: .generateWeeklyRollups) }
        if generateMonthlyRollups { try container.encode(true, forKey: .generateMonthlyRollups) }
        if generateYearlyRollups { try container.encode(true, forKey: .generateYearlyRollups) }
        try container.encode(appleExportEngineAuthorityIsFrozen, forKey: .appleExportEngineAuthorityIsFrozen)
        if !includeDataDictionary { try container.encode(false, forKey: .includeDataDictionary) }
        try container.encode(filenameFormat, forKey: .filenameFormat)
        try container.encode(folderStructure, forKey: .folderStructure)
        try container.encodeIfPresent(healthSubfolder, forKey: .healthSubfolder)
        try container.encodeIfPresent(calendarTimeZoneIdentifier, forKey: .calendarTimeZoneIdentifier)
        try container.encode(writeMode, forKey: .writeMode)
        try container.encode(compatibilityDetail, forKey: .compatibilityDetail)
        try container.encode(healthKitSourceArchivePolicy, forKey: .healthKitSourceArchivePolicy)
        try container.encode(formatCustomization, forKey: .formatCustomization)
        try container.encode(individualTracking, forKey: .individualTracking)
        try container.encode(dailyNoteInjection, forKey: .dailyNoteInjection)
        try container.encode(metricSelection, forKey: .metricSelection)
        try container.encodeIfPresent(appleExportEnginePin, forKey: .appleExportEnginePin)
    }
}
