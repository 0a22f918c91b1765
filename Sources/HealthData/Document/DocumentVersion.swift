/// The versions of `healthmd.health_data` that are written and read (health-data.md 1). Readers know exactly
/// these; there is no "or newer".
public enum DocumentVersion: Int, Sendable, CaseIterable, Codable {
    /// The version named by the transfer documentation; our default.
    case v8 = 8
    /// The newest shipped: the same keys, units and rules.
    case v10 = 10

    /// `healthmd.health_data`.
    public static let schema = "healthmd.health_data"
}

/// How much of a day its document holds (health-data.md 2.1).
public enum DetailLevel: String, Sendable, CaseIterable, Codable {
    /// Values of the day only.
    case summary
    /// Sample arrays too.
    case timeSeries = "time_series"
    /// Sample arrays and the record archive.
    case lossless

    /// Whether sample arrays are written.
    public var includesSamples: Bool { self != .summary }
}

/// What this room refuses. The codes are stable.
public enum HealthDataError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes are not the JSON that a day document must be.
    case unreadableDocument(code: String, offset: Int)
    /// A member is missing or of another kind.
    case invalidMember(path: String, expected: String)
    /// The document's schema is another one.
    case unknownSchema(String)
    /// The document's version is not one of ``DocumentVersion``.
    case unsupportedVersion(String)
    /// The document is a failure placeholder.
    case failurePlaceholder
    /// The zone that defines a day is not known here.
    case unknownZone(String)
    /// A setting is malformed or names an unsafe path.
    case invalidSetting(key: String, reason: String)
    /// Two planned files would be the same file.
    case pathCollision(String)
    /// Content that a format cannot be joined with.
    case unmergeable(format: String, reason: String)
    /// A part of a day was to replace a file that holds more of it.
    case selectionWouldReplace(path: String)

    /// A stable code.
    public var code: String {
        switch self {
        case .unreadableDocument: "document_unreadable"
        case .invalidMember: "document_member_invalid"
        case .unknownSchema: "document_schema_unknown"
        case .unsupportedVersion: "document_version_unsupported"
        case .failurePlaceholder: "document_is_failure_placeholder"
        case .unknownZone: "time_zone_unknown"
        case .invalidSetting: "setting_invalid"
        case .pathCollision: "path_collision"
        case .unmergeable: "content_unmergeable"
        case .selectionWouldReplace: "selection_would_replace"
        }
    }

    /// The code and a sentence that names the next step; never a health value.
    public var description: String {
        switch self {
        case .unreadableDocument(let reason, let offset):
            "\(code): \(reason) at byte \(offset); this is not a day document, check where it came from"
        case .invalidMember(let path, let expected):
            "\(code): \(path) must be \(expected); check the program that wrote the document"
        case .unknownSchema(let schema):
            "\(code): schema \(schema) is not \(DocumentVersion.schema); give a day document"
        case .unsupportedVersion(let version):
            "\(code): version \(version) of \(DocumentVersion.schema) is not read here; export the day as version 8 or 10"
        case .failurePlaceholder:
            "\(code): the document says that its day could not be serialized; request the day again"
        case .unknownZone(let zone):
            "\(code): \(zone) is not a time zone known here; use an IANA name such as Europe/Berlin"
        case .invalidSetting(let key, let reason):
            "\(code): \(key) \(reason); change it with `healthmd phone settings set`"
        case .pathCollision(let path):
            "\(code): two files would be written to \(path); change the name or folder template"
        case .unmergeable(let format, let reason):
            "\(code): \(format) \(reason); use the write mode Overwrite"
        case .selectionWouldReplace(let path):
            "\(code): \(path) holds more than was asked for and stays as it was; choose another folder with "
                + "--destination, or replace it with --replace"
        }
    }
}
