import CanonicalJSON

/// What a person decided about a proposal.
public enum Decision: Hashable, Sendable {
    /// The proposed value is taken as it is.
    case accepted
    /// Another value is taken in its place, in the same unit.
    case edited(Double)
    /// No value is taken.
    case rejected

    /// The stored word.
    public var word: String {
        switch self {
        case .accepted: "accepted"
        case .edited: "edited"
        case .rejected: "rejected"
        }
    }
}

/// One decision of the record. Entries are never changed; a later one of the same biomarker stands in its place.
public struct RecordEntry: Sendable {
    /// The order of decisions, from 1.
    public let number: Int
    /// When it was decided, RFC 3339.
    public let recordedAt: String
    /// `accepted`, `edited` or `rejected`.
    public let decision: String
    /// The biomarker's id.
    public let id: String
    /// The value that was taken; nil when it was rejected.
    public let value: Double?
    /// The value for people.
    public let display: String?
    /// The unit of the value.
    public let unit: String
    /// The name of the export.
    public let sourceName: String
    /// The SHA-256 of the export, in hex.
    public let sourceDigest: String
    /// The proposal as it was looked at, with its readings.
    public let evidence: JSONValue
    /// The SHA-256 of its compact, sorted JSON, in hex.
    public let evidenceDigest: String

    /// One element of `entries`.
    public var document: JSONValue {
        [
            "number": .integer(number), "recorded_at": .string(recordedAt), "decision": .string(decision),
            "id": .string(id), "value": value.map(JSONValue.double) ?? .null,
            "display": display.map(JSONValue.string) ?? .null, "unit": .string(unit),
            "measured_at": evidence["newest"] ?? .null, "origin": evidence["origin"] ?? .null,
            "source": ["path_name": .string(sourceName), "sha256": .string(sourceDigest)],
            "evidence": evidence, "evidence_sha256": .string(evidenceDigest),
        ]
    }

    /// `healthmd.biomarker_record` v1 (extensions.md 11).
    public static func document(of entries: [RecordEntry]) -> JSONValue {
        [
            "schema": "healthmd.biomarker_record", "schema_version": 1,
            "entries": .array(entries.map(\.document)),
        ]
    }
}

/// One proposal that waits for a decision.
public struct PendingProposal: Sendable {
    /// The biomarker's id.
    public let id: String
    /// The proposal with its readings.
    public let evidence: JSONValue
    /// The SHA-256 of its compact, sorted JSON, in hex: what is decided is what was shown.
    public let evidenceDigest: String
    /// When it was last shown, RFC 3339; nil when it was not.
    public let shownAt: String?
    /// Whether the last decision about the biomarker rejected exactly this evidence: it stays rejected unless it is asked
    /// for by its id.
    public let wasRejected: Bool
}

/// Everything that waits for a decision.
public struct PendingReview: Sendable {
    /// When it was computed, RFC 3339.
    public let computedAt: String
    /// The name of the export.
    public let sourceName: String
    /// The SHA-256 of the export, in hex.
    public let sourceDigest: String
    /// Whether the export was whole.
    public let isComplete: Bool
    /// What stood around the proposals: `unplaceable`, `dropped`, `warnings` and the rest of the document.
    public let surroundings: JSONValue
    /// In the order in which they were proposed.
    public let proposals: [PendingProposal]
}

extension Proposal {
    /// Readings that are kept as evidence; of more, the newest.
    static let evidenceReadingLimit = 5_000

    /// The proposal with the readings that it was computed from.
    public var evidence: JSONValue {
        guard var object = document.object else { return document }
        let kept = readings.suffix(Self.evidenceReadingLimit)
        object.append(
            "readings",
            .array(
                kept.map { reading in
                    var element: JSONObject = [
                        "time": DocumentText.instant(reading.time).map(JSONValue.string) ?? .null,
                        "value": .double(reading.value),
                    ]
                    element.append("paired_value", ifPresent: reading.pairedValue.map(JSONValue.double))
                    return .object(element)
                }))
        return .object(object)
    }
}
