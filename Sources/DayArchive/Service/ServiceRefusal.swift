import CanonicalJSON

/// Every refusal of the service: the status is the contract, the word is ours (day-archive.md 13).
public enum ServiceRefusal: String, CaseIterable, Sendable {
    // Shape of path or query.
    case badBucketID = "bad-bucket-id"
    case badDay = "bad-day"
    case badName = "bad-name"
    case badLimit = "bad-limit"
    case badStatus = "bad-status"
    case rangeNeedsBoth = "range-needs-both"
    case rangeBackwards = "range-backwards"
    // Shape of body.
    case bodyNotEmpty = "body-not-empty"
    case emptyBody = "empty-body"
    case badFrame = "bad-frame"
    case dayOutOfRange = "day-out-of-range"
    case badEnvelope = "bad-envelope"
    case badKeyBody = "bad-key-body"
    case badOutcome = "bad-outcome"
    // Signature headers.
    case missingSignature = "missing-signature"
    case badTimestamp = "bad-timestamp"
    case stale
    case badEncoding = "bad-encoding"
    case badLength = "bad-length"
    case weakKey = "weak-key"
    case readSignatureRequired = "read-signature-required"
    // Who.
    case otherWriter = "other-writer"
    case otherEditor = "other-editor"
    case otherReader = "other-reader"
    case badSignature = "bad-signature"
    case notClaimed = "not-claimed"
    case claimFirst = "claim-first"
    case noEditor = "no-editor"
    case claimRefused = "claim-refused"
    // What is there.
    case unknownPath = "unknown-path"
    case noDay = "no-day"
    case noEdit = "no-edit"
    case noOutcome = "no-outcome"
    case notAllowed = "not-allowed"
    case answered
    // Too much.
    case requestTooLarge = "request-too-large"
    case tooManyDays = "too-many-days"
    case dayTooLarge = "day-too-large"
    case editTooLarge = "edit-too-large"
    case outcomeTooLarge = "outcome-too-large"
    case slowDown = "slow-down"
    case queueFull = "queue-full"
    case storeFailed = "store-failed"
    case bucketFull = "bucket-full"
    case serviceFull = "service-full"

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .badBucketID, .badDay, .badName, .badLimit, .badStatus, .rangeNeedsBoth, .rangeBackwards, .bodyNotEmpty,
            .emptyBody, .badFrame, .dayOutOfRange, .badEnvelope, .badKeyBody, .badOutcome, .missingSignature,
            .badTimestamp, .stale, .badEncoding, .badLength, .weakKey:
            400
        case .readSignatureRequired: 401
        case .otherWriter, .otherEditor, .otherReader, .badSignature, .notClaimed, .claimFirst, .noEditor,
            .claimRefused:
            403
        case .unknownPath, .noDay, .noEdit, .noOutcome: 404
        case .notAllowed: 405
        case .answered: 410
        case .requestTooLarge, .tooManyDays, .dayTooLarge, .editTooLarge, .outcomeTooLarge: 413
        case .slowDown, .queueFull: 429
        case .storeFailed: 502
        case .bucketFull, .serviceFull: 507
        }
    }

    /// One sentence for a person; upstream's reader shows it.
    public var sentence: String {
        switch self {
        case .badBucketID: "The bucket id is not 26 characters of a to z and 2 to 7."
        case .badDay: "A day is written YYYY-MM-DD and must exist."
        case .badName: "That is not the name of an edit."
        case .badLimit: "limit is a whole number of at least 1."
        case .badStatus: "status is pending or all."
        case .rangeNeedsBoth: "A range needs from and to."
        case .rangeBackwards: "from lies after to."
        case .bodyNotEmpty: "A claim has no body."
        case .emptyBody: "The body is empty."
        case .badFrame: "The body is not a frame of days in ascending order."
        case .dayOutOfRange: "Days are taken from 1900-01-01 until tomorrow."
        case .badEnvelope: "An edit is sealed in envelope 2."
        case .badKeyBody: "The body is not a public key of 32 bytes."
        case .badOutcome: "The outcome is not applied and failed with known codes."
        case .missingSignature: "The request is not signed."
        case .badTimestamp: "The timestamp is not a whole number of seconds."
        case .stale: "The request was signed too long ago or in the future; sign it on the clock in now."
        case .badEncoding: "Key or signature is not base64url without padding."
        case .badLength: "The key is 32 bytes and the signature 64."
        case .weakKey: "Anyone can sign under this key; use another."
        case .readSignatureRequired: "This archive answers only reads signed with its read key."
        case .otherWriter: "This archive belongs to another writer."
        case .otherEditor: "Another editor is registered."
        case .otherReader: "Another read key is registered."
        case .badSignature: "The signature does not fit the request."
        case .notClaimed, .claimFirst: "This archive is not claimed; claim it first."
        case .noEditor: "No editor is registered; have the writer register one."
        case .claimRefused: "New archives are not open to everyone here; ask the operator for the claim token."
        case .unknownPath: "There is nothing here."
        case .noDay: "This day is not held."
        case .noEdit: "There is no such edit."
        case .noOutcome: "There is no outcome for this edit."
        case .notAllowed: "This is not offered here."
        case .answered: "This edit has been answered."
        case .requestTooLarge: "The request is too large."
        case .tooManyDays: "Too many days in one request."
        case .dayTooLarge: "A day is too large."
        case .editTooLarge: "The edit is too large."
        case .outcomeTooLarge: "The outcome is too large."
        case .slowDown: "Too many requests from this address; try again later."
        case .queueFull: "Too many edits are waiting; try again when the writer has collected them."
        case .storeFailed: "Nothing could be stored; try again later."
        case .bucketFull: "This archive has used up its allowance."
        case .serviceFull: "The service has used up its allowance."
        }
    }
}

/// A refusal with what belongs to it.
public struct ServiceFault: Error, Equatable, Sendable {
    /// Which refusal.
    public let refusal: ServiceRefusal
    /// The service's clock in Unix seconds, with `stale`.
    public var now: Int?
    /// After how many seconds to come back, with `slow-down`.
    public var retryAfter: Int?

    /// A refusal.
    public init(_ refusal: ServiceRefusal, now: Int? = nil, retryAfter: Int? = nil) {
        self.refusal = refusal
        self.now = now
        self.retryAfter = retryAfter
    }

    /// The answer.
    var answer: ServiceAnswer {
        var document: JSONObject = ["error": .string(refusal.sentence), "code": .string(refusal.rawValue)]
        document.append("now", ifPresent: now.map { .integer($0) })
        var answer = ServiceAnswer.json(refusal.status, .object(document))
        if let retryAfter { answer.headers.append((name: "retry-after", value: String(retryAfter))) }
        return answer
    }
}
