import Cryptography
import Foundation

/// What a transfer carries (corpus-protocol.md 10.1).
public enum TransferKind: String, Sendable, Codable {
    /// A whole file job, legacy.
    case macExportJob = "mac_export_job_v1"
    /// A whole raw result, legacy.
    case canonicalRawResult = "canonical_raw_result_v1"
    /// A partition.
    case corpusPartition = "connected_corpus_partition_v1"
}

/// What the bytes of a transfer are.
public struct TransferManifest: Sendable, Hashable, Codable {
    /// The schema version of every payload.
    public static let currentSchemaVersion = 1

    /// Kind.
    public var kind: TransferKind
    /// The job.
    public var jobID: UUID
    /// Version of the payload's schema.
    public var payloadSchemaVersion: Int
    /// The partition, for that kind.
    public var corpusPartition: PartitionDescriptor?

    /// The manifest of a partition transfer.
    public init(partition: PartitionDescriptor) {
        kind = .corpusPartition
        jobID = partition.jobID
        payloadSchemaVersion = TransferManifest.currentSchemaVersion
        corpusPartition = partition
    }
}

/// Announces a transfer (corpus-protocol.md 10.1). Decoding checks types only; `TransferReceiver` checks the rules,
/// because each has its own answer.
public struct TransferStart: Sendable, Hashable, Codable {
    /// The protocol version of partition transfers.
    public static let partitionProtocolVersion = 2
    /// Largest chunk, and the one that senders use, in bytes.
    public static let maximumChunkByteCount = 524_288
    /// Most chunks of one transfer.
    public static let maximumChunkCount = 8_192

    /// Version of the transfer protocol.
    public var protocolVersion: Int
    /// The transfer; never the job's identifier.
    public var transferID: UUID
    /// What the bytes are.
    public var manifest: TransferManifest
    /// Number of bytes.
    public var totalBytes: Int64
    /// Number of chunks.
    public var totalChunks: Int
    /// Bytes of every chunk but the last.
    public var chunkBytes: Int
    /// Digest of all bytes.
    public var sha256: Digest

    /// The start of a partition transfer.
    public init(transferID: UUID, partition: PartitionDescriptor, chunkBytes: Int = maximumChunkByteCount) {
        precondition((1...TransferStart.maximumChunkByteCount).contains(chunkBytes), "a chunk is 1 byte to 512 KiB")
        protocolVersion = TransferStart.partitionProtocolVersion
        self.transferID = transferID
        manifest = TransferManifest(partition: partition)
        totalBytes = partition.byteCount
        totalChunks = TransferStart.chunkCount(totalBytes: partition.byteCount, chunkBytes: chunkBytes) ?? 0
        self.chunkBytes = chunkBytes
        sha256 = partition.sha256
    }

    /// ceil(totalBytes / chunkBytes) without overflow, or nil for sizes that are none.
    static func chunkCount(totalBytes: Int64, chunkBytes: Int) -> Int? {
        guard totalBytes >= 0, chunkBytes > 0 else { return nil }
        let (quotient, remainder) = totalBytes.quotientAndRemainder(dividingBy: Int64(chunkBytes))
        return Int(quotient) + (remainder > 0 ? 1 : 0)
    }

    /// The bytes of chunk `sequence` (from 1) within the payload.
    public func range(ofChunk sequence: Int) -> Range<Int64> {
        let start = Int64(sequence - 1) * Int64(chunkBytes)
        return start..<min(start + Int64(chunkBytes), totalBytes)
    }
}

/// Some bytes of a transfer, in JSON (corpus-protocol.md 10.2).
public struct TransferChunk: Sendable, Hashable, Codable {
    /// The transfer.
    public var transferID: UUID
    /// Position, from 1.
    public var sequence: Int
    /// The bytes.
    public var data: [UInt8]
    /// Their digest, as the sender states it.
    public var sha256: Digest

    /// A chunk.
    public init(transferID: UUID, sequence: Int, data: [UInt8], sha256: Digest) {
        self.transferID = transferID
        self.sequence = sequence
        self.data = data
        self.sha256 = sha256
    }

    /// Reads a chunk; the bytes are standard Base64 with padding.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transferID = try container.decode(UUID.self, forKey: .transferID)
        sequence = try container.decode(Int.self, forKey: .sequence)
        sha256 = try container.decode(Digest.self, forKey: .sha256)
        let text = try container.decode(String.self, forKey: .data)
        do {
            data = try Base64.decode(text)
        } catch {
            throw FieldViolation(decoder, "standard Base64 with padding", key: CodingKeys.data.rawValue)
        }
    }

    /// Writes a chunk.
    public func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transferID, forKey: .transferID)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(Base64.encode(data), forKey: .data)
        try container.encode(sha256, forKey: .sha256)
    }

    private enum CodingKeys: String, CodingKey { case transferID, sequence, data, sha256 }
}

