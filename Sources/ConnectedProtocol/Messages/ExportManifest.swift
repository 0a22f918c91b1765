import CanonicalJSON
import Cryptography
import Foundation

/// Where a file export was meant to go.
public struct RequestedTarget: Sendable, Hashable, Codable {
    /// Kind of place.
    public enum Kind: String, Sendable, Codable {
        /// A folder of the source.
        case iPhoneFolder
        /// The destination.
        case connectedMac
        /// Both.
        case both
    }

    /// Kind of place.
    public var kind: Kind
    /// Name for people.
    public var displayName: String
    /// Name of the destination.
    public var destinationDisplayName: String?

    /// A target.
    public init(kind: Kind, displayName: String, destinationDisplayName: String? = nil) {
        self.kind = kind
        self.displayName = displayName
        self.destinationDisplayName = destinationDisplayName
    }
}

/// The keys of an export manifest beside its settings (corpus-protocol.md 5.3).
public struct ManifestContent: Sendable, Hashable, Codable {
    /// What the session is for.
    public var mode: CorpusMode
    /// When the job was made.
    public var createdAt: ProtocolDate
    /// Name of the source.
    public var sourceDeviceName: String
    /// Zone of the source's calendar.
    public var sourceTimeZoneIdentifier: String?
    /// First requested day.
    public var dateRangeStart: ProtocolDate
    /// Last requested day.
    public var dateRangeEnd: ProtocolDate
    /// Requested days.
    public var requestedDates: [ProtocolDate]
    /// Their labels, one to one.
    public var requestedDateIdentifiers: [String]?
    /// Days that are sent, one item each, in this order.
    public var transferDates: [ProtocolDate]
    /// Renderer that the source pinned.
    public var appleExportEnginePin: EnginePin?
    /// Kind of raw result.
    public var rawProfile: RawProfile?
    /// Part of the data.
    public var canonicalSelection: CanonicalSelection?
    /// Sources that are sent.
    public var selectedSourceIDs: [String]?
    /// Where the export was meant to go.
    public var requestedTarget: RequestedTarget?
    /// Days of the first attempt, when this one transfers the rest.
    public var originalRequestedDates: [ProtocolDate]?
    /// Zone of those days.
    public var originalCalendarTimeZoneIdentifier: String?

    /// The manifest of a job whose requested days are also the days that are sent; the rest is set afterwards.
    public init(
        mode: CorpusMode, createdAt: ProtocolDate, sourceDeviceName: String, sourceTimeZoneIdentifier: String?,
        requestedDates: [ProtocolDate], requestedDateIdentifiers: [String]?
    ) {
        precondition(!requestedDates.isEmpty, "a job has a day")
        self.mode = mode
        self.createdAt = createdAt
        self.sourceDeviceName = sourceDeviceName
        self.sourceTimeZoneIdentifier = sourceTimeZoneIdentifier
        dateRangeStart = requestedDates[0]
        dateRangeEnd = requestedDates[requestedDates.count - 1]
        self.requestedDates = requestedDates
        self.requestedDateIdentifiers = requestedDateIdentifiers
        transferDates = requestedDates
    }
}

/// What a session exports: a typed view and the exact text (corpus-protocol.md 5.3, 6).
///
/// The text is what the fingerprint is taken of, so that keys which only a newer peer knows still count. Two manifests
/// are equal when their fingerprints are: order of keys and of sets means nothing.
@dynamicMemberLookup
public struct ExportManifest: Sendable, Hashable {
    /// The JSON text, as received or as first written.
    public let text: [UInt8]
    /// The typed view.
    public let content: ManifestContent
    /// The settings of the job.
    public let settings: SettingsSnapshot
    /// Identity of the request.
    public let fingerprint: RequestFingerprint

    /// Whether files are made by one range plan: a source's renderer is pinned and roll-ups are wanted (corpus-protocol.md 13.6).
    public var isPinnedRollup: Bool {
        (content.appleExportEnginePin ?? settings.content.appleExportEnginePin) != nil && settings.wantsRollups
    }

    /// Reads a manifest and checks every rule that needs no calendar. Throws `MessageError` or `ManifestError`.
    public init(text: [UInt8]) throws {
        let content: ManifestContent
        let settingsText: [UInt8]
        do {
            settingsText = try ExportManifest.settingsText(in: text)
            content = try JSONDecoder().decode(ManifestContent.self, from: Data(text))
        } catch {
            throw MessageError(decoding: error)
        }
        try self.init(text: text, content: content, settings: SettingsSnapshot(text: settingsText))
    }

    /// Writes a manifest of our own. Throws `ManifestError` when it breaks a rule.
    public init(_ content: ManifestContent, settings: SettingsSnapshot) throws {
        var text = WireEncoding.text(of: content)
        text.removeLast()
        text += #","settingsSnapshot":"#.utf8
        text += settings.text
        text.append(UInt8(ascii: "}"))
        try self.init(text: text, content: content, settings: settings)
    }

    private init(text: [UInt8], content: ManifestContent, settings: SettingsSnapshot) throws {
        self.text = text
        self.content = content
        self.settings = settings
        do {
            fingerprint = try RequestFingerprint(manifestText: text)
        } catch {
            throw MessageError(decoding: error)
        }
        if let error = content.firstError ?? content.firstError(with: settings) { throw error }
    }

    /// A key of the manifest.
    public subscript<Value>(dynamicMember path: KeyPath<ManifestContent, Value>) -> Value { content[keyPath: path] }

    /// The label of a requested day.
    public func identifier(of date: ProtocolDate) -> String? {
        guard let labels = content.requestedDateIdentifiers, let index = content.requestedDates.firstIndex(of: date)
        else { return nil }
        return labels[index]
    }

    /// The same fingerprint.
    public static func == (left: ExportManifest, right: ExportManifest) -> Bool {
        left.fingerprint == right.fingerprint
    }

    /// Feeds the fingerprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

    private static func settingsText(in text: [UInt8]) throws -> [UInt8] {
        try JSONTokenizer.read(text) { tokens in
            guard try tokens.next() == .beginObject else { throw MessageError.envelope(offset: 0) }
            var settings: [UInt8]?
            while try tokens.next() == .key {
                let isSettings = tokens.keyBytes.elementsEqual("settingsSnapshot".utf8)
                let range = try tokens.skipValue()
                if isSettings { settings = Array(text[range]) }
            }
            _ = try tokens.next()
            guard let settings else { throw MessageError.field(path: "settingsSnapshot", expected: "an object") }
            return settings
        }
    }
}

extension ExportManifest: Codable {
    /// Reads the text from a JSON string.
    public init(from decoder: Decoder) throws {
        try self.init(text: Array(try decoder.singleValueContainer().decode(String.self).utf8))
    }

    /// Writes the text as a JSON string, so that a journal keeps it byte for byte.
    public func encode(to encoder: Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: text, as: UTF8.self))
    }
}
