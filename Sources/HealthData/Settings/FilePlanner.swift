import CanonicalJSON

/// One file that a day gives rise to.
public struct PlannedFile: Sendable, Hashable {
    /// What it holds.
    public enum Content: Sendable, Hashable {
        /// The day in one format.
        case day(ExportFormat)
        /// The data dictionary.
        case dataDictionary
    }

    /// What it holds.
    public let content: Content
    /// Its path below the root, `/`-separated, safe.
    public let path: String
}

/// Plans names and folders (export-formats.md 2). A pure function of settings and date: the date is the day's own label,
/// so no zone of the receiver can change a name.
public struct FilePlanner: Sendable {
    let settings: ExportSettings

    /// The name of the data dictionary (export-formats.md 6).
    public static let dataDictionaryName = "_healthmd_data_dictionary.json"

    /// A planner for these settings.
    public init(_ settings: ExportSettings) { self.settings = settings }

    /// The loose files of a day, in format order. Throws `setting_invalid` when a template gives an unsafe path.
    public func files(for date: CivilDate) throws(HealthDataError) -> [PlannedFile] {
        var files: [PlannedFile] = []
        for format in settings.formats {
            files.append(PlannedFile(content: .day(format), path: try path(of: format, on: date)))
        }
        return files
    }

    /// The path of the data dictionary; nil when it is switched off.
    public var dataDictionaryPath: String? {
        guard settings.includesDataDictionary else { return nil }
        return RelativePath.join([settings.healthSubfolder, Self.dataDictionaryName])
    }

    /// The path of one format on a day.
    public func path(of format: ExportFormat, on date: CivilDate) throws(HealthDataError) -> String {
        try checked(RelativePath.join([settings.healthSubfolder, pathBelowSubfolder(of: format, on: date)]))
    }

    /// The same without the health subfolder: the entry name in an archive.
    public func pathBelowSubfolder(of format: ExportFormat, on date: CivilDate) -> String {
        let name = PathTemplate.text(settings.filenameFormat, date: date) + suffix(of: format)
        return RelativePath.join([
            settings.organizesFormatsIntoFolders ? format.folderName : "",
            PathTemplate.text(settings.folderStructure, date: date), "\(name).\(format.fileExtension)",
        ])
    }

    /// `-bases` where Markdown and Bases would share a name (export-formats.md 2).
    func suffix(of format: ExportFormat) -> String {
        let needsSuffix =
            format == .bases && settings.formats.contains(.markdown) && !settings.organizesFormatsIntoFolders
        return needsSuffix ? "-bases" : ""
    }

    /// The path of the daily note; nil when notes are not touched (export-formats.md 11).
    public func dailyNotePath(on date: CivilDate) throws(HealthDataError) -> String? {
        guard settings.dailyNotes.isEnabled else { return nil }
        let name = PathTemplate.text(settings.dailyNotes.filenamePattern, date: date)
        return try checked(
            RelativePath.join([PathTemplate.text(settings.dailyNotes.folderPath, date: date), "\(name).md"]))
    }

    /// Refuses plans in which two targets are one file, before anything is written: day and day, day and dictionary, day
    /// and daily note (export-formats.md 2).
    public func checkCollisions(for dates: some Sequence<CivilDate>) throws(HealthDataError) {
        var seen: Set<String> = []
        func claim(_ path: String) throws(HealthDataError) {
            guard seen.insert(RelativePath.collisionKey(path)).inserted else { throw .pathCollision(path) }
        }
        if let path = dataDictionaryPath { try claim(path) }
        for date in dates {
            if !(settings.dailyNotes.isEnabled && settings.dailyNotes.notesOnly) {
                for file in try files(for: date) { try claim(file.path) }
            }
            if let path = try dailyNotePath(on: date) { try claim(path) }
        }
    }

    /// The path of what another provider delivered for a day; nil when the provider's name can be no folder. The place is
    /// ours: none is published.
    public func sidecarPath(provider: String, on date: CivilDate) throws(HealthDataError) -> String? {
        let isName = provider.utf8.allSatisfy {
            $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        guard isName, !provider.isEmpty, provider.utf8.count <= Self.maximumProviderByteCount else { return nil }
        return try checked(
            RelativePath.join([
                settings.healthSubfolder, Self.providersFolder, provider.lowercased(),
                PathTemplate.text(settings.folderStructure, date: date),
                PathTemplate.text(settings.filenameFormat, date: date) + ".json",
            ]))
    }

    /// The folder of other providers' records, below the health subfolder.
    static let providersFolder = "Providers"
    /// The longest name of a provider that becomes a folder.
    static let maximumProviderByteCount = 64

    /// The folders that single entries go to, as far as settings name them; those of categories lie in the first.
    public var entryFolders: [String] {
        let tracking = settings.individualTracking
        let base = [settings.healthSubfolder, tracking.entriesFolder]
        let own = tracking.metrics.values.filter(\.isEnabled).compactMap(\.customFolder)
        return [RelativePath.join(base)] + own.map { RelativePath.join(base + [$0]) }
    }

    private func checked(_ path: String) throws(HealthDataError) -> String {
        if let fault = RelativePath.fault(in: path) {
            throw .invalidSetting(key: "filenameFormat", reason: "gives a path that \(fault)")
        }
        return path
    }
}

/// Placeholders of name and folder templates (export-formats.md 2).
enum PathTemplate {
    static func text(_ template: String, date: CivilDate) -> String {
        let iso = date.description
        let values: [(placeholder: String, value: String)] = [
            ("{date}", iso), ("{year}", String(iso.prefix(4))), ("{YR}", String(iso.dropFirst(2).prefix(2))),
            ("{month}", String(iso.dropFirst(5).prefix(2))), ("{day}", String(iso.suffix(2))),
            ("{monthName}", DateStyle.months[date.month - 1]), ("{weekday}", DateStyle.weekdays[date.weekday - 1]),
            ("{quarter}", "Q\((date.month + 2) / 3)"),
        ]
        var text = template
        for (placeholder, value) in values where text.contains(placeholder) {
            text = text.split(separator: placeholder, omittingEmptySubsequences: false).joined(separator: value)
        }
        return text
    }
}
