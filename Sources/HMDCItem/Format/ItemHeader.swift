/// The twelve bytes in front of the root node (hmdcitem.md 2).
public struct ItemHeader: Hashable, Sendable {
    /// What the item holds.
    public let kind: ItemKind

    /// The header of an item of this kind.
    public init(kind: ItemKind) {
        self.kind = kind
    }

    /// The header as it stands in the file.
    public var bytes: [UInt8] {
        ItemFormat.magic
            + [UInt8(truncatingIfNeeded: ItemFormat.version >> 8), UInt8(truncatingIfNeeded: ItemFormat.version)]
            + [kind.byte, 0]
    }

    /// Reads and checks a header (hmdcitem.md 4, rule 2).
    ///
    /// - Parameters:
    ///   - bytes: The first bytes of the file, at least twelve unless the file is shorter.
    ///   - fileByteCount: The length of the whole file.
    ///   - expected: The kind that the item must have, or nil to take either.
    public init(parsing bytes: [UInt8], fileByteCount: UInt64, expected: ItemKind?) throws(ItemError) {
        guard fileByteCount > ItemFormat.headerByteCount, bytes.count >= Int(ItemFormat.headerByteCount) else {
            throw .rejected(.fileTooShort, offset: fileByteCount)
        }
        for (index, byte) in ItemFormat.magic.enumerated() where bytes[index] != byte {
            throw .rejected(.badMagic, offset: UInt64(index))
        }
        guard UInt16(bytes[8]) << 8 | UInt16(bytes[9]) == ItemFormat.version else {
            throw .rejected(.unsupportedVersion, offset: 8)
        }
        guard let kind = ItemKind(byte: bytes[10]), expected == nil || kind == expected else {
            throw .rejected(.unexpectedKind(expected: expected), offset: 10)
        }
        guard bytes[11] == 0 else { throw .rejected(.reservedByteSet, offset: 11) }
        self.kind = kind
    }

    /// Whether a file starts like an item. Up to protocol version 3 such a file is corrupt (hmdcitem.md 1).
    public static func hasMagic(_ firstBytes: [UInt8]) -> Bool {
        firstBytes.starts(with: ItemFormat.magic)
    }
}
