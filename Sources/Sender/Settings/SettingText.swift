import CanonicalJSON
import ConnectedProtocol

/// A person's text as a value of a setting: `true`, `2`, `JSON,CSV`, `{"a":"b"}`, or plain words.
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
        case .string:
            return .string(text)
        case .array:
            if text.hasPrefix("[") { return try parsed(text, key: key) { $0.array != nil } }
            let parts = text.split(separator: ",").map { String($0).trimmed }
            return .array(parts.filter { !$0.isEmpty }.map { .string($0) })
        case .object:
            return try parsed(text, key: key) { $0.object != nil }
        case .null:
            return .string(text)
        }
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

    /// Throws `invalid_setting` with the values that are allowed.
    static func check(_ value: JSONValue, key: String) throws {
        if let allowed = words[key] {
            let given = value.array?.compactMap(\.string) ?? [value.string ?? ""]
            guard given.allSatisfy(allowed.contains) else {
                throw SenderError.setting(key: key, "allowed are \(allowed.joined(separator: ", "))")
            }
        }
        if paths.contains(key), let path = value.string, !PathSafety.isSafe(path) {
            throw SenderError.setting(key: key, "the path must stay below the destination folder")
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
