import CanonicalJSON
import Foundation

/// One canonical day document, `healthmd.health_data` (health-data.md 2), as the tree that every file of the day is
/// rendered from.
///
/// Made either from a ``DailyRecord`` or from the bytes of a document; in the second case members that we do not know
/// are kept, and ``canonicalBytes()`` gives the same bytes again.
public struct DayDocument: Sendable, Equatable {
    /// Its version.
    public let version: DocumentVersion
    /// The owner day.
    public let date: CivilDate
    /// The zone that defines the day, an IANA name.
    public let zoneIdentifier: String
    /// All members.
    public let root: JSONObject

    init(version: DocumentVersion, date: CivilDate, zoneIdentifier: String, root: JSONObject) {
        self.version = version
        self.date = date
        self.zoneIdentifier = zoneIdentifier
        self.root = root
    }

    /// The value at a path of member names joined with dots: `sleep.totalDuration`.
    public func value(_ path: String) -> JSONValue? {
        var value: JSONValue?
        for name in path.split(separator: ".") {
            value = value == nil ? root[String(name)] : value?[String(name)]
            if value == nil { return nil }
        }
        return value
    }

    /// The number at a path.
    func number(_ path: String) -> Double? { value(path)?.number?.double }
    /// The string at a path.
    func string(_ path: String) -> String? { value(path)?.string }
    /// The elements of the array at a path; empty when there is none.
    func elements(_ path: String) -> [JSONValue] { value(path)?.array ?? [] }

    /// The archive, when the document is lossless.
    public var archive: JSONObject? { root["healthkit_record_archive"]?.object }

    /// The bytes of the daily file (health-data.md 4.1), with the final line feed.
    public func canonicalBytes() -> [UInt8] {
        var bytes = JSONWriter.encode(.object(root), style: .daily)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    /// The members that are no summary section (health-data.md 2).
    static let envelopeNames: Set<String> = [
        "schema", "schema_version", "type", "date", "time_context", "unit_system", "units", "raw_capture_status",
        "healthkit_record_archive", "diagnostics",
    ]

    /// Whether any summary section is there.
    public var hasSummaryData: Bool {
        root.members.contains { !Self.envelopeNames.contains($0.key) }
    }

    // MARK: Reading

    /// The document in UTF-8 bytes. Refuses another schema or version by name, and failure placeholders.
    public init(parsing bytes: [UInt8]) throws {
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch let error as JSONError {
            throw HealthDataError.unreadableDocument(code: error.code.rawValue, offset: error.offset)
        }
        guard let root = value.object else {
            throw HealthDataError.invalidMember(path: "the document", expected: "an object")
        }
        guard root["schema"]?.string == DocumentVersion.schema else {
            throw HealthDataError.unknownSchema(Self.name(root["schema"]))
        }
        guard root["type"]?.string != "health-data-serialization-error" else {
            throw HealthDataError.failurePlaceholder
        }
        guard let version = root["schema_version"]?.number?.int.flatMap(DocumentVersion.init(rawValue:)) else {
            throw HealthDataError.unsupportedVersion(Self.name(root["schema_version"]))
        }
        guard let date = root["date"]?.string.flatMap({ CivilDate($0) }) else {
            throw HealthDataError.invalidMember(path: "date", expected: "a day yyyy-MM-dd")
        }
        guard let zone = root["time_context"]?["calendar_timezone"]?.string else {
            throw HealthDataError.invalidMember(path: "time_context.calendar_timezone", expected: "an IANA zone name")
        }
        _ = try ZoneClock(identifier: zone)
        self.init(version: version, date: date, zoneIdentifier: zone, root: root)
    }

    /// A short printable form of an identifying member, which holds no health value.
    private static func name(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): String(text.prefix(64).filter { !$0.isNewline })
        case .number(let number): number.int.map(String.init) ?? "of another kind"
        case nil: "(none)"
        default: "of another kind"
        }
    }
}
