/// Display preferences of Markdown and Bases (corpus-protocol.md 7).
public struct FormatCustomization: Sendable, Hashable, Codable {
    /// Date pattern.
    public var dateFormat = "yyyy-MM-dd"
    /// Time pattern.
    public var timeFormat = "HH:mm"
    /// `Metric` or another word of the source.
    public var unitPreference = "Metric"
    /// Front matter.
    public var frontmatterConfig = FrontmatterConfig()
    /// Markdown body.
    public var markdownTemplate = MarkdownTemplate()

    /// The defaults.
    public init() {}

    /// Reads preferences; what is missing has its default.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let standard = FormatCustomization()
        dateFormat = try container.value(.dateFormat, default: standard.dateFormat)
        timeFormat = try container.value(.timeFormat, default: standard.timeFormat)
        unitPreference = try container.value(.unitPreference, default: standard.unitPreference)
        frontmatterConfig = try container.value(.frontmatterConfig, default: standard.frontmatterConfig)
        markdownTemplate = try container.value(.markdownTemplate, default: standard.markdownTemplate)
    }
}

/// One field of the front matter.
public struct FrontmatterField: Sendable, Hashable, Codable {
    /// Name in the document.
    public var originalKey: String
    /// Name in the front matter.
    public var customKey: String
    /// Whether it is written.
    public var isEnabled: Bool

    /// A field.
    public init(originalKey: String, customKey: String, isEnabled: Bool = true) {
        self.originalKey = originalKey
        self.customKey = customKey
        self.isEnabled = isEnabled
    }
}

/// The front matter of Markdown and Bases.
public struct FrontmatterConfig: Sendable, Hashable, Codable {
    /// Renamed or suppressed fields, in order.
    public var fields: [FrontmatterField] = []
    /// Fields with fixed values.
    public var customFields: [String: String] = [:]
    /// Fields that are written empty.
    public var placeholderFields: [String] = []
    /// Whether the date is written.
    public var includeDate = true
    /// Whether the type is written.
    public var includeType = true
    /// Name of the date.
    public var customDateKey = "date"
    /// Name of the type.
    public var customTypeKey = "type"
    /// The type.
    public var customTypeValue = "health-data"
    /// `snake_case` or another word of the source.
    public var keyStyle = "snake_case"

    /// The defaults.
    public init() {}

    /// Reads preferences; what is missing has its default.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let standard = FrontmatterConfig()
        fields = try container.value(.fields, default: [])
        customFields = try container.value(.customFields, default: [:])
        placeholderFields = try container.value(.placeholderFields, default: [])
        includeDate = try container.value(.includeDate, default: standard.includeDate)
        includeType = try container.value(.includeType, default: standard.includeType)
        customDateKey = try container.value(.customDateKey, default: standard.customDateKey)
        customTypeKey = try container.value(.customTypeKey, default: standard.customTypeKey)
        customTypeValue = try container.value(.customTypeValue, default: standard.customTypeValue)
        keyStyle = try container.value(.keyStyle, default: standard.keyStyle)
    }
}

/// The body of Markdown.
public struct MarkdownTemplate: Sendable, Hashable, Codable {
    /// `Standard`, `Custom` or another word of the source.
    public var style = "Standard"
    /// The text of a custom template.
    public var customTemplate = ""
    /// Level of section headings.
    public var sectionHeaderLevel = 2
    /// Emoji before headings.
    public var useEmoji = false
    /// A summary at the top.
    public var includeSummary = true
    /// Mark of list entries.
    public var bulletStyle = "-"

    /// The defaults.
    public init() {}

    /// Reads preferences; what is missing has its default.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let standard = MarkdownTemplate()
        style = try container.value(.style, default: standard.style)
        customTemplate = try container.value(.customTemplate, default: standard.customTemplate)
        sectionHeaderLevel = try container.value(.sectionHeaderLevel, default: standard.sectionHeaderLevel)
        useEmoji = try container.value(.useEmoji, default: standard.useEmoji)
        includeSummary = try container.value(.includeSummary, default: standard.includeSummary)
        bulletStyle = try container.value(.bulletStyle, default: standard.bulletStyle)
    }
}

/// How one metric is tracked. Further keys of the source stay in the snapshot's text.
public struct MetricTracking: Sendable, Hashable, Codable {
    /// Folder of the metric's entries.
    public var customFolder: String?
    /// Whether the metric has entries; nil, the usual case, means yes.
    public var isEnabled: Bool?

    /// Tracking of a metric.
    public init(customFolder: String? = nil, isEnabled: Bool? = nil) {
        self.customFolder = customFolder
        self.isEnabled = isEnabled
    }
}

/// Files of single entries.
public struct IndividualTracking: Sendable, Hashable, Codable {
    /// Whether there are any.
    public var globalEnabled = false
    /// Metrics with settings of their own, by identifier.
    public var metricConfigs: [String: MetricTracking] = [:]
    /// Folder of entries.
    public var entriesFolder = "entries"
    /// One folder per category.
    public var useCategoryFolders = true
    /// Template of file names.
    public var filenameTemplate = "{date}_{time}_{metric}"

    /// The defaults.
    public init() {}

    /// Reads preferences; what is missing has its default.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let standard = IndividualTracking()
        globalEnabled = try container.value(.globalEnabled, default: standard.globalEnabled)
        metricConfigs = try container.value(.metricConfigs, default: [:])
        entriesFolder = try container.value(.entriesFolder, default: standard.entriesFolder)
        useCategoryFolders = try container.value(.useCategoryFolders, default: standard.useCategoryFolders)
        filenameTemplate = try container.value(.filenameTemplate, default: standard.filenameTemplate)
    }
}

/// Daily notes.
public struct DailyNoteInjection: Sendable, Hashable, Codable {
    /// Whether notes are changed.
    public var enabled = false
    /// Folder of notes, below the destination.
    public var folderPath = "Daily"
    /// Template of note names.
    public var filenamePattern = "{date}"
    /// Whether a missing note is created.
    public var createIfMissing = false
    /// Whether sections are written into the body.
    public var injectMarkdownSections = false
    /// Whether no other file is written.
    public var dailyNotesOnly = false

    /// The defaults.
    public init() {}

    /// Reads preferences; what is missing has its default.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let standard = DailyNoteInjection()
        enabled = try container.value(.enabled, default: standard.enabled)
        folderPath = try container.value(.folderPath, default: standard.folderPath)
        filenamePattern = try container.value(.filenamePattern, default: standard.filenamePattern)
        createIfMissing = try container.value(.createIfMissing, default: standard.createIfMissing)
        injectMarkdownSections = try container.value(.injectMarkdownSections, default: false)
        dailyNotesOnly = try container.value(.dailyNotesOnly, default: standard.dailyNotesOnly)
    }
}

/// Metrics that are exported; both lists are sets.
public struct MetricSelection: Sendable, Hashable, Codable {
    /// Metric identifiers.
    public var enabledMetricIDs: [String] = []
    /// Category identifiers.
    public var enabledCategoryIDs: [String] = []

    /// No metric.
    public init() {}

    /// Reads a selection; a missing list is empty.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        enabledMetricIDs = try container.value(.enabledMetricIDs, default: [])
        enabledCategoryIDs = try container.value(.enabledCategoryIDs, default: [])
    }
}
