/// A request target taken apart: path segments as sent, query parameters decoded (day-archive.md 6, extensions.md 10.2).
struct RequestTarget {
    /// Segments between slashes, empty ones left out, nothing decoded; nil when the path lies outside the base path.
    let segments: [Substring]?
    private let query: Substring?

    /// - Parameter basePath: empty, or a path without a slash at its end, which is removed from the front for routing.
    init(_ target: String, basePath: String = "") {
        let mark = target.firstIndex(of: "?")
        let path = target[..<(mark ?? target.endIndex)]
        query = mark.map { target[target.index(after: $0)...] }
        guard path.hasPrefix(basePath) else {
            segments = nil
            return
        }
        let rest = path.dropFirst(basePath.count)
        segments = rest.isEmpty || rest.hasPrefix("/") ? rest.split(separator: "/") : nil
    }

    /// The first parameter of this name; nil when it is absent or empty.
    func parameter(_ name: String) -> String? {
        guard let query else { return nil }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard Self.decode(parts[0]) == name else { continue }
            let value = parts.count == 2 ? Self.decode(parts[1]) : ""
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// Percent escapes as bytes, `+` as a space; an escape that is none stays as it is.
    private static func decode(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                output.append(high << 4 | low)
                index += 3
            } else {
                output.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension RequestTarget {
    /// A day; nil when absent.
    func day(_ name: String) throws(ServiceFault) -> ArchiveDay? {
        guard let text = parameter(name) else { return nil }
        do {
            return try ArchiveDay(text: text)
        } catch {
            throw ServiceFault(.badDay)
        }
    }

    /// The page size: 1 to 15 digits, at least 1, lowered to the ceiling (extensions.md 10.2).
    func limit(ceiling: Int) throws(ServiceFault) -> Int {
        guard let text = parameter("limit") else { return ceiling }
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            let limit = Int(text), limit >= 1
        else { throw ServiceFault(.badLimit) }
        return min(limit, ceiling)
    }

    /// An edit's name; nil when absent.
    func editName(_ name: String) throws(ServiceFault) -> EditName? {
        guard let text = parameter(name) else { return nil }
        do {
            return try EditName(text: text)
        } catch {
            throw ServiceFault(.badName)
        }
    }
}
