/// The name that the service gives to an edit: 13 digits of Unix milliseconds, `-`, 8 characters of base32
/// (day-archive.md 9.2). Names sort in the order in which edits were taken.
public struct EditName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of random bytes behind a name.
    public static let randomByteCount = 5
    /// The largest number of milliseconds that 13 digits hold.
    static let maximumMilliseconds = 9_999_999_999_999

    /// The name as it stands in paths.
    public let text: String

    /// Takes a name.
    ///
    /// - Throws: `bad_edit_name`.
    public init(text: some StringProtocol) throws(WireError) {
        let bytes = Array(text.utf8)
        guard bytes.count == 22, bytes[13] == UInt8(ascii: "-"),
            bytes[..<13].allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            bytes[14...].allSatisfy(Base32.isCharacter)
        else { throw .notAnEditName }
        self.text = String(text)
    }

    /// Makes a name from the service's clock and five random bytes.
    public init(milliseconds: Int, random: [UInt8]) {
        precondition(random.count == Self.randomByteCount && (0...Self.maximumMilliseconds).contains(milliseconds))
        let digits = String(milliseconds)
        text = String(repeating: "0", count: 13 - digits.count) + digits + "-" + Base32.encode(random)
    }

    /// The milliseconds in the name.
    public var milliseconds: Int {
        guard let value = Int(text.prefix(13)) else { preconditionFailure("a name begins with 13 digits") }
        return value
    }

    /// The name.
    public var description: String { text }

    /// By bytes.
    public static func < (left: EditName, right: EditName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
