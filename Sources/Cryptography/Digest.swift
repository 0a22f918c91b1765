import Foundation

/// A SHA-256 digest: 32 bytes, compared and hashed by value.
///
/// Not for secrets: comparison is not in constant time. Authentication codes are byte arrays that
/// `constantTimeEquals` compares.
public struct Digest: Hashable, Sendable, ContiguousBytes {
    /// The number of bytes.
    public static let byteCount = 32
    /// The number of characters in `hex`.
    public static let hexCount = 64

    // Four words rather than an array: no allocation, and equality is four comparisons. In memory order, so the
    // words mean nothing as numbers.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// A digest whose 32 bytes the closure writes.
    init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        Swift.withUnsafeMutableBytes(of: &words) { fill($0) }
    }

    /// The digest with these bytes.
    ///
    /// Throws `CryptographyError.wrongLength` unless there are exactly 32.
    public init(bytes: some ContiguousBytes) throws {
        let count = bytes.withUnsafeBytes { $0.count }
        guard count == Digest.byteCount else {
            throw CryptographyError.wrongLength(what: "SHA-256 digest", expected: Digest.byteCount, found: count)
        }
        self.init { target in bytes.withUnsafeBytes { target.copyMemory(from: $0) } }
    }

    /// Parses exactly 64 lower-case hexadecimal digits; nil for anything else.
    public init?(hex: some StringProtocol) {
        let text = hex.utf8
        guard text.count == Digest.hexCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Digest.byteCount)
        var high: UInt8?
        for character in text {
            guard let value = Hex.value(of: character, allowingUpperCase: false) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self.init { $0.copyBytes(from: bytes) }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { withUnsafeBytes { Hex.encode($0) } }

    /// The 32 bytes as an array.
    public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

    /// Lends the 32 bytes.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: words) { try body($0) }
    }

    /// Whether all 32 bytes are equal.
    public static func == (left: Digest, right: Digest) -> Bool { left.words == right.words }

    /// Feeds the 32 bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

extension Digest: CustomStringConvertible {
    /// The same as `hex`.
    public var description: String { hex }
}
