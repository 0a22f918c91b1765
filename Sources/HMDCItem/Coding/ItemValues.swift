/// A string that need not be in memory (hmdcitem.md 3, rule 5). Encodes as a plain string node.
public enum ItemText: Hashable, Sendable {
    /// In memory.
    case inMemory(String)
    /// In a source: at least one byte, UTF-8. Checked while it is written or copied, not before.
    case streamed(ItemRegion)

    /// The text in memory.
    ///
    /// - Parameter limit: The most bytes that it may have.
    public func string(limit: UInt64 = ItemDecoder.defaultLeafLimit) throws -> String {
        switch self {
        case .inMemory(let text): text
        case .streamed(let region):
            String(decoding: try region.bytes(isText: true, limit: limit), as: UTF8.self)
        }
    }
}

extension ItemText: Codable {
    /// A text of a file stays there, as a region of the file's source.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? NodeDecoder, case .stored(let node) = decoder.node, node.tag == .string {
            self = node.payload.byteCount > 0 ? .streamed(node.payload) : .inMemory("")
        } else if let decoder = decoder as? NodeDecoder, case .tree(.streamedString(let region)) = decoder.node {
            self = .streamed(region)
        } else {
            self = .inMemory(try decoder.singleValueContainer().decode(String.self))
        }
    }

    /// Encodes one plain node; in memory or not makes no difference to its bytes.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .inMemory(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .streamed(let region):
            guard let encoder = encoder as? NodeEncoder else { throw streamedElsewhere(encoder) }
            encoder.set(.streamedString(region))
        }
    }
}

/// Bytes that need not be in memory (hmdcitem.md 3, rule 5). Encodes as a data node, as Base64 in JSON.
public enum ItemData: Hashable, Sendable {
    /// In memory.
    case inMemory([UInt8])
    /// In a source.
    case streamed(ItemRegion)

    /// The bytes in memory.
    ///
    /// - Parameter limit: The most bytes that there may be.
    public func bytes(limit: UInt64 = ItemDecoder.defaultLeafLimit) throws -> [UInt8] {
        switch self {
        case .inMemory(let bytes): bytes
        case .streamed(let region): try region.bytes(isText: false, limit: limit)
        }
    }
}

extension ItemData: Codable {
    /// Data of a file stays there, as a region of the file's source.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? NodeDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "ItemData is read by ItemDecoder only"))
        }
        if case .stored(let node) = decoder.node, node.tag == .data {
            self = .streamed(node.payload)
        } else if case .tree(.streamedData(let region)) = decoder.node {
            self = .streamed(region)
        } else {
            self = .inMemory(try decoder.node.data(limit: decoder.context.leafLimit))
        }
    }

    /// Encodes one plain node; in memory or not makes no difference to its bytes.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? NodeEncoder else { throw streamedElsewhere(encoder) }
        switch self {
        case .inMemory(let bytes): encoder.set(.data(bytes))
        case .streamed(let region): encoder.set(.streamedData(region))
        }
    }
}

/// A tree is its own value: for what is kept without being understood. Only the coders of this room take it.
extension ItemNode: Codable {
    /// The whole subtree. Read from JSON, every number is a double.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? NodeDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "ItemNode is read by ItemDecoder only"))
        }
        self = try decoder.node.tree(limit: decoder.context.leafLimit)
    }

    /// Encodes one plain node; in memory or not makes no difference to its bytes.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? NodeEncoder else { throw streamedElsewhere(encoder) }
        encoder.set(self)
    }
}

private func streamedElsewhere(_ encoder: any Encoder) -> ItemError {
    .refused(.streamedElsewhere, path: pathText(encoder.codingPath))
}
