import Cryptography
import Foundation

/// Why bytes are not a chunk frame (corpus-protocol.md 11).
public enum BinaryFrameError: String, Error, Sendable, CaseIterable {
    /// Fewer bytes than a header has.
    case tooShort = "frame_too_short"
    /// The magic is another.
    case wrongMagic = "frame_wrong_magic"
    /// The version is another.
    case wrongVersion = "frame_wrong_version"
    /// The identifier is no UUID.
    case invalidTransferID = "frame_invalid_transfer_id"
    /// Sequence 0.
    case sequenceZero = "frame_sequence_zero"
    /// A payload over the limit.
    case payloadTooLarge = "frame_payload_too_large"
    /// Header and payload are not exactly the frame.
    case lengthMismatch = "frame_length_mismatch"

    /// Stable name of the fault.
    public var code: String { rawValue }
}

/// The header of a binary chunk frame, version 1 (corpus-protocol.md 11). The payload stays where it is.
public struct BinaryFrame: Sendable, Hashable {
    /// The only version.
    public static let version = 1
    /// Bytes before the payload.
    public static let headerByteCount = 86
    /// Largest payload in bytes.
    public static let maximumPayloadByteCount = 524_288
    /// Largest frame in bytes.
    public static let maximumByteCount = headerByteCount + maximumPayloadByteCount
    /// The first eight bytes.
    public static let magic: [UInt8] = Array("HMDCTFRM".utf8)

    /// The transfer.
    public let transferID: UUID
    /// Position, from 1.
    public let sequence: UInt32
    /// Bytes of the payload.
    public let payloadByteCount: Int
    /// Digest of the payload, as stated.
    public let payloadSHA256: Digest

    /// A header; the digest is that of the payload which follows.
    public init(transferID: UUID, sequence: UInt32, payloadByteCount: Int, payloadSHA256: Digest) {
        precondition(sequence >= 1, "sequences count from 1")
        precondition(
            (0...BinaryFrame.maximumPayloadByteCount).contains(payloadByteCount), "a payload has at most 512 KiB")
        self.transferID = transferID
        self.sequence = sequence
        self.payloadByteCount = payloadByteCount
        self.payloadSHA256 = payloadSHA256
    }

    /// Appends the 86 bytes of the header.
    public func appendHeader(to output: inout [UInt8]) {
        output += BinaryFrame.magic
        output += [UInt8(BinaryFrame.version >> 8), UInt8(BinaryFrame.version & 0xFF)]
        output += transferID.uuidString.lowercased().utf8
        BinaryFrame.append(sequence, to: &output)
        BinaryFrame.append(UInt32(payloadByteCount), to: &output)
        output += payloadSHA256.bytes
    }

    /// Reads the header of a whole frame and checks its length. The payload is `frame[headerByteCount...]`; its digest
    /// is for the caller to compare.
    public init(frame: ArraySlice<UInt8>) throws(BinaryFrameError) {
        guard frame.count >= BinaryFrame.headerByteCount else { throw .tooShort }
        let start = frame.startIndex
        guard frame[start..<start + 8].elementsEqual(BinaryFrame.magic) else { throw .wrongMagic }
        guard Int(frame[start + 8]) << 8 | Int(frame[start + 9]) == BinaryFrame.version else { throw .wrongVersion }
        guard let text = String(validating: frame[start + 10..<start + 46], as: UTF8.self),
            let transferID = UUID(uuidString: text)
        else { throw .invalidTransferID }
        let sequence = BinaryFrame.word(frame, at: start + 46)
        guard sequence >= 1 else { throw .sequenceZero }
        let count = BinaryFrame.word(frame, at: start + 50)
        guard count <= BinaryFrame.maximumPayloadByteCount else { throw .payloadTooLarge }
        guard frame.count == BinaryFrame.headerByteCount + Int(count) else { throw .lengthMismatch }
        // Thirty-two bytes are always a digest.
        guard let digest = try? Digest(bytes: Array(frame[start + 54..<start + 86])) else { throw .tooShort }
        self.transferID = transferID
        self.sequence = sequence
        payloadByteCount = Int(count)
        payloadSHA256 = digest
    }

    /// Reads the header of a whole frame.
    public init(frame: [UInt8]) throws(BinaryFrameError) { try self.init(frame: frame[...]) }

    private static func append(_ value: UInt32, to output: inout [UInt8]) {
        for shift in [24, 16, 8, 0] as [UInt32] { output.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, at index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
