import CanonicalJSON

/// Files of single entries (export-formats.md 10).
public struct IndividualTracking: Sendable, Equatable {
    /// What is wanted for one metric.
    public struct Metric: Sendable, Equatable {
        /// Whether entries are written.
        public var isEnabled: Bool
        /// A folder of the metric's own; nil for the usual one.
        public var customFolder: String?

        /// A metric's wish.
        public init(isEnabled: Bool, customFolder: String? = nil) {
            self.isEnabled = isEnabled
            self.customFolder = customFolder
        }
    }

    /// Whether any entry is written.
    public var isEnabled = false
    /// The folder of all entries.
    public var entriesFolder = "entries"
    /// One folder a category.
    public var usesCategoryFolders = true
    /// Name template without extension.
    public var filenameTemplate = "{date}_{time}_{metric}"
    /// Wishes by metric id.
    public var metrics: [String: Metric] = [:]

    /// The defaults.
    public init() {}

    init(_ reader: SettingReader?) throws {
        guard let reader else { return }
        isEnabled = try reader.bool("globalEnabled") ?? false
        entriesFolder = try reader.path("entriesFolder") ?? "entries"
        usesCategoryFolders = try reader.bool("useCategoryFolders") ?? true
        filenameTemplate = try reader.path("filenameTemplate") ?? "{date}_{time}_{metric}"
        guard let configs = try reader.object("metricConfigs") else { return }
        for member in configs.object.members {
            guard let config = try configs.object(member.key) else { continue }
            metrics[member.key] = Metric(
                isEnabled: try config.bool("isEnabled") ?? config.bool("trackIndividually") ?? true,
                customFolder: try config.path("customFolder"))
        }
    }

    func snapshot() -> JSONObject {
        let configs = metrics.sorted { $0.key < $1.key }.map { id, metric -> JSONObject.Member in
            var object: JSONObject = ["isEnabled": .bool(metric.isEnabled)]
            object.append("customFolder", ifPresent: metric.customFolder.map { .string($0) })
            return JSONObject.Member(id, .object(object))
        }
        return [
            "globalEnabled": .bool(isEnabled), "metricConfigs": .object(JSONObject(configs)),
            "entriesFolder": .string(entriesFolder), "useCategoryFolders": .bool(usesCategoryFolders),
            "filenameTemplate": .string(filenameTemplate),
        ]
    }
}

/// Merging a day into a daily note (export-formats.md 11).
public struct DailyNoteSettings: Sendable, Equatable {
    /// Whether notes are touched.
    public var isEnabled = false
    /// Folder below the root, not below the health subfolder.
    public var folderPath = "Daily"
    /// Name template without extension.
    public var filenamePattern = "{date}"
    /// Whether a missing note is created.
    public var createsIfMissing = false
    /// Whether sections are merged too, not only front matter.
    public var injectsSections = false
    /// Whether every other file is suppressed.
    public var notesOnly = false

    /// The defaults.
    public init() {}

    init(_ reader: SettingReader?) throws {
        guard let reader else { return }
        isEnabled = try reader.bool("enabled") ?? false
        folderPath = try reader.path("folderPath") ?? "Daily"
        filenamePattern = try reader.path("filenamePattern") ?? "{date}"
        createsIfMissing = try reader.bool("createIfMissing") ?? false
        injectsSections = try reader.bool("injectMarkdownSections") ?? false
        notesOnly = try reader.bool("dailyNotesOnly") ?? false
    }

    func snapshot() -> JSONObject {
        [
            "enabled": .bool(isEnabled), "folderPath": .string(folderPath),
            "filenamePattern": .string(filenamePattern), "createIfMissing": .bool(createsIfMissing),
            "injectMarkdownSections": .bool(injectsSections), "dailyNotesOnly": .bool(notesOnly),
        ]
    }
}
