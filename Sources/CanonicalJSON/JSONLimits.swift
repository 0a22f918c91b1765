/// What a JSON text may demand of its reader (corpus-protocol.md 14).
public struct JSONLimits: Sendable, Equatable {
    /// Deepest nesting of arrays and objects; a bare scalar has depth 0.
    public var depth: Int
    /// Longest key, in decoded UTF-8 bytes.
    public var keyByteCount: Int
    /// Most keys of one object.
    public var keysPerObject: Int
    /// Longest number token, in bytes.
    public var numberByteCount: Int
    /// Whether an object that repeats a key (by decoded bytes) is refused.
    public var refusesDuplicateKeys: Bool

    /// Limits of one's own; each default is that of `JSONLimits.document`.
    public init(
        depth: Int = 256, keyByteCount: Int = 4_096, keysPerObject: Int = 16_384, numberByteCount: Int = 1_024,
        refusesDuplicateKeys: Bool = true
    ) {
        self.depth = depth
        self.keyByteCount = keyByteCount
        self.keysPerObject = keysPerObject
        self.numberByteCount = numberByteCount
        self.refusesDuplicateKeys = refusesDuplicateKeys
    }

    /// The document checks of corpus-protocol.md 14.
    public static let document = JSONLimits()
}
