import CanonicalJSON

/// A JSON Pointer (RFC 6901) as requests and projections use it: never empty (control-api.md 5, raw-result.md 9).
public struct JSONPointer: Hashable, Sendable, Comparable {
    /// Longest pointer, in UTF-8 bytes.
    public static let byteCount = 1_024

    /// As written.
    public let text: String
    private let tokens: [String]

    /// Starts with `/`, no control characters, `~` only as `~0` or `~1`, at most 1,024 bytes; else nil.
    public init?(_ text: String) {
        guard text.hasPrefix("/"), text.utf8.count <= JSONPointer.byteCount,
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        else { return nil }
        var tokens: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let token = JSONPointer.unescape(part) else { return nil }
            tokens.append(token)
        }
        self.text = text
        self.tokens = tokens
    }

    /// `~1` before `~0`, so that `~01` means `~1`.
    private static func unescape(_ part: Substring) -> String? {
        var result = ""
        var rest = part[...]
        while let tilde = rest.firstIndex(of: "~") {
            result += rest[..<tilde]
            let next = rest.index(after: tilde)
            guard next < rest.endIndex else { return nil }
            switch rest[next] {
            case "0": result.append("~")
            case "1": result.append("/")
            default: return nil
            }
            rest = rest[rest.index(after: next)...]
        }
        return result + rest
    }

    /// The value that the pointer names, or nil. Array elements are named by `0` or digits without a leading zero.
    public func value(in document: JSONValue) -> JSONValue? {
        var current = document
        for token in tokens {
            if let object = current.object {
                guard let member = object[token] else { return nil }
                current = member
            } else if let array = current.array {
                guard let index = JSONPointer.index(token), index < array.count else { return nil }
                current = array[index]
            } else {
                return nil
            }
        }
        return current
    }

    private static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), token == "0" || !token.hasPrefix("0") else {
            return nil
        }
        return Int(token)
    }

    /// By their text.
    public static func < (left: JSONPointer, right: JSONPointer) -> Bool { left.text < right.text }
}
