extension ItemTree {
    /// Reads a tree: a bare node, or the whole output of a full inspection, whose `root` is taken.
    ///
    /// A node must have exactly the fields of its tag. `bits` may be left out where `value` is given, and the reverse;
    /// where both stand they must agree, so that an edit of only one of them is noticed. Order and uniqueness of keys
    /// are left to `ItemWriter`.
    ///
    /// - Returns: The kind that an inspection names, nil for a bare node; and the root.
    public static func parse(_ text: [UInt8]) throws(ItemError) -> (kind: ItemKind?, root: ItemNode) {
        let document = try JSONParser.parse(text)
        guard let rootNode = document.field("root"), document.field("tag") == nil else {
            return (nil, try node(document, depth: 0))
        }
        var kind: ItemKind?
        if let field = document.field("kind") {
            guard case .string(let name) = field.value, let named = ItemKind(rawValue: name) else {
                throw .text(.treeValue, offset: field.offset)
            }
            kind = named
        }
        return (kind, try node(rootNode, depth: 0))
    }

    private static func node(_ json: JSONNode, depth: Int) throws(ItemError) -> ItemNode {
        guard depth <= ItemFormat.maximumDepth else { throw .text(.tooDeep, offset: json.offset) }
        guard case .string(let name) = json.field("tag")?.value else { throw .text(.treeNode, offset: json.offset) }
        guard let tag = ItemTag(name: name) else { throw .text(.treeTag, offset: json.offset) }
        switch tag {
        case .object: return .object(try entries(json, depth: depth))
        case .array:
            guard case .array(let elements) = try json.only("elements").value else { throw json.treeNodeFault }
            var nodes: [ItemNode] = []
            for element in elements { nodes.append(try node(element, depth: depth + 1)) }
            return .array(nodes)
        case .null:
            try json.checkFields(["tag"])
            return .null
        case .boolean:
            guard case .bool(let value) = try json.only("value").value else { throw json.treeValueFault }
            return .bool(value)
        case .signed: return .signed(try integer(json))
        case .unsigned: return .unsigned(try integer(json))
        case .double: return .double(try double(json, isDate: false))
        case .date: return .date(try double(json, isDate: true))
        case .string:
            guard json.field("truncated") == nil else { throw .text(.treeCut, offset: json.offset) }
            guard case .string(let value) = try json.only("value").value else { throw json.treeValueFault }
            return .string(value)
        case .data:
            guard json.field("base64") != nil || json.field("sha256") == nil else {
                throw .text(.treeCut, offset: json.offset)
            }
            guard case .string(let letters) = try json.only("base64").value, let bytes = Base64.decode(letters) else {
                throw json.treeValueFault
            }
            return .data(bytes)
        }
    }

    private static func entries(_ json: JSONNode, depth: Int) throws(ItemError) -> [ItemNode.Entry] {
        guard case .array(let elements) = try json.only("entries").value else { throw json.treeNodeFault }
        var entries: [ItemNode.Entry] = []
        for element in elements {
            try element.checkFields(["key", "value"])
            guard case .string(let key) = element.field("key")?.value, let value = element.field("value") else {
                throw element.treeNodeFault
            }
            entries.append(ItemNode.Entry(key: key, value: try node(value, depth: depth + 1)))
        }
        return entries
    }

    /// Only the digits that are printed for the value are taken: no plus sign, no leading zeros.
    private static func integer<Integer: FixedWidthInteger>(_ json: JSONNode) throws(ItemError) -> Integer {
        guard case .string(let digits) = try json.only("value").value, let value = Integer(digits),
            String(value) == digits
        else { throw json.treeValueFault }
        return value
    }

    private static func double(_ json: JSONNode, isDate: Bool) throws(ItemError) -> Double {
        try json.checkFields(isDate ? ["tag", "value", "bits", "utc"] : ["tag", "value", "bits"])
        var values: [Double] = []
        if let field = json.field("bits") {
            guard case .string(let digits) = field.value, digits.utf8.count == 16,
                digits.allSatisfy({ $0.isHexDigit && $0.isASCII }), let bits = UInt64(digits, radix: 16)
            else { throw .text(.treeValue, offset: field.offset) }
            values.append(Double(bitPattern: bits))
        }
        if let field = json.field("value") {
            guard case .number(let text) = field.value, let value = Double(text) else {
                throw .text(.treeValue, offset: field.offset)
            }
            values.append(value)
        }
        guard let value = values.first, value.isFinite, values.allSatisfy({ $0.bitPattern == value.bitPattern }) else {
            throw json.treeValueFault
        }
        if let field = json.field("utc") {
            guard case .string(let utc) = field.value, utc == CalendarText.utc(secondsSince2001: value) else {
                throw .text(.treeValue, offset: field.offset)
            }
        }
        return value
    }
}

extension JSONNode {
    fileprivate var treeNodeFault: ItemError { .text(.treeNode, offset: offset) }
    fileprivate var treeValueFault: ItemError { .text(.treeValue, offset: offset) }

    /// The value under a key; nil where there is none, or no object.
    fileprivate func field(_ name: String) -> JSONNode? {
        guard case .object(let entries) = value else { return nil }
        return entries.first { $0.key == name }?.value
    }

    /// Refuses fields that a node must not have.
    fileprivate func checkFields(_ allowed: Set<String>) throws(ItemError) {
        guard case .object(let entries) = value, entries.allSatisfy({ allowed.contains($0.key) }) else {
            throw treeNodeFault
        }
    }

    /// The one field that stands beside `tag`.
    fileprivate func only(_ name: String) throws(ItemError) -> JSONNode {
        try checkFields(["tag", name])
        guard let field = field(name) else { throw treeNodeFault }
        return field
    }
}
