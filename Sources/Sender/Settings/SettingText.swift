import CanonicalJSON
import ConnectedProtocol
import HealthData

/// A person's text as a value of a setting: `true`, `2`, `JSON,CSV`, `{"a":"b"}`, or plain words; and what `phone settings` prints
/// of it, which is JSON.
enum SettingText {
    /// The value of a text, of the kind that the setting has now.
    static func value(of text: String, like current: JSONValue, key: String) throws -> JSONValue {
        switch current {
        case .bool:
            switch text.lowercased() {
            case "true", "on", "yes": return true
            case "false", "off", "no": return false
            default: throw SenderError.setting(key: key, "it is true or false")
            }
        case .number:
            guard let number = Int(text) else { throw SenderError.setting(key: key, "it is a whole number") }
            return .integer(number)
        case .string: return try string(text, key: key)
        case .array:
            if text.hasPrefix("[") { return try parsed(text, key: key) { $0.array != nil } }
            let parts = text.split(separator: ",").map { String($0).trimmed }
            return .array(parts.filter { !$0.isEmpty }.map { .string($0) })
        case .object:
            return try parsed(text, key: key) { $0.object != nil }
        case .null:
            return text == "null" ? .null : try string(text, key: key)
        }
    }

    /// Quoted text is JSON: the printed form. Anything else stands for itself; nothing at all is the empty text.
    private static func string(_ text: String, key: String) throws -> JSONValue {
        guard text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") else { return .string(text) }
        return try parsed(text, key: key) { $0.string != nil }
    }

    private static func parsed(
        _ text: String, key: String, _ isRight: (JSONValue) -> Bool
    ) throws -> JSONValue {
        do {
            let value = try JSONParser.parse(Array(text.utf8))
            if isRight(value) { return value }
        } catch {
            // Said below, in the person's terms.
        }
        throw SenderError.setting(key: key, "the text is not the JSON of such a value")
    }
}

/// What a setting may be, beyond its kind (export-formats.md 1, 2).
enum SettingRules {
    private static let words: [String: [String]] = [
        "exportFormats": ["Markdown", "Obsidian Bases", "JSON", "CSV"],
        "writeMode": ["Overwrite", "Append", "Update"],
        "compatibilityDetail": ["summary", "selected_time_series"],
        "healthKitSourceArchivePolicy": ["none", "canonical_v1"],
        "formatCustomization.unitPreference": ["Metric", "Imperial"],
    ]

    private static let paths: Set<String> = [
        "healthSubfolder", "filenameFormat", "folderStructure", "individualTracking.entriesFolder",
        "individualTracking.filenameTemplate", "dailyNoteInjection.folderPath", "dailyNoteInjection.filenamePattern",
    ]

    /// Lists of ids of metrics, and maps by them.
    private static let metrics: Set<String> = ["metricSelection.enabledMetricIDs", "individualTracking.metricConfigs"]

    /// Throws `invalid_setting` with the values that are allowed.
    static func check(_ value: JSONValue, key: String) throws {
        if let allowed = words[key] {
            let given = value.array?.compactMap(\.string) ?? [value.string ?? ""]
            guard given.allSatisfy(allowed.contains), !given.isEmpty else {
                throw SenderError.setting(key: key, "allowed are \(allowed.joined(separator: ", "))")
            }
        }
        if paths.contains(key), let path = value.string, !PathSafety.isSafe(path) {
            throw SenderError.setting(key: key, "the path must stay below the destination folder")
        }
        if metrics.contains(key) {
            let ids = value.object?.members.map(\.key) ?? value.array?.compactMap(\.string) ?? []
            guard ids.allSatisfy({ Registry.current.metric($0) != nil }) else {
                throw SenderError.setting(
                    key: key, "it names a metric that does not exist; healthmd metrics lists them")
            }
        }
        if let text = value.string, text.utf8.count > maximumTextByteCount {
            throw SenderError.setting(key: key, "it has more than \(maximumTextByteCount) bytes")
        }
    }

    /// The longest text of a setting: a template of the body.
    static let maximumTextByteCount = 65_536
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
