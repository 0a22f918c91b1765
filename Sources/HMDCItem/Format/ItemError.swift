/// Everything that this room can refuse. The texts name places and rules, never values.
public enum ItemError: Error, Hashable, Sendable {
    /// The bytes are no valid item. `offset` is the position in the file of the field that is wrong, or of the node
    /// when the whole node is (hmdcitem.md 4).
    case rejected(ItemRejection, offset: UInt64)
    /// The value cannot be written as an item. `path` names keys and indices from the root (hmdcitem.md 3).
    case refused(ItemRefusal, path: String)
    /// The JSON text is no valid tree, or no valid item of protocol versions 1 to 3. `offset` counts bytes of text.
    case text(ItemTextFault, offset: Int)

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .rejected(let rejection, _): rejection.code
        case .refused(let refusal, _): refusal.rawValue
        case .text(let fault, _): fault.rawValue
        }
    }

    /// Where in the file, or in the text, the fault lies. Nil while nothing has been written yet.
    public var offset: UInt64? {
        switch self {
        case .rejected(_, let offset): offset
        case .refused: nil
        case .text(_, let offset): UInt64(offset)
        }
    }

    /// What was expected.
    public var expectation: String {
        switch self {
        case .rejected(let rejection, _): rejection.expectation
        case .refused(let refusal, _): refusal.expectation
        case .text(let fault, _): fault.expectation
        }
    }

    /// What to do next.
    public var nextStep: String {
        switch self {
        case .rejected(let rejection, _): rejection.nextStep
        case .refused(let refusal, _): refusal.nextStep
        case .text(let fault, _): fault.nextStep
        }
    }
}

extension ItemError: CustomStringConvertible {
    /// Code, place, expectation and next step.
    public var description: String {
        switch self {
        case .rejected(_, let offset): "\(code) at byte \(offset): \(expectation). \(nextStep)"
        case .refused(_, let path): "\(code) at \(path.isEmpty ? "the root" : path): \(expectation). \(nextStep)"
        case .text(_, let offset): "\(code) at byte \(offset) of the text: \(expectation). \(nextStep)"
        }
    }
}

/// Why a value cannot become an item (hmdcitem.md 3). The raw value is the stable code.
public enum ItemRefusal: String, CaseIterable, Hashable, Sendable {
    /// NaN or an infinity, as double, float or date.
    case numberNotFinite = "number_not_finite"
    /// A key that is empty or longer than 4 096 bytes.
    case keyLength = "key_length_out_of_range"
    /// Two keys of one object are equal by bytes or by canonical equivalence.
    case duplicateKey = "duplicate_key"
    /// The keys of a hand-made object are not in the order of their bytes.
    case keyOrder = "key_not_increasing"
    /// An object of more than 16 384 entries.
    case tooManyEntries = "too_many_entries"
    /// A node below depth 128.
    case tooDeep = "too_deep"
    /// A payload, or the whole item, over 2^63 - 1 bytes.
    case tooLarge = "payload_too_large"
    /// A streamed string without bytes.
    case emptyStreamedString = "streamed_string_empty"
    /// A streamed string that is not UTF-8.
    case streamedStringNotUTF8 = "streamed_string_not_utf8"
    /// The source of a streamed string or of streamed data ended before its length was reached.
    case streamedSourceShort = "streamed_source_short"
    /// A streamed value met a serializer that cannot stream.
    case streamedElsewhere = "streamed_value_elsewhere"

    /// What was expected.
    public var expectation: String {
        switch self {
        case .numberNotFinite: "numbers and dates must be finite"
        case .keyLength: "a key has 1 to \(ItemFormat.maximumKeyByteCount) UTF-8 bytes"
        case .duplicateKey: "the keys of one object differ, also after Unicode normalisation"
        case .keyOrder: "keys stand in strictly increasing order of their UTF-8 bytes"
        case .tooManyEntries: "an object has at most \(ItemFormat.maximumEntryCount) entries"
        case .tooDeep: "the deepest node is at depth \(ItemFormat.maximumDepth)"
        case .tooLarge: "lengths stay within 2^63 - 1"
        case .emptyStreamedString: "a streamed string has at least one byte"
        case .streamedStringNotUTF8: "a streamed string is UTF-8"
        case .streamedSourceShort: "the source of a streamed value holds as many bytes as it declared"
        case .streamedElsewhere: "only the encoders of this module can write a streamed value"
        }
    }

    /// What to do next.
    public var nextStep: String {
        switch self {
        case .streamedStringNotUTF8, .streamedSourceShort, .emptyStreamedString:
            "Write the source file again and retry the day."
        case .keyOrder: "Sort the entries by the bytes of their keys."
        default: "Correct the value at this place and encode it again."
        }
    }
}

/// Why a JSON text was not taken: the tree form (extensions.md 6) or an item of protocol versions 1 to 3
/// (hmdcitem.md 8). The raw value is the stable code.
public enum ItemTextFault: String, CaseIterable, Hashable, Sendable {
    /// Not JSON.
    case syntax = "json_syntax"
    /// Bytes that are not UTF-8.
    case notUTF8 = "json_not_utf8"
    /// Arrays and objects nested too deeply.
    case tooDeep = "json_too_deep"
    /// One object with the same key twice.
    case duplicateKey = "json_duplicate_key"
    /// An item of protocol versions 1 to 3 that starts with `HMDCITEM`.
    case binaryItem = "json_is_binary_item"
    /// A tree node without the fields that its tag needs, or with fields that it must not have.
    case treeNode = "tree_node_invalid"
    /// A tree node with a tag that does not exist.
    case treeTag = "tree_tag_unknown"
    /// A tree node whose value does not fit its tag.
    case treeValue = "tree_value_invalid"
    /// A cut string, or data without its bytes: the output of `item inspect` without `--full`.
    case treeCut = "tree_value_cut"

    /// What was expected.
    public var expectation: String {
        switch self {
        case .syntax: "the text is one JSON value"
        case .notUTF8: "the text is UTF-8"
        case .tooDeep: "JSON nests at most \(ItemJSON.maximumDepth) levels"
        case .duplicateKey: "the keys of one JSON object differ"
        case .binaryItem: "an item of protocol versions 1 to 3 is JSON text"
        case .treeNode: "a tree node has exactly the fields of its tag"
        case .treeTag: "a tree node's tag is one of the ten names"
        case .treeValue: "a tree node's value fits its tag"
        case .treeCut: "strings and data are complete"
        }
    }

    /// What to do next.
    public var nextStep: String {
        switch self {
        case .treeCut: "Print the tree again with `healthmd item inspect --full`."
        case .treeNode, .treeTag, .treeValue:
            "Compare the tree with the output of `healthmd item inspect --full`."
        case .binaryItem: "Start the export again, so that both sides agree on the protocol version."
        case .syntax, .notUTF8, .tooDeep, .duplicateKey: "Correct the text, or fetch the item again."
        }
    }
}
