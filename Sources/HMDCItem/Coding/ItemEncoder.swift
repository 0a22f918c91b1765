import FoundationEssentials

/// Turns `Encodable` values into items by the mapping of hmdcitem.md 3.
///
/// Keys are sorted by their bytes. `ItemText` and `ItemData` let large values stay in their source until they are
/// written.
public struct ItemEncoder {
    /// Handed to the values that are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// An encoder.
    public init() {}

    /// The tree of a value.
    ///
    /// Depth 128 is the last allowed; wrappers that encode another value as their only content count as one level each,
    /// as upstream counts them.
    public func node(of value: some Encodable) throws -> ItemNode {
        try node(of: value, form: .binary)
    }

    /// The item of a value, in memory.
    public func encode(_ value: some Encodable, kind: ItemKind) throws -> [UInt8] {
        try ItemWriter.bytes(of: try node(of: value), kind: kind)
    }

    /// Writes the item of a value to a sink.
    ///
    /// - Returns: How many bytes were written.
    @discardableResult
    public func encode(_ value: some Encodable, kind: ItemKind, to sink: inout some ItemSink) throws -> UInt64 {
        try ItemWriter.write(try node(of: value), kind: kind, to: &sink)
    }

    func node(of value: some Encodable, form: ItemForm) throws -> ItemNode {
        let context = EncodingContext(form: form, userInfo: userInfo.mapValues { $0 })
        return try NodeEncoder(context: context, parent: nil, key: nil, depth: 0).node(of: value, key: nil, depth: 0)
    }
}

/// What all encoders of one run share.
final class EncodingContext {
    let form: ItemForm
    let userInfo: [CodingUserInfoKey: Any]

    init(form: ItemForm, userInfo: [CodingUserInfoKey: Any]) {
        self.form = form
        self.userInfo = userInfo
    }
}

/// Takes one value.
final class NodeEncoder: Encoder {
    /// What the value has asked for so far. Asking again for the same kind of container continues it, as subclasses do.
    private enum Content {
        case nothing
        case node(ItemNode)
        case object(EntryStore)
        case array(ElementStore)
    }

    let context: EncodingContext
    let depth: Int
    private let parent: NodeEncoder?
    private let key: (any CodingKey)?
    private var content = Content.nothing

    init(context: EncodingContext, parent: NodeEncoder?, key: (any CodingKey)?, depth: Int) {
        self.context = context
        self.parent = parent
        self.key = key
        self.depth = depth
    }

    var userInfo: [CodingUserInfoKey: Any] { context.userInfo }

