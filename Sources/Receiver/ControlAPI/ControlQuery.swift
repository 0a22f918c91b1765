/// A query string, percent-decoded. Read on two routes only; unknown names are ignored, of a repeated one the first counts
/// except where repetition is meant (extensions.md 5).
struct ControlQuery {
    private let parameters: [(name: String, value: String)]

    /// Reads `name=value&…`. `+` is a space; a pair whose escapes are malformed keeps them as sent, so that no rule takes it
    /// for something else.
    init(_ text: String?) {
        parameters = (text ?? "").split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decode(parts[0]), parts.count == 2 ? Self.decode(parts[1]) : "")
        }
    }

    /// The first value of a name that is not empty.
    func first(_ name: String) -> String? { all(name).first }

    /// All values of a name that are not empty.
    func all(_ name: String) -> [String] {
        parameters.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }

    private static func decode(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return String(text)
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? String(text)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension JobListQuery {
    /// Jobs of one page (control-api.md 12).
    static let allowedLimits = 1...200

    /// `state` (repeatable), `limit`, `before`.
    init(_ query: ControlQuery) throws(RouteError) {
        self.init()
        for word in query.all("state") {
            guard let state = JobState(rawValue: word) else {
                throw .invalidQuery(
                    name: "state", takes: JobState.allCases.map(\.rawValue).joined(separator: ", "))
            }
            states.insert(state)
        }
        if let text = query.first("limit") {
            guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let value = Int(text),
                Self.allowedLimits.contains(value)
            else { throw .invalidQuery(name: "limit", takes: "a number from 1 to 200") }
            limit = value
        }
        before = query.first("before")
    }
}
