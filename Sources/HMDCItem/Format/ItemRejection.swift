/// Why bytes are no valid item: the rules of hmdcitem.md 4, in their order.
public enum ItemRejection: Hashable, Sendable {
    /// Rule 1. Found by the driver that opens files; this room only names it.
    case notPrivateRegularFile
    /// Rule 2: twelve bytes or fewer.
    case fileTooShort
    /// Rule 2: the magic differs.
    case badMagic
    /// Rule 2: a format version other than 1.
    case unsupportedVersion
    /// Rule 2: an unknown kind, or another than the expected one.
    case unexpectedKind(expected: ItemKind?)
    /// Rule 2: the reserved byte is not zero.
    case reservedByteSet
    /// Rule 3.
    case unknownTag
    /// Rule 4: fewer than nine bytes for a node.
    case nodeTooShort
    /// Rule 4: a payload length above 2^63 - 1.
    case lengthOutOfRange
    /// Rule 4: header and payload do not fill the enclosing length.
    case lengthMismatch
    /// Rule 5: an object payload of fewer than four bytes.
    case objectTooShort
    /// Rule 5: more than 16 384 entries.
    case tooManyEntries
    /// Rule 5: a key length of 0 or above 4 096.
    case keyLengthOutOfRange
    /// Rule 5: key length or key run past the payload.
    case keyPastEnd
    /// Rule 5: child length or child run past the payload.
    case childPastEnd
    /// Rules 5 and 8: a child length below nine.
    case childTooShort
    /// Rule 6.
    case keyNotUTF8
    /// Rule 6: a key that is not greater, bytewise, than the one before.
    case keyNotIncreasing
    /// Rule 6: a key that is canonically equivalent to an earlier one.
    case duplicateKey
    /// Rule 7.
    case bytesAfterLastEntry
    /// Rule 8: an array payload of fewer than eight bytes.
    case arrayTooShort
    /// Rule 8: more elements declared than could fit.
    case tooManyElements
    /// Rule 8: element length or element run past the payload.
    case elementPastEnd
    /// Rule 8; also in an empty array, where upstream does not look.
    case bytesAfterLastElement
    /// A null node with a payload, which upstream does not look at.
    case nullNotEmpty
    /// Rule 9: a Boolean payload of other than one byte.
    case booleanLength
    /// Rule 9: a Boolean other than 0 or 1.
    case booleanValue
    /// Rule 10: a number payload of other than eight bytes.
    case numberLength(ItemTag)
    /// Rule 10: a double or date that is not finite.
    case notFinite(ItemTag)
    /// Rule 11.
    case stringNotUTF8
    /// Rule 12.
    case tooDeep
    /// Rule 13: the node's tag does not fit the type that was asked for.
    case typeMismatch(expected: ItemTag, found: ItemTag)
    /// Rule 14: an integer that the narrower type cannot hold.
    case integerOutOfRange
    /// Rule 14: a double that a 32-bit float cannot hold.
    case floatOutOfRange
    /// A key that the type requires is not there.
    case missingKey(String)
    /// An array has fewer elements than the type reads.
    case missingElement
    /// The type itself refused a well-formed value, for example a word that is no case of an enumeration.
    case valueRefused(path: String)
    /// A string or data value is too long to be held in memory.
    case leafTooLarge(limit: UInt64)
    /// The source ended before its declared length.
    case sourceEndedEarly
}

extension ItemRejection {
    /// The number of the rule in hmdcitem.md 4, or nil for what that list does not name.
    public var rule: Int? {
        switch self {
        case .notPrivateRegularFile: 1
        case .fileTooShort, .badMagic, .unsupportedVersion, .unexpectedKind, .reservedByteSet: 2
        case .unknownTag: 3
        case .nodeTooShort, .lengthOutOfRange, .lengthMismatch: 4
        case .objectTooShort, .tooManyEntries, .keyLengthOutOfRange, .keyPastEnd, .childPastEnd, .childTooShort: 5
        case .keyNotUTF8, .keyNotIncreasing, .duplicateKey: 6
        case .bytesAfterLastEntry: 7
        case .arrayTooShort, .tooManyElements, .elementPastEnd, .bytesAfterLastElement: 8
        case .booleanLength, .booleanValue: 9
        case .numberLength, .notFinite: 10
        case .stringNotUTF8: 11
        case .tooDeep: 12
        case .typeMismatch: 13
        case .integerOutOfRange, .floatOutOfRange: 14
        case .nullNotEmpty, .missingKey, .missingElement, .valueRefused, .leafTooLarge, .sourceEndedEarly: nil
        }
    }

