import CanonicalJSON
import Foundation

/// The settings of a job as the source sent them: what this program uses of them, and their exact text
/// (corpus-protocol.md 7).
///
/// Two snapshots are equal when their texts are.
@dynamicMemberLookup
public struct SettingsSnapshot: Sendable, Hashable {
    /// The JSON text, as received or as first written.
    public let text: [UInt8]
    /// The typed view.
    public let content: SettingsContent

    /// Reads a snapshot. Throws `MessageError`.
    public init(text: [UInt8]) throws {
        do {
            _ = try JSONTokenizer.read(text) { try $0.skipValue() }
            content = try JSONDecoder().decode(SettingsContent.self, from: Data(text))
        } catch {
            throw MessageError(decoding: error)
        }
        self.text = text
    }

    /// Writes a snapshot of our own.
    public init(_ content: SettingsContent) {
        self.content = content
        text = WireEncoding.text(of: content)
    }

    /// A setting.
    public subscript<Value>(dynamicMember path: KeyPath<SettingsContent, Value>) -> Value { content[keyPath: path] }

    /// Whether any file would be written (corpus-protocol.md 7).
    public var hasFileOutput: Bool {
        (content.dailyNoteInjection.enabled && content.dailyNoteInjection.dailyNotesOnly)
            || !content.exportFormats.isEmpty
    }

    /// Whether summaries of more than a day are wanted; daily notes alone suppress them.
    public var wantsRollups: Bool {
        guard !(content.dailyNoteInjection.enabled && content.dailyNoteInjection.dailyNotesOnly) else { return false }
        return content.generateRangeSummary || content.generateWeeklyRollups || content.generateMonthlyRollups
            || content.generateYearlyRollups || content.summaryOnlyExport
    }

    /// The first setting that names a place outside the destination (corpus-protocol.md 5.3).
    var unsafePathKey: String? {
        let tracking = content.individualTracking
        let notes = content.dailyNoteInjection
        let paths: [(String, String?)] =
            [
                ("healthSubfolder", content.healthSubfolder), ("filenameFormat", content.filenameFormat),
                ("folderStructure", content.folderStructure),
                ("individualTracking.entriesFolder", tracking.entriesFolder),
                ("individualTracking.filenameTemplate", tracking.filenameTemplate),
                ("dailyNoteInjection.folderPath", notes.folderPath),
                ("dailyNoteInjection.filenamePattern", notes.filenamePattern),
            ] + tracking.metricConfigs.values.map { ("individualTracking.metricConfigs", $0.customFolder) }
        return paths.first { !PathSafety.isSafe($0.1 ?? "") }?.0
    }
}

/// What a path or path template of a peer may look like (corpus-protocol.md 5.3).
public enum PathSafety {
    /// Longest path in UTF-8 bytes.
    public static let maximumByteCount = 4_096

    /// Whether a text is short enough, relative, free of control characters and of `.` and `..` components.
    public static func isSafe(_ path: String) -> Bool {
        path.utf8.count <= maximumByteCount && !path.utf8.starts(with: "/".utf8)
            && !path.unicodeScalars.contains { $0.properties.generalCategory == .control }
            && !path.utf8.split(separator: UInt8(ascii: "/")).contains { component in
                component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8)
            }
    }
}

/// JSON texts that this program writes for its peers.
enum WireEncoding {
    /// The compact text of a value of ours, with `/` as it is.
    static func text<Value: Encodable>(of value: Value) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return [UInt8](try encoder.encode(value))
        } catch {
            // Every payload consists of finite numbers, strings, lists and objects.
            preconditionFailure("a payload of ours cannot be encoded: \(type(of: value))")
        }
    }
}
