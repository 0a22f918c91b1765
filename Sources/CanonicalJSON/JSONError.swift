/// Why a JSON text was refused, and at which byte.
///
/// The text itself never appears in the error: documents hold health values.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong. The raw value is stable and may be printed, compared and documented.
    public enum Code: String, Sendable, CaseIterable {
        /// The text begins with a byte order mark.
        case byteOrderMark = "json_byte_order_mark"
        /// The text ended inside a value.
        case unexpectedEnd = "json_unexpected_end"
        /// A byte that the grammar does not allow here.
        case unexpectedByte = "json_unexpected_byte"
        /// Something other than white space follows the document.
        case trailingContent = "json_trailing_content"
        /// A byte sequence in a string is not UTF-8.
        case invalidUTF8 = "json_invalid_utf8"
        /// A control character in a string was not escaped.
        case controlCharacter = "json_control_character"
        /// An escape sequence is unknown or incomplete.
        case invalidEscape = "json_invalid_escape"
        /// A `\u` escape names half of a surrogate pair.
        case loneSurrogate = "json_lone_surrogate"
        /// A number is not written as RFC 8259 requires.
        case invalidNumber = "json_invalid_number"
        /// Arrays and objects are nested deeper than `JSONLimits.depth`.
        case depthLimit = "json_depth_limit"
        /// A key is longer than `JSONLimits.keyByteCount`.
        case keyTooLong = "json_key_too_long"
        /// An object has more keys than `JSONLimits.keysPerObject`.
        case tooManyKeys = "json_too_many_keys"
        /// An object holds the same key twice.
        case duplicateKey = "json_duplicate_key"
        /// A number token is longer than `JSONLimits.numberByteCount`.
        case numberTooLong = "json_number_too_long"
        /// A string that had to be held in memory is longer than the caller allows.
        case stringTooLong = "json_string_too_long"
    }

    /// What was wrong.
    public let code: Code
    /// Offset in bytes from the start of the text.
    public let offset: Int

    /// An error at a byte offset.
    public init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// A sentence without any of the text.
    public var description: String {
        "\(code.rawValue) at byte \(offset): the text is not the JSON that is accepted here; check its producer"
    }
}
