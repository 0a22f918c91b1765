import Cryptography
import Foundation

/// What a corpus session is for (corpus-protocol.md 5.3).
public enum CorpusMode: String, Sendable, Codable {
    /// Files in a folder.
    case writeFiles = "write_files"
    /// One raw result document.
    case strictRaw = "strict_raw"
    /// A context store.
    case encryptedContext = "encrypted_context"

    /// The kind of item that such a session carries (corpus-protocol.md 13.4).
    public var itemKind: ItemKind {
        switch self {
        case .writeFiles, .encryptedContext: .macHealthDay
        case .strictRaw: .strictRawDay
        }
    }
}

/// What an item is (corpus-protocol.md 8).
public enum ItemKind: String, Sendable, Codable {
    /// A day for files.
    case macHealthDay = "mac_health_day"
    /// A day for a raw result.
    case strictRawDay = "strict_raw_day"
}

/// Identity of a request: digest over the canonical manifest (corpus-protocol.md 5.1, 6).
public struct RequestFingerprint: Sendable, Hashable, Codable {
    /// The version that this program computes.
    public static let currentVersion = 1

    /// Version of the algorithm.
    public let version: Int
    /// The digest.
    public let sha256: Digest

    /// A fingerprint of the current version.
    public init(sha256: Digest) {
        version = RequestFingerprint.currentVersion
        self.sha256 = sha256
    }

    /// Reads and checks a fingerprint.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(Int.self, forKey: .version)
        sha256 = try container.decode(Digest.self, forKey: .sha256)
        guard version > 0 else { throw CorpusModelError.fingerprintVersion }
    }
}

/// The two installations that a durable session belongs to (corpus-protocol.md 5.2).
public struct PeerBinding: Sendable, Hashable, Codable {
    /// The source.
    public let sourceInstallationID: UUID
    /// The destination.
    public let destinationInstallationID: UUID

    /// A binding.
    public init(sourceInstallationID: UUID, destinationInstallationID: UUID) {
        self.sourceInstallationID = sourceInstallationID
        self.destinationInstallationID = destinationInstallationID
    }
}

/// A corpus session. Immutable: every open of the job carries an identical one (corpus-protocol.md 5.2).
public struct CorpusSession: Sendable, Hashable, Codable {
    /// Chosen by the source, once per job.
    public let sessionID: UUID
    /// The job.
    public let jobID: UUID
    /// Identity of the request.
    public let requestFingerprint: RequestFingerprint
    /// Version of the corpus protocol.
    public let protocolVersion: Int
    /// Size that partitions aim at, in bytes.
    public let partitionTargetBytes: Int64
    /// The manifest's `createdAt`.
    public let createdAt: ProtocolDate
    /// The two installations; required in durable sessions.
    public let peerBinding: PeerBinding?

    /// A session; throws `CorpusModelError` for a version below 1, a target out of range, or a binding in version 1.
    public init(
        sessionID: UUID, jobID: UUID, requestFingerprint: RequestFingerprint, protocolVersion: Int,
        partitionTargetBytes: Int64, createdAt: ProtocolDate, peerBinding: PeerBinding?
    ) throws {
        guard protocolVersion > 0 else { throw CorpusModelError.protocolVersions }
        guard (PartitionTargetBounds.floor...PartitionTargetBounds.ceiling).contains(partitionTargetBytes) else {
            throw CorpusModelError.partitionTarget
        }
        guard peerBinding == nil || protocolVersion >= 2 else { throw CorpusModelError.peerBinding }
        self.sessionID = sessionID
        self.jobID = jobID
        self.requestFingerprint = requestFingerprint
        self.protocolVersion = protocolVersion
        self.partitionTargetBytes = partitionTargetBytes
        self.createdAt = createdAt
        self.peerBinding = peerBinding
    }

    /// Reads and checks a session.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            sessionID: container.decode(UUID.self, forKey: .sessionID),
            jobID: container.decode(UUID.self, forKey: .jobID),
            requestFingerprint: container.decode(RequestFingerprint.self, forKey: .requestFingerprint),
            protocolVersion: container.decode(Int.self, forKey: .protocolVersion),
            partitionTargetBytes: container.decode(Int64.self, forKey: .partitionTargetBytes),
            createdAt: container.decode(ProtocolDate.self, forKey: .createdAt),
            peerBinding: container.decodeIfPresent(PeerBinding.self, forKey: .peerBinding))
    }
}

/// Describes one partition file (corpus-protocol.md 5.4).
public struct PartitionDescriptor: Sendable, Hashable, Codable {
    /// Largest partition file in bytes (corpus-protocol.md 21).
    public static let maximumByteCount: Int64 = 67_108_864

    /// The session.
    public let sessionID: UUID
    /// The job.
    public let jobID: UUID
    /// Zero-based position in the session.
    public let index: Int
    /// The source dates of the segments inside: ascending, unique, not empty.
    public let sourceDates: [ProtocolDate]
    /// Size of the whole file.
    public let byteCount: Int64
    /// Digest of the whole file.
    public let sha256: Digest
    /// Digest of the partition before; nil exactly for index 0.
    public let previousSHA256: Digest?

    /// A descriptor; throws `CorpusModelError` for the rule that is broken.
    public init(
        sessionID: UUID, jobID: UUID, index: Int, sourceDates: [ProtocolDate], byteCount: Int64, sha256: Digest,
        previousSHA256: Digest?
    ) throws {
        guard index >= 0 else { throw CorpusModelError.partitionIndex }
        guard !sourceDates.isEmpty, sourceDates.isStrictlyAscending else { throw CorpusModelError.partitionDates }
        guard (1...PartitionDescriptor.maximumByteCount).contains(byteCount) else {
            throw CorpusModelError.partitionByteCount
        }
        guard (previousSHA256 == nil) == (index == 0) else { throw CorpusModelError.digestChain }
        self.sessionID = sessionID
        self.jobID = jobID
        self.index = index
        self.sourceDates = sourceDates
        self.byteCount = byteCount
        self.sha256 = sha256
        self.previousSHA256 = previousSHA256
    }

    /// Reads and checks a descriptor.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            sessionID: container.decode(UUID.self, forKey: .sessionID),
            jobID: container.decode(UUID.self, forKey: .jobID),
            index: container.decode(Int.self, forKey: .index),
            sourceDates: container.decode([ProtocolDate].self, forKey: .sourceDates),
            byteCount: container.decode(Int64.self, forKey: .byteCount),
            sha256: container.decode(Digest.self, forKey: .sha256),
            previousSHA256: container.decodeIfPresent(Digest.self, forKey: .previousSHA256))
    }
}
