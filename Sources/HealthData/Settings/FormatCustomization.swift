import CanonicalJSON

/// Units of Markdown bodies (export-formats.md 5.5).
public enum UnitPreference: String, Sendable, CaseIterable, Codable {
    /// Kilometres, kilograms, degrees Celsius.
    case metric = "Metric"
    /// Miles, pounds, degrees Fahrenheit.
    case imperial = "Imperial"
}

/// Body template of Markdown (export-formats.md 5.5).
public enum MarkdownStyle: String, Sendable, CaseIterable, Codable {
    /// Lists and collapsed sample tables.
    case standard = "Standard"
    /// Lists without tables.
    case compact = "Compact"
    /// Lists and open sample tables.
    case detailed = "Detailed"
    /// The person's own template.
    case custom = "Custom"
}

/// Look of Markdown and Bases (export-formats.md 5.5).
public struct FormatCustomization: Sendable, Equatable {
    /// `yyyy-MM-dd` or another style of ``DateStyle``.
    public var dateFormat = DateStyle.iso
    /// `HH:mm` or another style of ``TimeStyle``.
    public var timeFormat = TimeStyle.hourMinute
    /// Units of the body.
    public var units = UnitPreference.metric
    /// Keys of the front matter.
    public var frontMatter = FrontMatterSettings()
    /// Body template.
    public var style = MarkdownStyle.standard
    /// The person's template, for ``MarkdownStyle/custom``.
    public var customTemplate = ""
    /// Level of section headings, 1 to 5.
    public var sectionHeaderLevel = 2
    /// `-`, `*` or `+`.
    public var bulletStyle = "-"
    /// Emoji before section titles.
    public var usesEmoji = false
    /// The line of headline values under the title.
    public var includesSummary = true
    /// Details, samples and metadata of workouts, and `workout_details` in Bases.
    public var includesWorkoutDetails = true

    /// The defaults.
    public init() {}

    init(_ settings: SettingReader) throws {
        guard let reader = try settings.object("formatCustomization") else { return }
        dateFormat = try reader.choice("dateFormat") ?? .iso
        timeFormat = try reader.choice("timeFormat") ?? .hourMinute
        units = try reader.choice("unitPreference") ?? .metric
        frontMatter = try FrontMatterSettings(reader.object("frontmatterConfig"))
        includesWorkoutDetails =
            try reader.bool("includeWorkoutDetailsAndMetadata")
            ?? settings.bool("includeWorkoutDetailsAndMetadata") ?? true
        guard let template = try reader.object("markdownTemplate") else { return }
        style = try template.choice("style") ?? .standard
        customTemplate = try template.string("customTemplate") ?? ""
        sectionHeaderLevel = try template.integer("sectionHeaderLevel") ?? 2
        bulletStyle = try template.string("bulletStyle") ?? "-"
        usesEmoji = try template.bool("useEmoji") ?? false
        includesSummary = try template.bool("includeSummary") ?? true
        guard (1...5).contains(sectionHeaderLevel) else {
            throw HealthDataError.invalidSetting(
                key: "formatCustomization.markdownTemplate.sectionHeaderLevel", reason: "must be from 1 to 5")
        }
        guard ["-", "*", "+", "•"].contains(bulletStyle) else {
            throw HealthDataError.invalidSetting(
                key: "formatCustomization.markdownTemplate.bulletStyle", reason: "must be one of -, *, +, •")
        }
    }

    func snapshot() -> JSONObject {
        [
            "dateFormat": .string(dateFormat.rawValue), "timeFormat": .string(timeFormat.rawValue),
            "unitPreference": .string(units.rawValue), "frontmatterConfig": .object(frontMatter.snapshot()),
            "markdownTemplate": [
                "style": .string(style.rawValue), "customTemplate": .string(customTemplate),
                "sectionHeaderLevel": .integer(sectionHeaderLevel), "useEmoji": .bool(usesEmoji),
                "includeSummary": .bool(includesSummary), "bulletStyle": .string(bulletStyle),
            ],
        ]
    }
}

/// Keys of the front matter: renamed, left out, added (export-formats.md 5.5).
public struct FrontMatterSettings: Sendable, Equatable {
    /// How keys are spelled.
    public enum KeyStyle: String, Sendable, CaseIterable, Codable {
        /// `sleep_total_hours`.
        case snake = "snake_case"
        /// `sleepTotalHours`.
        case camel = "camelCase"
    }

    /// Whether `date` is written.
    public var includesDate = true
    /// Whether `type` is written.
    public var includesType = true
    /// The name of `date`.
    public var dateKey = "date"
    /// The name of `type`.
    public var typeKey = "type"
    /// The value of `type`.
    public var typeValue = "health-data"
    /// How keys are spelled.
    public var keyStyle = KeyStyle.snake
    /// Other names of output keys.
    public var customKeys: [String: String] = [:]
    /// Output keys that are left out.
    public var disabledKeys: Set<String> = []
    /// Fixed fields of the person, by name.
    public var customFields: [String: String] = [:]
    /// Empty fields for the person to fill.
    public var placeholderFields: [String] = []

    /// The defaults.
    public init() {}

    init(_ reader: SettingReader?) throws {
        guard let reader else { return }
        includesDate = try reader.bool("includeDate") ?? true
        includesType = try reader.bool("includeType") ?? true
        dateKey = try reader.string("customDateKey") ?? "date"
        typeKey = try reader.string("customTypeKey") ?? "type"
        typeValue = try reader.string("customTypeValue") ?? "health-data"
        keyStyle = try reader.choice("keyStyle") ?? .snake
        placeholderFields = try reader.strings("placeholderFields") ?? []
        for member in try reader.object("customFields")?.object.members ?? [] {
            customFields[member.key] = member.value.string
        }
        for field in try reader.elements("fields") ?? [] {
            guard let original = field["originalKey"]?.string else { continue }
            if field["isEnabled"]?.bool == false { disabledKeys.insert(original) }
            if let custom = field["customKey"]?.string, custom != original, !custom.isEmpty {
                customKeys[original] = custom
            }
        }
    }

    /// The name under which an output key is written; nil when it is left out.
    func name(of key: String) -> String? {
        guard !disabledKeys.contains(key) else { return nil }
        if let custom = customKeys[key] { return custom }
        return keyStyle == .camel ? Self.camelCase(key) : key
    }

    /// `sleep_total_hours` as `sleepTotalHours`.
    static func camelCase(_ key: String) -> String {
        let words = key.split(separator: "_")
        return words.dropFirst().reduce(words.first.map(String.init) ?? "") {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }

    func snapshot() -> JSONObject {
        let fields = Registry.current.outputs.map { output -> JSONValue in
            [
                "originalKey": .string(output.key), "customKey": .string(customKeys[output.key] ?? output.key),
                "isEnabled": .bool(!disabledKeys.contains(output.key)),
            ]
        }
        let custom = customFields.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, .string($0.value)) }
        return [
            "fields": .array(fields), "customFields": .object(JSONObject(custom)),
            "placeholderFields": .array(placeholderFields.map { .string($0) }), "includeDate": .bool(includesDate),
            "includeType": .bool(includesType), "customDateKey": .string(dateKey),
            "customTypeKey": .string(typeKey), "customTypeValue": .string(typeValue),
            "keyStyle": .string(keyStyle.rawValue),
        ]
    }
}
