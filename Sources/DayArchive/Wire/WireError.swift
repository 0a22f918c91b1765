import CanonicalJSON

/// What the archive's bytes can be refused for. Never holds a health value or a key.
public enum WireError: Error, Equatable, Sendable {
    /// Text that is not a day of the Gregorian calendar, `YYYY-MM-DD`.
    case notADay
    /// Text that is not a bucket id: 26 characters of lower-case base32.
    case notABucketID
    /// Text that is not an edit's name: 13 digits, a hyphen, 8 characters of base32.
    case notAnEditName
    /// An event that cannot be packed; `field` says why.
    case unpackableEvent(field: String)
    /// A day's text that is not a layout this program knows.
    case unknownLayout(version: Int?)
    /// A day's text that breaks its own layout, in the series of this index when there is one.
    case malformedDay(series: Int?, what: String)
    /// Compressed bytes that are cut, damaged, or followed by others.
    case badDeflate
    /// Compressed bytes that would grow beyond the ceiling, in bytes.
    case inflatesTooFar(ceiling: Int)
    /// A first byte that names no envelope of ours.
    case unknownEnvelope(version: UInt8?)
    /// A sealed text that is too short for its envelope.
    case sealedTooShort(byteCount: Int)
    /// A sealed text that does not open under this key, for this bucket and day.
    case cannotOpen
    /// A frame that breaks its rules, at a byte offset.
    case badFrame(offset: Int, what: String)
    /// An edit that is not `{"v":1,"items":[…]}` with 1 to 500 items of the right shape.
    case malformedEdit(item: Int?, field: String)
    /// An outcome that is not of the right shape.
    case malformedOutcome(what: String)
    /// A handoff text without what it needs.
    case badHandoff(field: String, what: String)
    /// A key text with the wrong word, length or halves.
    case badKey(which: String, what: String)

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .notADay: "bad_day"
        case .notABucketID: "bad_bucket_id"
        case .notAnEditName: "bad_edit_name"
        case .unpackableEvent: "unpackable_event"
        case .unknownLayout: "unknown_layout"
        case .malformedDay: "malformed_day"
        case .badDeflate: "bad_deflate"
        case .inflatesTooFar: "inflates_too_far"
        case .unknownEnvelope: "unknown_envelope"
        case .sealedTooShort: "sealed_too_short"
        case .cannotOpen: "cannot_open"
        case .badFrame: "bad_frame"
        case .malformedEdit: "malformed_edit"
        case .malformedOutcome: "malformed_outcome"
        case .badHandoff: "bad_handoff"
        case .badKey: "bad_key"
        }
    }
}

extension WireError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .notADay: "That is not a day; write it as YYYY-MM-DD."
        case .notABucketID: "A bucket id is 26 characters of a to z and 2 to 7; copy it whole."
        case .notAnEditName: "An edit's name is 13 digits, a hyphen and 8 characters; copy it whole."
        case .unpackableEvent(let field): "An event cannot be packed (\(field)); correct it at its source."
        case .unknownLayout(let version):
            "The day has layout \(version.map(String.init) ?? "without a number"), which this program does not read. Update healthmd."
        case .malformedDay(let series, let what):
            "The day is malformed\(series.map { " in series \($0)" } ?? "") (\(what)). Have its writer send it again."
        case .badDeflate: "The compressed bytes are damaged. Have the writer send them again."
        case .inflatesTooFar(let ceiling):
            "The compressed bytes grow beyond \(ceiling) bytes. Have the writer send something smaller."
        case .unknownEnvelope(let version):
            "The sealed bytes begin with \(version.map(String.init) ?? "nothing"), which names no envelope. Update healthmd."
        case .sealedTooShort(let count): "\(count) bytes are too few for sealed ones. Have the writer send them again."
        case .cannotOpen:
            "The sealed bytes do not open: another key, another day, or damage. Check that the handoff belongs to this archive."
        case .badFrame(let offset, let what): "The frame is wrong at byte \(offset): \(what). Send it again."
        case .malformedEdit(let item, let field):
            "The edit is wrong\(item.map { " in item \($0)" } ?? "") (\(field)). Correct it, then send it again."
        case .malformedOutcome(let what): "The outcome is malformed: \(what)."
        case .badHandoff(let field, let what): "The handoff's \(field) \(what). Make a new handoff and copy it whole."
        case .badKey(let which, let what): "The \(which) \(what). Make a new handoff and copy it whole."
        }
    }
}