    /// A stable word for programs.
    public var code: String {
        switch self {
        case .notPrivateRegularFile: "not_private_regular_file"
        case .fileTooShort: "file_too_short"
        case .badMagic: "bad_magic"
        case .unsupportedVersion: "unsupported_version"
        case .unexpectedKind: "unexpected_kind"
        case .reservedByteSet: "reserved_byte_set"
        case .unknownTag: "unknown_tag"
        case .nodeTooShort: "node_too_short"
        case .lengthOutOfRange: "length_out_of_range"
        case .lengthMismatch: "length_mismatch"
        case .objectTooShort: "object_too_short"
        case .tooManyEntries: "too_many_entries"
        case .keyLengthOutOfRange: "key_length_out_of_range"
        case .keyPastEnd: "key_past_end"
        case .childPastEnd: "child_past_end"
        case .childTooShort: "child_too_short"
        case .keyNotUTF8: "key_not_utf8"
        case .keyNotIncreasing: "key_not_increasing"
        case .duplicateKey: "duplicate_key"
        case .bytesAfterLastEntry: "bytes_after_last_entry"
        case .arrayTooShort: "array_too_short"
        case .tooManyElements: "too_many_elements"
        case .elementPastEnd: "element_past_end"
        case .bytesAfterLastElement: "bytes_after_last_element"
        case .nullNotEmpty: "null_not_empty"
        case .booleanLength: "boolean_length"
        case .booleanValue: "boolean_value"
        case .numberLength: "number_length"
        case .notFinite: "number_not_finite"
        case .stringNotUTF8: "string_not_utf8"
        case .tooDeep: "too_deep"
        case .typeMismatch: "type_mismatch"
        case .integerOutOfRange: "integer_out_of_range"
        case .floatOutOfRange: "float_out_of_range"
        case .missingKey: "missing_key"
        case .missingElement: "missing_element"
        case .valueRefused: "value_refused"
        case .leafTooLarge: "leaf_too_large"
        case .sourceEndedEarly: "source_ended_early"
        }
    }

    /// What was expected.
    public var expectation: String {
        switch self {
        case .notPrivateRegularFile: "an item is a regular file with one link"
        case .fileTooShort: "an item has more than \(ItemFormat.headerByteCount) bytes"
        case .badMagic: "an item starts with HMDCITEM"
        case .unsupportedVersion: "the format version is \(ItemFormat.version)"
        case .unexpectedKind(let expected): "the kind is \(expected?.rawValue ?? "mac_health_day or strict_raw_day")"
        case .reservedByteSet: "the reserved byte is zero"
        case .unknownTag: "a tag is 1 to 10"
        case .nodeTooShort: "a node has at least \(ItemFormat.nodeHeaderByteCount) bytes"
        case .lengthOutOfRange: "a payload length is at most 2^63 - 1"
        case .lengthMismatch: "a node fills its enclosing length exactly"
        case .objectTooShort: "an object payload starts with a four-byte entry count"
        case .tooManyEntries: "an object has at most \(ItemFormat.maximumEntryCount) entries"
        case .keyLengthOutOfRange: "a key has 1 to \(ItemFormat.maximumKeyByteCount) bytes"
        case .keyPastEnd: "a key ends within its object"
        case .childPastEnd: "a child ends within its object"
        case .childTooShort: "a child has at least \(ItemFormat.nodeHeaderByteCount) bytes"
        case .keyNotUTF8: "a key is UTF-8"
        case .keyNotIncreasing: "keys stand in strictly increasing order of their bytes"
        case .duplicateKey: "the keys of one object differ, also after Unicode normalisation"
        case .bytesAfterLastEntry: "an object ends with its last entry"
        case .arrayTooShort: "an array payload starts with an eight-byte element count"
        case .tooManyElements: "an array's element count fits its payload"
        case .elementPastEnd: "an element ends within its array"
        case .bytesAfterLastElement: "an array ends with its last element"
        case .nullNotEmpty: "a null has no payload"
        case .booleanLength: "a Boolean payload has one byte"
        case .booleanValue: "a Boolean is 0 or 1"
        case .numberLength(let tag): "a payload of tag \(tag.name) has eight bytes"
        case .notFinite(let tag): "a \(tag.name) is finite"
        case .stringNotUTF8: "a string is UTF-8"
        case .tooDeep: "the deepest node is at depth \(ItemFormat.maximumDepth)"
        case .typeMismatch(let expected, let found): "a \(expected.name) was expected, a \(found.name) stands here"
        case .integerOutOfRange: "the integer fits the type that holds it"
        case .floatOutOfRange: "the number fits a 32-bit float"
        case .missingKey(let key): "the object has the key \(key)"
        case .missingElement: "the array has as many elements as its type reads"
        case .valueRefused(let path): "the value at \(path.isEmpty ? "the root" : path) is one that this version knows"
        case .leafTooLarge(let limit): "a value held in memory has at most \(limit) bytes"
        case .sourceEndedEarly: "the source holds as many bytes as it declared"
        }
    }

    /// What to do next.
    public var nextStep: String {
        switch self {
        case .notPrivateRegularFile: "Copy the item to a file of its own and name that file."
        case .unsupportedVersion, .typeMismatch, .missingKey, .missingElement, .integerOutOfRange, .floatOutOfRange,
            .valueRefused:
            "Update healthmd here and the app on the sending device, then request the day again."
        case .unexpectedKind: "Check which kind of export this item belongs to."
        case .leafTooLarge: "Read the value as ItemText or ItemData, which stay in the file."
        case .sourceEndedEarly: "Check the disk that holds the item, then request the day again."
        default: "Request the day again; if this repeats, look at the file with `healthmd item inspect`."
        }
    }
}
