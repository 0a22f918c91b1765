/// Why a partition file is refused (corpus-protocol.md 8).
public enum PartitionFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file does not begin with the magic, or is shorter than its prefix.
    case wrongMagic
    /// The manifest length is 0, over 1 MiB, or longer than the file.
    case manifestLength(found: Int)
    /// The manifest is not JSON of the published form.
    case manifest(MessageError)
    /// A manifest version other than 1.
    case version(found: Int)
    /// Session, job, index or previous digest differ from the descriptor's.
    case identity(field: String)
    /// No segment, or more than the design allows.
    case segmentCount(found: Int)
    /// A segment does not lie inside its item, or its final flag is wrong.
    case segment(position: Int)
    /// Two segments of one item.
    case repeatedItem(position: Int)
    /// The segments' dates are not the descriptor's.
    case sourceDates
    /// Header and segments are not exactly the file.
    case byteCount(expected: Int64, found: Int64)
    /// The digest of the file differs.
    case digest

    /// Stable name of the fault.
    public var code: String {
        switch self {
        case .wrongMagic: "partition_wrong_magic"
        case .manifestLength: "partition_manifest_length"
        case .manifest: "partition_manifest"
        case .version: "partition_version"
        case .identity: "partition_identity"
        case .segmentCount: "partition_segment_count"
        case .segment: "partition_segment"
        case .repeatedItem: "partition_repeated_item"
        case .sourceDates: "partition_source_dates"
        case .byteCount: "partition_byte_count"
        case .digest: "partition_digest"
        }
    }

    /// Offset in the file at which the fault was found, as far as it has one.
    public var byteOffset: Int64? {
        switch self {
        case .wrongMagic: 0
        case .manifestLength: 8
        case .manifest, .version, .identity, .segmentCount, .segment, .repeatedItem, .sourceDates:
            Int64(PartitionFile.prefixByteCount)
        case .byteCount(let expected, let found): min(expected, found)
        case .digest: nil
        }
    }

    /// What was expected and where.
    public var description: String {
        let text =
            switch self {
            case .wrongMagic: "expected HMDCORP1 at byte 0"
            case .manifestLength(let found): "expected a manifest of 1 byte to 1 MiB at byte 8, found \(found)"
            case .manifest(let error): "the manifest at byte 12: \(error)"
            case .version(let found): "expected manifest version 1, found \(found)"
            case .identity(let field): "expected the \(field) of the descriptor"
            case .segmentCount(let found): "expected 1 to 1024 segments, found \(found)"
            case .segment(let position): "segment \(position) does not lie inside its item"
            case .repeatedItem(let position): "segment \(position) repeats an item"
            case .sourceDates: "expected the source dates of the descriptor"
            case .byteCount(let expected, let found): "expected \(expected) bytes, found \(found)"
            case .digest: "the digest differs from the descriptor's"
            }
        return "\(code): \(text); the sender must send the partition again"
    }
}
