/// Decodes the properties of one value.
struct KeyedNodeDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: NodeDecoder
    let entries: DecodingEntries

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { entries.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { entries.nodes[key.stringValue] != nil }

    /// A missing key and a null mean the same (hmdcitem.md 4).
    func decodeNil(forKey key: Key) throws -> Bool { entries.nodes[key.stringValue]?.isNull ?? true }

    func decode<Value: ItemScalar>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value.read(try node(key), decoder.context)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try child(key).value(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try child(ItemKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

    private func node(_ key: any CodingKey) throws -> DecodingNode {
        guard let node = entries.nodes[key.stringValue] else { throw decoder.reject(.missingKey(key.stringValue)) }
        return node
    }

    private func child(_ key: any CodingKey) throws -> NodeDecoder { decoder.child(try node(key), key: key) }
}

/// Decodes the elements of one value. One element is read ahead, so that a null can be asked for without taking it.
struct UnkeyedNodeDecoder: UnkeyedDecodingContainer {
    private let decoder: NodeDecoder
    private var elements: DecodingElements
    private var ahead: DecodingNode?
    private(set) var currentIndex = 0

    init(_ decoder: NodeDecoder) throws {
        self.decoder = decoder
        elements = try decoder.node.elements()
        ahead = try elements.next()
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { ahead == nil }

    mutating func decodeNil() throws -> Bool {
        guard let ahead else { throw decoder.reject(.missingElement) }
        guard ahead.isNull else { return false }
        try step()
        return true
    }

    mutating func decode<Value: ItemScalar>(_ type: Value.Type) throws -> Value {
        guard let ahead else { throw decoder.reject(.missingElement) }
        let value = try Value.read(ahead, decoder.context)
        try step()
        return value
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try current().value(type)
        try step()
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try current().container(keyedBy: type)
        try step()
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try current().unkeyedContainer()
        try step()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let child = try current()
        try step()
        return child
    }

    private func current() throws -> NodeDecoder {
        guard let ahead else { throw decoder.reject(.missingElement) }
        return decoder.child(ahead, key: ItemKey(index: currentIndex))
    }

    private mutating func step() throws {
        ahead = try elements.next()
        currentIndex += 1
    }
}

/// Decodes a value that is nothing but another value. Wrappers do not count as levels here.
struct SingleNodeDecoder: SingleValueDecodingContainer {
    let decoder: NodeDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.node.isNull }

    func decode<Value: ItemScalar>(_ type: Value.Type) throws -> Value {
        try Value.read(decoder.node, decoder.context)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.value(type) }
}
