import CanonicalJSON
import Cryptography
import Foundation

/// Why bytes are not a message (corpus-protocol.md 1, 2).
///
/// Neither the message nor any of its values appears in the error.
public enum MessageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not JSON.
    case syntax(JSONError)
    /// The text is JSON but no object with an object inside; the byte offset says where.
    case envelope(offset: Int)
    /// A member is missing or breaks its rule.
    case field(path: String, expected: String)

    /// Stable name of the fault.
    public var code: String {
        switch self {
        case .syntax(let error): error.code.rawValue
        case .envelope: "message_envelope"
        case .field: "message_field"
        }
    }

    /// What was expected and where.
    public var description: String {
        switch self {
        case .syntax(let error): error.description
        case .envelope(let offset): "message_envelope: expected an object with a message name at byte \(offset)"
        case .field(let path, let expected): "message_field: expected \(expected) at \(path)"
        }
    }

    /// The error for whatever decoding threw.
    init(decoding error: Error) {
        switch error {
        case let error as MessageError: self = error
        case let error as JSONError: self = .syntax(error)
        case let error as FieldViolation: self = .field(path: error.path, expected: error.expected)
        case let error as CorpusModelError: self = .field(path: "", expected: error.expectation)
        case let error as DecodingError:
            // Foundation's own texts may quote values; only the place is taken from them.
            let (context, expected) =
                switch error {
                case .keyNotFound(let key, let context): (context, "the key \(key.stringValue)")
                case .typeMismatch(_, let context): (context, "a value of another type")
                case .valueNotFound(_, let context): (context, "a value")
                case .dataCorrupted(let context): (context, "a value in its published form")
                @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "a value")
                }
            self = .field(path: FieldViolation.text(context.codingPath), expected: expected)
        default: self = .field(path: "", expected: "a value in its published form")
        }
    }
}

/// A member that breaks its rule while a payload is decoded.
struct FieldViolation: Error {
    let path: String
    let expected: String

    init(_ decoder: Decoder, _ expected: String, key: String? = nil) {
        let path = FieldViolation.text(decoder.codingPath)
        self.path = [path, key ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        self.expected = expected
    }

    static func text(_ path: [CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}

/// Which rule of the corpus model a value breaks (corpus-protocol.md 5, 8, 20).
public enum CorpusModelError: String, Error, Sendable, CaseIterable, CustomStringConvertible {
    /// The list of protocol versions is empty or holds a number below 1.
    case protocolVersions = "protocol_versions"
    /// Partition bounds outside 32 MiB ≤ minimum ≤ preferred ≤ maximum ≤ 64 MiB.
    case partitionBounds = "partition_bounds"
    /// A partition target outside 32 MiB … 64 MiB.
    case partitionTarget = "partition_target"
    /// A digest that is not 64 lower-case hexadecimal digits.
    case digest = "digest"
    /// A fingerprint version below 1.
    case fingerprintVersion = "fingerprint_version"
    /// A negative partition index.
    case partitionIndex = "partition_index"
    /// Partition dates that are empty, not ascending or not unique.
    case partitionDates = "partition_dates"
    /// A partition size outside 1 … 64 MiB.
    case partitionByteCount = "partition_byte_count"
    /// Sizes and offsets of a segment that do not fit its item.
    case itemByteCount = "item_byte_count"
    /// A previous digest where there is none, or none where there must be one.
    case digestChain = "digest_chain"
    /// Two parts of a message that name different sessions or jobs.
    case mismatchedSession = "mismatched_session"
    /// A peer binding in a session of version 1.
    case peerBinding = "peer_binding"
    /// Totals of a finalization, or counts of its answer, that contradict each other.
    case finalization = "finalization"
    /// A disposition whose next index contradicts it.
    case disposition = "disposition"

    /// Stable name of the rule.
    public var code: String { rawValue }

    /// What the rule expects.
    public var expectation: String {
        switch self {
        case .protocolVersions: "a list of protocol versions above 0"
        case .partitionBounds: "partition bounds with 32 MiB <= minimum <= preferred <= maximum <= 64 MiB"
        case .partitionTarget: "a partition target from 32 MiB to 64 MiB"
        case .digest: "64 lower-case hexadecimal digits"
        case .fingerprintVersion: "a fingerprint version above 0"
        case .partitionIndex: "a partition index of 0 or more"
        case .partitionDates: "source dates that are not empty, ascending and unique"
        case .partitionByteCount: "a partition of 1 byte to 64 MiB"
        case .itemByteCount: "a segment that lies inside its item"
        case .digestChain: "a previous digest exactly when the index is not 0"
        case .mismatchedSession: "one session and one job throughout the message"
        case .peerBinding: "no peer binding below protocol version 2"
        case .finalization: "totals and counts that agree with each other"
        case .disposition: "a next index that fits the disposition"
        }
    }

    /// Rule and expectation.
    public var description: String { "\(rawValue): expected \(expectation)" }
}

extension Digest: Codable {
    /// Reads 64 lower-case hexadecimal digits.
    public init(from decoder: Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let digest = Digest(hex: text) else {
            throw FieldViolation(decoder, CorpusModelError.digest.expectation)
        }
        self = digest
    }

    /// Writes 64 lower-case hexadecimal digits.
    public func encode(to encoder: Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}

extension KeyedDecodingContainer {
    /// The value of a key, or a stand-in when it is missing or null.
    func value<Value: Decodable>(_ key: Key, default standIn: Value) throws -> Value {
        try decodeIfPresent(Value.self, forKey: key) ?? standIn
    }
}