    var codingPath: [any CodingKey] {
        var path = parent?.codingPath ?? []
        if let key { path.append(key) }
        return path
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedNodeEncoder<Key>(encoder: self, store: entryStore()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedNodeEncoder(encoder: self, store: elementStore())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleNodeEncoder(encoder: self)
    }

    func entryStore() -> EntryStore {
        if case .object(let store) = content { return store }
        guard case .nothing = content else { preconditionFailure("the value already encoded something else") }
        let store = EntryStore()
        content = .object(store)
        return store
    }

    func elementStore() -> ElementStore {
        if case .array(let store) = content { return store }
        guard case .nothing = content else { preconditionFailure("the value already encoded something else") }
        let store = ElementStore()
        content = .array(store)
        return store
    }

    func set(_ node: ItemNode) {
        guard case .nothing = content else { preconditionFailure("the value already encoded something else") }
        content = .node(node)
    }

    /// The finished node. A value that encoded nothing is an empty object, like a struct without properties.
    func finish() throws -> ItemNode {
        switch content {
        case .nothing: .object([])
        case .node(let node): node
        case .object(let store): .object(try store.sorted(by: self))
        case .array(let store): .array(try store.slots.map { try $0.finish() })
        }
    }

    /// An encoder for a child of this value.
    func child(key: (any CodingKey)?, depth: Int) throws -> NodeEncoder {
        let child = NodeEncoder(context: context, parent: self, key: key, depth: depth)
        guard depth <= ItemFormat.maximumDepth else { throw child.refuse(.tooDeep) }
        return child
    }

    func refuse(_ refusal: ItemRefusal, key: (any CodingKey)? = nil) -> ItemError {
        .refused(refusal, path: pathText(codingPath + (key.map { [$0] } ?? [])))
    }

    /// The node of any value. Dates, data and URLs are not left to their own `encode(to:)`, which would write other
    /// tags; UUIDs encode themselves as upper-case text.
    func node<Value: Encodable>(of value: Value, key: (any CodingKey)?, depth: Int) throws -> ItemNode {
        if Value.self == Date.self, let date = value as? Date {
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else { throw refuse(.numberNotFinite, key: key) }
            return .date(seconds)
        }
        if Value.self == Data.self, let data = value as? Data { return .data([UInt8](data)) }
        if Value.self == URL.self, let url = value as? URL { return node(of: url) }
        let encoder = try child(key: key, depth: depth)
        try value.encode(to: encoder)
        return try encoder.finish()
    }

    func node(of scalar: some ItemScalar, key: (any CodingKey)?) throws -> ItemNode {
        guard let node = scalar.itemNode(context.form) else { throw refuse(.numberNotFinite, key: key) }
        return node
    }

    /// An object in items, a plain string in JSON (hmdcitem.md 3, 8).
    private func node(of url: URL) -> ItemNode {
        switch context.form {
        case .json: return .string(url.absoluteString)
        case .binary:
            var entries = [ItemNode.Entry(key: "relative", value: .string(url.relativeString))]
            if let base = url.baseURL { entries.insert(.init(key: "base", value: node(of: base)), at: 0) }
            return .object(entries)
        }
    }
}

/// A node that is finished, or an encoder that may still be written to.
enum NodeSlot {
    case node(ItemNode)
    case pending(NodeEncoder)

    func finish() throws -> ItemNode {
        switch self {
        case .node(let node): node
        case .pending(let encoder): try encoder.finish()
        }
    }
}

/// The entries of an object in the order in which they were encoded.
final class EntryStore {
    private var slots: [(key: String, slot: NodeSlot)] = []

    func add(_ key: String, _ slot: NodeSlot) {
        slots.append((key, slot))
    }

    /// The entries in file order. Refuses keys that repeat, by bytes or by canonical equivalence, and keys that the
    /// format cannot hold.
    func sorted(by encoder: NodeEncoder) throws -> [ItemNode.Entry] {
        var seen: Set<String> = []
        for (key, _) in slots {
            guard (1...Int(ItemFormat.maximumKeyByteCount)).contains(key.utf8.count) else {
                throw encoder.refuse(.keyLength, key: ItemKey(key))
            }
            // Swift compares strings by canonical equivalence.
            guard seen.insert(key).inserted else { throw encoder.refuse(.duplicateKey, key: ItemKey(key)) }
        }
        guard slots.count <= Int(ItemFormat.maximumEntryCount) else { throw encoder.refuse(.tooManyEntries) }
        slots.sort { $0.key.precedesByBytes($1.key) }
        return try slots.map { ItemNode.Entry(key: $0.key, value: try $0.slot.finish()) }
    }
}

/// The elements of an array.
final class ElementStore {
    var slots: [NodeSlot] = []
}

/// A key for places that have no key type of their own: indices, `super`, and keys in errors.
struct ItemKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    init(index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init(stringValue: String) { self.init(stringValue) }
    init(intValue: Int) { self.init(index: intValue) }
}

/// A coding path for error texts.
func pathText(_ path: [any CodingKey]) -> String {
    var text = ItemPath()
    for key in path {
        if let index = key.intValue { text.push(index: index) } else { text.push(key: key.stringValue) }
    }
    return text.description
}
