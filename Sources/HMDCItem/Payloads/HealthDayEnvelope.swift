import FoundationEssentials

/// The payload of a `mac_health_day` item (hmdcitem.md 6).
///
/// `Record` is the model of the captured day, which belongs to the rooms that know health data. `ItemNode` serves where
/// the record is only kept.
public struct HealthDayEnvelope<Record: Codable & Sendable>: Codable, Sendable {
    /// What providers other than the phone's own store delivered; may be empty.
    public var externalDailyRecords: [ExternalDailyRecord]
    /// Why the day could not be captured.
    public var failure: DayFailure?
    /// Whether the day is one of the requested dates; false for a supporting day of a roll-up.
    public var isRequestedDate: Bool
    /// The captured day.
    public var record: Record?
    /// The exact instant of the day, equal to the segment's `sourceDate`.
    public var sourceDate: Date

    /// A payload. A failure's date must equal `sourceDate`.
    public init(
        sourceDate: Date, isRequestedDate: Bool, record: Record? = nil, failure: DayFailure? = nil,
        externalDailyRecords: [ExternalDailyRecord] = []
    ) {
        precondition(failure == nil || failure?.date == sourceDate, "a failure carries the date of its day")
        self.externalDailyRecords = externalDailyRecords
        self.failure = failure
        self.isRequestedDate = isRequestedDate
        self.record = record
        self.sourceDate = sourceDate
    }

    private enum CodingKeys: String, CodingKey {
        case externalDailyRecords, failure, isRequestedDate, record, sourceDate
    }

    /// Decodes a payload and refuses a failure of another date.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        externalDailyRecords = try container.decode([ExternalDailyRecord].self, forKey: .externalDailyRecords)
        failure = try container.decodeIfPresent(DayFailure.self, forKey: .failure)
        isRequestedDate = try container.decode(Bool.self, forKey: .isRequestedDate)
        record = try container.decodeIfPresent(Record.self, forKey: .record)
        sourceDate = try container.decode(Date.self, forKey: .sourceDate)
        if let failure, failure.date != sourceDate {
            throw DecodingError.dataCorruptedError(
                forKey: .failure, in: container, debugDescription: "a failure carries the date of its day")
        }
    }
}

extension HealthDayEnvelope: Equatable where Record: Equatable {}
extension HealthDayEnvelope: Hashable where Record: Hashable {}

/// Why a day could not be captured (hmdcitem.md 6.1).
public struct DayFailure: Codable, Hashable, Sendable {
    /// The published reasons.
    public enum Reason: String, Codable, CaseIterable, Hashable, Sendable {
        case noVault = "no_vault"
        case accessDenied = "access_denied"
        case noHealthData = "no_health_data"
        case healthKitError = "healthkit_error"
        case deviceLocked = "device_locked"
        case fileWriteError = "file_write_error"
        case taskExpired = "task_expired"
        case unknown
    }

    /// Equal to the payload's `sourceDate`.
    public var date: Date
    /// Free text for people.
    public var errorDetails: String?
    /// The published word.
    public var reason: Reason

    /// A failure.
    public init(date: Date, reason: Reason, errorDetails: String? = nil) {
        self.date = date
        self.errorDetails = errorDetails
        self.reason = reason
    }
}

/// What one provider delivered for a day (hmdcitem.md 6.2).
public struct ExternalDailyRecord: Codable, Hashable, Sendable {
    /// The only schema of provider records.
    public static let schemaIdentifier = "healthmd.external_provider_daily"
    /// Its only version.
    public static let schemaVersion = 1

    /// One answer of the provider.
    public struct Payload: Codable, Hashable, Sendable {
        /// What was asked for.
        public var name: String
        /// The path that answered.
        public var endpoint: String
        /// The HTTP status.
        public var statusCode: Int
        /// When the answer came.
        public var fetchedAt: Date
        /// What came back, as it was.
        public var data: FreeJSON?
        /// Why there is no data.
        public var error: String?

        /// An answer.
        public init(
            name: String, endpoint: String, statusCode: Int, fetchedAt: Date, data: FreeJSON? = nil,
            error: String? = nil
        ) {
            self.name = name
            self.endpoint = endpoint
            self.statusCode = statusCode
            self.fetchedAt = fetchedAt
            self.data = data
            self.error = error
        }

        private enum CodingKeys: String, CodingKey {
            case name, endpoint, data, error
            case statusCode = "status_code"
            case fetchedAt = "fetched_at"
        }
    }

    /// `schemaIdentifier` when written by us.
    public var schema: String
    /// `schemaVersion` when written by us.
    public var schemaVersion: Int
    /// For example `whoop` or `strava`.
    public var provider: String
    /// The provider's name for people.
    public var providerDisplayName: String
    /// The day's label, `yyyy-MM-dd`.
    public var date: String
    /// When the record was put together.
    public var fetchedAt: Date
    /// The answers, in the order asked.
    public var payloads: [Payload]
    /// Texts for people.
    public var warnings: [String]

    /// A record of the current schema.
    public init(
        provider: String, providerDisplayName: String, date: String, fetchedAt: Date, payloads: [Payload],
        warnings: [String] = []
    ) {
        schema = Self.schemaIdentifier
        schemaVersion = Self.schemaVersion
        self.provider = provider
        self.providerDisplayName = providerDisplayName
        self.date = date
        self.fetchedAt = fetchedAt
        self.payloads = payloads
        self.warnings = warnings
    }

    private enum CodingKeys: String, CodingKey {
        case schema, provider, date, payloads, warnings
        case schemaVersion = "schema_version"
        case providerDisplayName = "provider_display_name"
        case fetchedAt = "fetched_at"
    }
}

/// JSON of any shape inside an item (hmdcitem.md 6.2): every number is a double.
public indirect enum FreeJSON: Codable, Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([FreeJSON])
    case object([String: FreeJSON])

    /// Reads a node of the six tags that JSON has. Only the decoders of this room can be asked.
    public init(from decoder: any Decoder) throws {
        guard let value = FreeJSON(try ItemNode(from: decoder)) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a tag that JSON does not have"))
        }
        self = value
    }

    /// Writes a node of one of the six tags.
    public func encode(to encoder: any Encoder) throws {
        try node.encode(to: encoder)
    }

    private init?(_ node: ItemNode) {
        switch node {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .double(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let elements):
            let values = elements.compactMap(FreeJSON.init)
            guard values.count == elements.count else { return nil }
            self = .array(values)
        case .object(let entries):
            var values: [String: FreeJSON] = [:]
            for entry in entries {
                guard let value = FreeJSON(entry.value) else { return nil }
                values[entry.key] = value
            }
            self = .object(values)
        case .signed, .unsigned, .data, .date, .streamedString, .streamedData: return nil
        }
    }

    private var node: ItemNode {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let value): .double(value)
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.node))
        case .object(let values): .object(sorting: values.map { ($0.key, $0.value.node) })
        }
    }
}
