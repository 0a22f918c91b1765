/// One node as a `Decoder` sees it, whatever it comes from.
enum DecodingNode {
    /// In a file, read when it is visited.
    case stored(StoredNode)
    /// In memory.
    case tree(ItemNode)
    /// JSON of protocol versions 1 to 3.
    case json(JSONNode)
}

/// The entries of one object, by key and in order.
struct DecodingEntries {
    let keys: [String]
    let nodes: [String: DecodingNode]
}

extension DecodingNode {
    /// Where the node lies in its file or text; 0 for trees in memory.
    var offset: UInt64 {
        switch self {
        case .stored(let node): node.offset
        case .tree: 0
        case .json(let node): UInt64(node.offset)
        }
    }

    /// Whether the node is a null.
    var isNull: Bool {
        switch self {
        case .stored(let node): node.tag == .null
        case .tree(let node): node.tag == .null
        case .json(let node): node.isNull
        }
    }

    /// The closest tag, for error texts.
    private var tag: ItemTag {
        switch self {
        case .stored(let node): node.tag
        case .tree(let node): node.tag
        case .json(let node): node.closestTag
        }
    }

    /// Rule 13.
    func mismatch(_ expected: ItemTag) -> ItemError {
        .rejected(.typeMismatch(expected: expected, found: tag), offset: offset)
    }

    func entries(omitting omitted: Set<String>) throws -> DecodingEntries {
        var keys: [String] = []
        var nodes: [String: DecodingNode] = [:]
        func add(_ key: String, _ node: DecodingNode, duplicateAt offset: UInt64) throws {
            // Swift compares strings by canonical equivalence, which is the rule for duplicates (rule 6).
            guard nodes.updateValue(node, forKey: key) == nil else {
                throw ItemError.rejected(.duplicateKey, offset: offset)
            }
            keys.append(key)
        }
        switch self {
        case .stored(let node):
            guard node.tag == .object else { throw mismatch(.object) }
            try node.forEachEntry { entry in try add(entry.key, .stored(entry.value), duplicateAt: entry.keyOffset) }
        case .tree(.object(let entries)):
            for entry in entries { try add(entry.key, .tree(entry.value), duplicateAt: 0) }
        case .json(let node):
            guard case .object(let entries) = node.value else { throw mismatch(.object) }
            for (key, value) in entries { try add(key, .json(value), duplicateAt: UInt64(value.offset)) }
        default: throw mismatch(.object)
        }
        if !omitted.isEmpty {
            keys.removeAll(where: omitted.contains)
            omitted.forEach { nodes.removeValue(forKey: $0) }
        }
        return DecodingEntries(keys: keys, nodes: nodes)
    }

    func elements() throws -> DecodingElements {
        switch self {
        case .stored(let node) where node.tag == .array: .stored(try StoredElements(node))
        case .tree(.array(let elements)): .tree(elements, next: 0)
        case .json(let node):
            if case .array(let elements) = node.value { .json(elements, next: 0) } else { throw mismatch(.array) }
        default: throw mismatch(.array)
        }
    }
}

/// The elements of one array, one after the other.
enum DecodingElements {
    case stored(StoredElements)
    case tree([ItemNode], next: Int)
    case json([JSONNode], next: Int)

    var count: Int {
        switch self {
        case .stored(let elements): Int(elements.count)
        case .tree(let elements, _): elements.count
        case .json(let elements, _): elements.count
        }
    }

    /// Steps to the next element; nil after the last.
    mutating func next() throws -> DecodingNode? {
        switch self {
        case .stored(var elements):
            let node = try elements.next()
            self = .stored(elements)
            return node.map(DecodingNode.stored)
        case .tree(let elements, let index):
            guard index < elements.count else { return nil }
            self = .tree(elements, next: index + 1)
            return .tree(elements[index])
        case .json(let elements, let index):
            guard index < elements.count else { return nil }
            self = .json(elements, next: index + 1)
            return .json(elements[index])
        }
    }
}

