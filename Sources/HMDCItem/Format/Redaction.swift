// Health values never reach a log, so the descriptions of what holds them tell kinds and sizes only.

extension ItemNode: CustomStringConvertible {
    /// The tag, and how much is below it.
    public var description: String {
        switch self {
        case .object(let entries): "object(\(entries.count) entries)"
        case .array(let elements): "array(\(elements.count) elements)"
        case .null, .bool, .signed, .unsigned, .double, .date: tag.name
        case .string(let text): "string(\(text.utf8.count) bytes)"
        case .data(let bytes): "data(\(bytes.count) bytes)"
        case .streamedString(let region), .streamedData(let region): "\(tag.name)(\(region.byteCount) bytes, streamed)"
        }
    }
}

extension ItemText: CustomStringConvertible {
    /// The length in bytes.
    public var description: String {
        switch self {
        case .inMemory(let text): "text(\(text.utf8.count) bytes)"
        case .streamed(let region): "text(\(region.byteCount) bytes, streamed)"
        }
    }
}

extension ItemData: CustomStringConvertible {
    /// The length in bytes.
    public var description: String {
        switch self {
        case .inMemory(let bytes): "data(\(bytes.count) bytes)"
        case .streamed(let region): "data(\(region.byteCount) bytes, streamed)"
        }
    }
}

extension FreeJSON: CustomStringConvertible {
    /// The kind of value.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array(let elements): "array(\(elements.count) elements)"
        case .object(let values): "object(\(values.count) entries)"
        }
    }
}
