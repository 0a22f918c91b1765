import FoundationEssentials

/// Turns items into `Decodable` values by the rules of hmdcitem.md 4.
///
/// Nodes of a source are read when the type asks for them. Unknown keys are ignored; a missing key and a null both mean
/// nil; nothing is converted between tags.
public struct ItemDecoder {
    /// The most bytes that one string or data value may have when it is decoded into memory, unless changed: 256 MiB.
    public static let defaultLeafLimit: UInt64 = 268_435_456

    /// Keys that count as absent wherever they appear (hmdcitem.md 5).
    public var omittedKeys: Set<String> = []
    /// The most bytes that one `String` or `Data` may have. `ItemText` and `ItemData` are not bound by it.
    public var leafLimit = ItemDecoder.defaultLeafLimit
    /// Handed to the types that are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// A decoder.
    public init() {}

    /// Decodes an item in memory.
    public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8], kind: ItemKind?) throws -> Value {
        try decode(type, from: ItemBytes(bytes), kind: kind)
    }

    /// Decodes an item of a source.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from source: any ItemSource, kind: ItemKind?
    ) throws -> Value {
        try decode(type, from: try ItemFile(source, kind: kind).root)
    }

    /// Decodes one node of a file and what is below it.
    public func decode<Value: Decodable>(_ type: Value.Type, from node: StoredNode) throws -> Value {
        try decode(type, from: .stored(node))
    }

    /// Decodes a tree.
    public func decode<Value: Decodable>(_ type: Value.Type, from node: ItemNode) throws -> Value {
        try decode(type, from: .tree(node))
    }

    func decode<Value: Decodable>(_ type: Value.Type, from node: DecodingNode) throws -> Value {
        let context = DecodingContext(
            omittedKeys: omittedKeys, leafLimit: leafLimit, userInfo: userInfo.mapValues { $0 })
        return try NodeDecoder(node: node, context: context, parent: nil, key: nil).value(type)
    }
}

/// What all decoders of one run share.
final class DecodingContext {
    let omittedKeys: Set<String>
    let leafLimit: UInt64
    let userInfo: [CodingUserInfoKey: Any]

    init(omittedKeys: Set<String>, leafLimit: UInt64, userInfo: [CodingUserInfoKey: Any]) {
        self.omittedKeys = omittedKeys
        self.leafLimit = leafLimit
        self.userInfo = userInfo
    }
}

/// Gives one node.
final class NodeDecoder: Decoder {
    let node: DecodingNode
    let context: DecodingContext
    private let parent: NodeDecoder?
    private let key: (any CodingKey)?

    init(node: DecodingNode, context: DecodingContext, parent: NodeDecoder?, key: (any CodingKey)?) {
        self.node = node
        self.context = context
        self.parent = parent
        self.key = key
    }

    var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

    var codingPath: [any CodingKey] {
        var path = parent?.codingPath ?? []
        if let key { path.append(key) }
        return path
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let entries = try node.entries(omitting: context.omittedKeys)
        return KeyedDecodingContainer(KeyedNodeDecoder<Key>(decoder: self, entries: entries))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedNodeDecoder(self) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleNodeDecoder(decoder: self) }

    func child(_ node: DecodingNode, key: any CodingKey) -> NodeDecoder {
        NodeDecoder(node: node, context: context, parent: self, key: key)
    }

    func reject(_ rejection: ItemRejection) -> ItemError { .rejected(rejection, offset: node.offset) }

    /// The node as any type. What the type itself refuses is reported by place alone: the texts of `DecodingError`
    /// quote values.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Date.self, let date = Date(timeIntervalSinceReferenceDate: try node.date()) as? Value { return date }
        if type == Data.self, let data = Data(try node.data(limit: context.leafLimit)) as? Value { return data }
        if type == URL.self, let url = try url(node) as? Value { return url }
        do {
            return try Value(from: self)
        } catch is DecodingError {
            throw reject(.valueRefused(path: pathText(codingPath)))
        }
    }

    /// The counterpart of what the encoder writes for a URL.
    private func url(_ node: DecodingNode) throws -> URL {
        var url: URL?
        if case .json = node {
            url = URL(string: try node.string(limit: context.leafLimit))
        } else {
            let entries = try node.entries(omitting: [])
            guard let relative = entries.nodes["relative"] else { throw reject(.missingKey("relative")) }
            var base: URL?
            if let node = entries.nodes["base"], !node.isNull { base = try self.url(node) }
            url = URL(string: try relative.string(limit: context.leafLimit), relativeTo: base)
        }
        guard let url else { throw reject(.valueRefused(path: pathText(codingPath))) }
        return url
    }
}