/// Acknowledges a start (sequence 0) or a chunk (corpus-protocol.md 10.3).
public struct TransferAck: Sendable, Hashable, Codable {
    /// The transfer.
    public var transferID: UUID
    /// 0 for the start, else the chunk.
    public var sequence: Int
    /// Whether it was taken.
    public var accepted: Bool
    /// Digest of the transfer for a start, of the chunk for a chunk.
    public var sha256: Digest
    /// Text for people.
    public var message: String?

    /// An acknowledgement.
    public init(transferID: UUID, sequence: Int, accepted: Bool = true, sha256: Digest, message: String? = nil) {
        self.transferID = transferID
        self.sequence = sequence
        self.accepted = accepted
        self.sha256 = sha256
        self.message = message
    }
}

/// Says that every chunk was sent (corpus-protocol.md 10.4).
public struct TransferComplete: Sendable, Hashable, Codable {
    /// The transfer.
    public var transferID: UUID
    /// As in the start.
    public var totalBytes: Int64
    /// As in the start.
    public var totalChunks: Int
    /// As in the start.
    public var sha256: Digest

    /// The completion of a transfer.
    public init(_ start: TransferStart) {
        transferID = start.transferID
        totalBytes = start.totalBytes
        totalChunks = start.totalChunks
        sha256 = start.sha256
    }
}

/// Answer to a completion (corpus-protocol.md 10.5).
public struct TransferFinalAck: Sendable, Hashable, Codable {
    /// The transfer.
    public var transferID: UUID
    /// Whether the application keeps it.
    public var accepted: Bool
    /// Digest of the transfer.
    public var sha256: Digest
    /// Text for people; the reason code where there is no other text.
    public var message: String?

    /// An answer.
    public init(transferID: UUID, accepted: Bool, sha256: Digest, message: String? = nil) {
        self.transferID = transferID
        self.accepted = accepted
        self.sha256 = sha256
        self.message = message
    }
}

/// Why a transfer ends early (corpus-protocol.md 10.6).
public enum AbortReason: String, Sendable, Codable, CaseIterable {
    /// The peer did not negotiate it.
    case unsupported
    /// Kind, version or admission is not acceptable; a start repeated with other content.
    case invalidManifest = "invalid_manifest"
    /// A start, a chunk length or totals that are not valid.
    case sizeLimit = "size_limit"
    /// An unknown transfer, or a chunk ahead of the expected one.
    case sequenceMismatch = "sequence_mismatch"
    /// A chunk with a wrong digest, or a repeated sequence with other content.
    case chunkHashMismatch = "chunk_hash_mismatch"
    /// The digest of the whole is wrong.
    case finalHashMismatch = "final_hash_mismatch"
    /// A legacy payload that does not decode.
    case decodeFailure = "decode_failure"
    /// Too many transfers, no room, or refused by the application.
    case applicationRejected = "application_rejected"
    /// The sender gave up.
    case retriesExhausted = "retries_exhausted"
    /// Cancelled.
    case cancelled
    /// Connection lost.
    case disconnected
    /// No progress.
    case timedOut = "timed_out"

    /// What a sender does about an abort.
    public enum RetryClass: Sendable {
        /// The job fails.
        case fatal
        /// Another attempt may succeed.
        case retryable
        /// The job was cancelled.
        case cancellation
    }

    /// The class of this reason.
    public var retryClass: RetryClass {
        switch self {
        case .unsupported, .invalidManifest, .sizeLimit, .decodeFailure, .applicationRejected: .fatal
        case .sequenceMismatch, .chunkHashMismatch, .finalHashMismatch, .retriesExhausted, .disconnected, .timedOut:
            .retryable
        case .cancelled: .cancellation
        }
    }
}

/// Ends a transfer early, in either direction (corpus-protocol.md 10.6).
public struct TransferAbort: Sendable, Hashable, Codable {
    /// The transfer.
    public var transferID: UUID
    /// The job; nil when the receiver knows no such transfer.
    public var jobID: UUID?
    /// Why.
    public var reason: AbortReason
    /// Text for people.
    public var message: String

    /// An abort.
    public init(transferID: UUID, jobID: UUID?, reason: AbortReason, message: String) {
        self.transferID = transferID
        self.jobID = jobID
        self.reason = reason
        self.message = message
    }
}
