import Cryptography
import DurableStore
import Foundation

/// The spool of a range plan below a session's folder: `finalization/artifacts/0000.artifact` and so on,
/// `finalization/data-dictionary.artifact`, and `finalization/range-plan.json`, which names them with their digests.
///
/// A spool whose mark is not in the journal is worth nothing: the next attempt begins it anew.
struct RangePlanSpool: Sendable {
    private static let folderName = "finalization"
    private static let artifactsName = "artifacts"
    private static let dictionaryName = "data-dictionary.artifact"
    private static let planName = "range-plan.json"
    /// 4,097 artifacts with the longest paths stay below this.
    private static let maximumPlanByteCount = 32 << 20

    private let folder: Directory
    private let artifacts: Directory
    private(set) var plan = RangePlan()
    private var totalByteCount = 0
    /// What the plan gives rise to besides files: failed days, warnings.
    var output = OutputAccount()
    /// The place of the next step that is rendered.
    var nextStep = 0

    /// Begins a spool; what an earlier attempt left goes.
    init(in session: Directory) throws {
        folder = try session.createDirectory(Self.folderName)
        try folder.removeTree(Self.artifactsName)
        try folder.removeIfPresent(Self.dictionaryName)
        try folder.removeIfPresent(Self.planName)
        artifacts = try folder.createDirectory(Self.artifactsName)
    }

    /// Renders one artifact into the spool, durably. One that fails is not part of the plan.
    ///
    /// - Throws: `Unplannable` over a limit.
    mutating func add(_ kind: OutputKind, _ path: String, _ render: DestinationWriter.Rendering) throws {
        let isDictionary = kind == .dictionary
        let index = plan.artifacts.count { $0.kind != .dictionary }
        guard isDictionary || index < RangePlan.maximumArtifactCount else {
            throw Self.over("\(RangePlan.maximumArtifactCount) files")
        }
        let name = isDictionary ? Self.dictionaryName : "\(Self.artifactsName)/\(Self.artifactName(index))"
        let limit =
            isDictionary
            ? RangePlan.maximumDictionaryByteCount
            : min(RangePlan.maximumArtifactByteCount, RangePlan.maximumTotalByteCount - totalByteCount)
        var hasher = SHA256()
        var count = 0
        try folder.durableReplace(name, observing: { hasher.update($0) }) { writer in
            try render { bytes in
                count += bytes.count
                guard count <= limit else { throw Self.over(Self.name(ofLimit: limit)) }
                try writer.write(bytes)
            }
        }
        if !isDictionary { totalByteCount += count }
        plan.artifacts.append(
            RangePlan.Artifact(
                kind: kind, path: path, spoolName: name, step: nextStep, byteCount: count,
                sha256: hasher.finalize().hex))
    }

    private static func artifactName(_ index: Int) -> String {
        let digits = String(index)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ".artifact"
    }

    private static func name(ofLimit limit: Int) -> String {
        switch limit {
        case RangePlan.maximumArtifactByteCount: "8 MiB in one file"
        case RangePlan.maximumDictionaryByteCount: "1 MiB of dictionary"
        default: "32 MiB in all"
        }
    }

    private static func over(_ limit: String) -> FileFinalizer.Unplannable {
        FileFinalizer.Unplannable(
            message: "The export has more than \(limit), the most that a pinned range may have. Ask for fewer days.")
    }

    /// Writes the plan; what the journal must keep of it before anything goes to the destination.
    func seal() throws -> RangePlan.Mark {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = Array(try encoder.encode(plan))
        try folder.durableReplace(Self.planName) { try $0.write(bytes) }
        return RangePlan.Mark(sha256: SHA256.hash(bytes).hex, artifactCount: plan.artifacts.count)
    }

    // MARK: - Reading

    /// The sealed plan of a session, which must be the one that the journal remembers.
    static func plan(in session: Directory, _ mark: RangePlan.Mark) throws -> RangePlan {
        let bytes = try StoredDamage.reading {
            try session.file("\(folderName)/\(planName)", requiringPrivate: true)
                .contents(maximumByteCount: maximumPlanByteCount)
        }
        guard SHA256.hash(bytes).hex == mark.sha256 else { throw ReceiverError.itemFileDamaged }
        let plan = try JSONDecoder().decode(RangePlan.self, from: Data(bytes))
        guard plan.artifacts.count == mark.artifactCount else { throw ReceiverError.itemFileDamaged }
        return plan
    }

    /// The bytes of an artifact, exactly those that the plan names.
    static func bytes(of artifact: RangePlan.Artifact, in session: Directory) throws -> [UInt8] {
        let bytes = try StoredDamage.reading {
            try session.file("\(folderName)/\(artifact.spoolName)", requiringPrivate: true)
                .contents(maximumByteCount: RangePlan.maximumArtifactByteCount)
        }
        guard bytes.count == artifact.byteCount, SHA256.hash(bytes).hex == artifact.sha256 else {
            throw ReceiverError.itemFileDamaged
        }
        return bytes
    }
}
