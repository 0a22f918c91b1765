import Cryptography

/// The received range plan (corpus-protocol.md 13.6): every file of a pinned roll-up job, made and spooled before the first
/// of them goes to the destination. It applies only with an engine pin (extensions.md 11).
struct RangePlan: Codable, Hashable, Sendable {
    /// The most transferred dates (corpus-protocol.md 13.2.7, 21).
    static let maximumDateCount = 400
    /// The most artifacts besides the dictionary (corpus-protocol.md 21).
    static let maximumArtifactCount = 4_096
    /// The most bytes of one artifact.
    static let maximumArtifactByteCount = 8 << 20
    /// The most bytes of all artifacts together, without the dictionary.
    static let maximumTotalByteCount = 32 << 20
    /// The most bytes of the dictionary.
    static let maximumDictionaryByteCount = 1 << 20

    /// One spooled file.
    struct Artifact: Codable, Hashable, Sendable {
        /// Which account it belongs to.
        let kind: OutputKind
        /// Where it goes, relative to the root.
        let path: String
        /// Its name in the spool.
        let spoolName: String
        /// The place of its step in the commit frontier.
        let step: Int
        /// Bytes.
        let byteCount: Int
        /// 64 hexadecimal digits.
        let sha256: String
    }

    /// In the order in which they are committed.
    var artifacts: [Artifact] = []

    /// The artifacts of a step.
    func artifacts(of step: Int) -> [Artifact] { artifacts.filter { $0.step == step } }

    /// What the journal keeps of a plan: the digest of the file that holds it, and with it those of all artifacts.
    struct Mark: Codable, Hashable, Sendable {
        /// 64 hexadecimal digits.
        let sha256: String
        /// Artifacts, the dictionary included.
        let artifactCount: Int
    }
}

/// What a written file counts as (export-formats.md 12).
enum OutputKind: String, Codable, Sendable {
    case day
    case entry
    case sidecar
    case rollup
    case dictionary
}