// MARK: - Values

extension DecodingNode {
    func bool() throws -> Bool {
        switch self {
        case .stored(let node) where node.tag == .boolean: try node.window.boolean(node.header)
        case .tree(.bool(let value)): value
        case .json(let node):
            if case .bool(let value) = node.value { value } else { throw mismatch(.boolean) }
        default: throw mismatch(.boolean)
        }
    }

    func signed<Integer: FixedWidthInteger & SignedInteger>(as type: Integer.Type) throws -> Integer {
        let wide: Int64 =
            switch self {
            case .stored(let node) where node.tag == .signed:
                Int64(bitPattern: try node.window.bigEndian64(at: node.header.payloadOffset))
            case .tree(.signed(let value)): value
            case .json(let node): try node.integer(or: mismatch(.signed))
            default: throw mismatch(.signed)
            }
        guard let value = Integer(exactly: wide) else {
            throw ItemError.rejected(.integerOutOfRange, offset: offset)
        }
        return value
    }

    func unsigned<Integer: FixedWidthInteger & UnsignedInteger>(as type: Integer.Type) throws -> Integer {
        let wide: UInt64 =
            switch self {
            case .stored(let node) where node.tag == .unsigned:
                try node.window.bigEndian64(at: node.header.payloadOffset)
            case .tree(.unsigned(let value)): value
            case .json(let node): try node.integer(or: mismatch(.unsigned))
            default: throw mismatch(.unsigned)
            }
        guard let value = Integer(exactly: wide) else {
            throw ItemError.rejected(.integerOutOfRange, offset: offset)
        }
        return value
    }

    func double() throws -> Double {
        switch self {
        case .stored(let node) where node.tag == .double: try node.window.finite(node.header)
        case .tree(.double(let value)): try finite(value)
        case .json(let node): try node.double(or: mismatch(.double))
        default: throw mismatch(.double)
        }
    }

    func float() throws -> Float {
        let wide = try double()
        let value = Float(wide)
        guard value.isFinite else { throw ItemError.rejected(.floatOutOfRange, offset: offset) }
        return value
    }

    /// Seconds since 2001-01-01T00:00:00Z.
    func date() throws -> Double {
        switch self {
        case .stored(let node) where node.tag == .date: try node.window.finite(node.header)
        case .tree(.date(let value)): try finite(value)
        case .json(let node): try node.double(or: mismatch(.date))
        default: throw mismatch(.date)
        }
    }

    func string(limit: UInt64) throws -> String {
        switch self {
        case .stored(let node) where node.tag == .string: return try node.string(limit: limit)
        case .tree(.string(let value)): return value
        case .tree(.streamedString(let region)):
            let bytes = try region.bytes(isText: true, limit: limit)
            return String(decoding: bytes, as: UTF8.self)
        case .json(let node):
            guard case .string(let value) = node.value else { throw mismatch(.string) }
            return value
        default: throw mismatch(.string)
        }
    }

    func data(limit: UInt64) throws -> [UInt8] {
        switch self {
        case .stored(let node) where node.tag == .data:
            return try node.data(limit: limit)
        case .tree(.data(let value)): return value
        case .tree(.streamedData(let region)): return try region.bytes(isText: false, limit: limit)
        case .json(let node):
            guard case .string(let text) = node.value, let bytes = Base64.decode(text) else { throw mismatch(.data) }
            return bytes
        default: throw mismatch(.data)
        }
    }

    /// The whole subtree. Numbers of JSON become doubles, since JSON does not tell kinds of numbers apart.
    func tree(limit: UInt64) throws -> ItemNode {
        switch self {
        case .stored(let node): try node.tree(limit: limit)
        case .tree(let node): node
        case .json(let node): try node.itemNode()
        }
    }

    private func finite(_ value: Double) throws -> Double {
        guard value.isFinite else { throw ItemError.rejected(.notFinite(tag), offset: offset) }
        return value
    }
}
