import CanonicalJSON

/// The inflated text of a day in either layout, and its form for readers: one JSON event a line (day-archive.md 2.3).
public enum DayText {
    private static let style = JSONStyle(isPretty: false, order: .given, escapesSolidus: false, numbers: .ecmaScript)
    /// Layout 2 needs four levels.
    private static let limits = JSONLimits(depth: 8)

    /// The day as lines, each ended by LF; empty for an empty day. Layout 1 passes through unchanged.
    ///
    /// - Throws: `unknown_layout`, `malformed_day`.
    public static func lines(of text: [UInt8]) throws(WireError) -> [UInt8] {
        guard let document = columns(in: text) else { return passThrough(text) }
        return lines(try ColumnarDay.unpack(document))
    }

    /// Events as lines, with identities numbered where they occur more than once.
    public static func lines(_ events: [ArchiveEvent]) -> [UInt8] {
        let ids = events.map(\.plainID)
        // Bytes as keys: metrics are free text, and `String` would take canonical equivalents for one.
        var totals: [[UInt8]: Int] = [:]
        for id in ids { totals[Array(id.utf8), default: 0] += 1 }
        var seen: [[UInt8]: Int] = [:]
        var output: [UInt8] = []
        for (event, id) in zip(events, ids) {
            var id = id
            let key = Array(id.utf8)
            if totals[key, default: 0] > 1 {
                seen[key, default: 0] += 1
                id += "#\(seen[key, default: 0])"
            }
            output += JSONWriter.encode(.object(event.object(id: id)), style: style)
            output.append(UInt8(ascii: "\n"))
        }
        return output
    }

    /// The document when the text is one object with `series`: that is what tells the layouts apart.
    private static func columns(in text: [UInt8]) -> JSONObject? {
        let trimmed = trim(text)
        guard !trimmed.contains(UInt8(ascii: "\n")) else { return nil }
        // Text that is no JSON is not layout 2; whoever reads its lines reports that.
        guard let document = try? JSONParser.parse(Array(trimmed), limits: limits).object else { return nil }
        return document["series"] == nil ? nil : document
    }

    private static func passThrough(_ text: [UInt8]) -> [UInt8] {
        let trimmed = trim(text)
        return trimmed.isEmpty ? [] : trimmed + [UInt8(ascii: "\n")]
    }

    private static func trim(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        guard let first = text.firstIndex(where: { !isBlank($0) }),
            let last = text.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return text[first...last]
    }
}
