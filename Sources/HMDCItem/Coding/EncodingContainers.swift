/// Encodes the properties of one value.
struct KeyedNodeEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: NodeEncoder
    let store: EntryStore

    var codingPath: [any CodingKey] { encoder.codingPath }
    private var childDepth: Int { encoder.depth + 1 }

    func encodeNil(forKey key: Key) throws {
        try encoder.checkDepth(childDepth, key: key)
        store.add(key.stringValue, .node(.null))
    }

    func encode<Value: ItemScalar>(_ value: Value, forKey key: Key) throws {
        try encoder.checkDepth(childDepth, key: key)
        store.add(key.stringValue, .node(try encoder.node(of: value, key: key)))
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try encoder.checkDepth(childDepth, key: key)
        store.add(key.stringValue, .node(try encoder.node(of: value, key: key, depth: childDepth)))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nestedEncoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nestedEncoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nestedEncoder(ItemKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key) }

    private func nestedEncoder(_ key: any CodingKey) -> NodeEncoder {
        let child = encoder.nested(key: key)
        store.add(key.stringValue, .pending(child))
        return child
    }
}

/// Encodes the elements of one value.
struct UnkeyedNodeEncoder: UnkeyedEncodingContainer {
    let encoder: NodeEncoder
    let store: ElementStore

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { store.slots.count }
    private var childDepth: Int { encoder.depth + 1 }
    private var nextKey: ItemKey { ItemKey(index: count) }

    func encodeNil() throws {
        try encoder.checkDepth(childDepth, key: nextKey)
        store.slots.append(.node(.null))
    }

    func encode<Value: ItemScalar>(_ value: Value) throws {
        try encoder.checkDepth(childDepth, key: nextKey)
        store.slots.append(.node(try encoder.node(of: value, key: nextKey)))
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.checkDepth(childDepth, key: nextKey)
        store.slots.append(.node(try encoder.node(of: value, key: nextKey, depth: childDepth)))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nestedEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { nestedEncoder() }

    private func nestedEncoder() -> NodeEncoder {
        let child = encoder.nested(key: nextKey)
        store.slots.append(.pending(child))
        return child
    }
}

/// Encodes a value that is nothing but another value. The inner node stands alone, without a wrapper.
struct SingleNodeEncoder: SingleValueEncodingContainer {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { encoder.set(.null) }
    func encode<Value: ItemScalar>(_ value: Value) throws { encoder.set(try encoder.node(of: value, key: nil)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        encoder.set(try encoder.node(of: value, key: nil, depth: encoder.depth + 1))
    }
}

extension NodeEncoder {
    func checkDepth(_ depth: Int, key: any CodingKey) throws {
        guard depth <= ItemFormat.maximumDepth else { throw refuse(.tooDeep, key: key) }
    }

    /// A child for a nested container. The methods that hand it out cannot throw, so a child that is too deep is found
    /// when something is encoded into it or when the tree is written.
    func nested(key: any CodingKey) -> NodeEncoder {
        NodeEncoder(context: context, parent: self, key: key, depth: depth + 1)
    }
}
