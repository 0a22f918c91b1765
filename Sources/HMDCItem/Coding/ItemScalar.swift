/// The types that every coding container names one by one. One generic method per container serves all of them.
protocol ItemScalar: Codable {
    /// The value's node, or nil for a number that is not finite (hmdcitem.md 3).
    func itemNode(_ form: ItemForm) -> ItemNode?

    /// The value of a node, without conversion between tags (hmdcitem.md 4, rules 13 and 14).
    static func read(_ node: DecodingNode, _ context: DecodingContext) throws -> Self
}

/// Which of the two forms of an item is written.
enum ItemForm {
    /// HMDCITEM (hmdcitem.md 3).
    case binary
    /// JSON text of protocol versions 1 to 3 (hmdcitem.md 8).
    case json
}

extension Bool: ItemScalar {
    func itemNode(_ form: ItemForm) -> ItemNode? { .bool(self) }
    static func read(_ node: DecodingNode, _ context: DecodingContext) throws -> Bool { try node.bool() }
}

extension String: ItemScalar {
    func itemNode(_ form: ItemForm) -> ItemNode? { .string(self) }
    static func read(_ node: DecodingNode, _ context: DecodingContext) throws -> String {
        try node.string(limit: context.leafLimit)
    }
}

extension Double: ItemScalar {
    func itemNode(_ form: ItemForm) -> ItemNode? { isFinite ? .double(self) : nil }
    static func read(_ node: DecodingNode, _ context: DecodingContext) throws -> Double { try node.double() }
}

extension Float: ItemScalar {
    func itemNode(_ form: ItemForm) -> ItemNode? {
        guard isFinite else { return nil }
        switch form {
        case .binary: return .double(Double(self))
        // The shortest text of a float differs from that of the widened double.
        case .json: return .double(Double(description) ?? Double(self))
        }
    }
    static func read(_ node: DecodingNode, _ context: DecodingContext) throws -> Float { try node.float() }
}

extension ItemScalar where Self: FixedWidthInteger & SignedInteger {
    func itemNode(_ form: ItemForm) -> ItemNode? { .signed(Int64(self)) }
    static func read(_ node: DecodingNode, _ context: DecodingContext) throws -> Self { try node.signed(as: Self.self) }
}

extension ItemScalar where Self: FixedWidthInteger & UnsignedInteger {
    func itemNode(_ form: ItemForm) -> ItemNode? { .unsigned(UInt64(self)) }
    static func read(_ node: DecodingNode, _ context: DecodingContext) throws -> Self {
        try node.unsigned(as: Self.self)
    }
}

extension Int: ItemScalar {}
extension Int8: ItemScalar {}
extension Int16: ItemScalar {}
extension Int32: ItemScalar {}
extension Int64: ItemScalar {}
extension UInt: ItemScalar {}
extension UInt8: ItemScalar {}
extension UInt16: ItemScalar {}
extension UInt32: ItemScalar {}
extension UInt64: ItemScalar {}
