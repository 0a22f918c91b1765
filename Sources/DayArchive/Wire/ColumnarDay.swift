import CanonicalJSON

/// A day as columns, layout 2: what is compressed and sealed (day-archive.md 2.2, 2.3).
public enum ColumnarDay {
    /// The layout that is written.
    static let version = 2
    /// The rows of one day, counted before they are built: 64 MiB of inflated text cannot hold more.
    private static let maximumRowCount = 32 << 20
    private static let style = JSONStyle(isPretty: false, order: .given, escapesSolidus: false, numbers: .ecmaScript)

    // MARK: Packing

    /// The canonical bytes of a set of events: the same for any order of the input, so that their SHA-256 tells whether
    /// a day has changed.
    public static func pack(_ events: [ArchiveEvent]) -> [UInt8] {
        let sorted = events.sorted(by: EventOrder.precedes)
        var series: [JSONValue] = []
        var start = 0
        while start < sorted.count {
            var end = start + 1
            while end < sorted.count, EventOrder.compareSeries(sorted[start], sorted[end]) == 0 { end += 1 }
            series.append(.object(object(of: sorted[start..<end])))
            start = end
        }
        return JSONWriter.encode(["series": .array(series), "v": .integer(version)], style: style)
    }

    /// One series; its events agree on everything that is said once.
    private static func object(of rows: ArraySlice<ArchiveEvent>) -> JSONObject {
        guard let first = rows.first else { preconditionFailure("a series has rows") }
        func texts(_ column: KeyPath<ArchiveEvent, String?>) -> JSONValue? {
            guard rows.contains(where: { $0[keyPath: column] != nil }) else { return nil }
            return .array(rows.map { $0[keyPath: column].map { .string($0) } ?? .null })
        }
        func numbers(_ column: KeyPath<ArchiveEvent, Double?>) -> JSONValue? {
            guard rows.contains(where: { $0[keyPath: column] != nil }) else { return nil }
            return .array(rows.map { $0[keyPath: column].map { .double($0) } ?? .null })
        }
        var previous = first.start
        var object = JSONObject()
        object.append("activity", ifPresent: texts(\.activity))
        object.append("bucket", ifPresent: first.bucket.map { .string($0) })
        object.append("d", .array(rows.map { .integer($0.end - $0.start) }))
        object.append("duration", ifPresent: numbers(\.duration))
        object.append("k", .string(first.kind))
        object.append("metric", .string(first.metric))
        object.append("source", ifPresent: first.source.map { .string($0) })
        object.append("stage", ifPresent: texts(\.stage))
        object.append(
            "t",
            .array(
                rows.map { row in
                    defer { previous = row.start }
                    return .integer(row.start - previous)
                }))
        object.append("t0", .integer(first.start))
        object.append("unit", ifPresent: first.unit.map { .string($0) })
        object.append("value", ifPresent: numbers(\.value))
        return object
    }

    // MARK: Unpacking

    /// The events of a layout 2 document, in its order.
    ///
    /// - Throws: `unknown_layout`, `malformed_day`.
    public static func unpack(_ document: JSONObject) throws(WireError) -> [ArchiveEvent] {
        guard let found = document["v"]?.number?.int, found == version else {
            throw .unknownLayout(version: document["v"]?.number?.int)
        }
        guard let series = document["series"]?.array else {
            throw .malformedDay(series: nil, what: "series is no list")
        }
        guard document.count == 2 else { throw .malformedDay(series: nil, what: "an unknown key") }
        var events: [ArchiveEvent] = []
        for (index, value) in series.enumerated() {
            guard let object = value.object else { throw .malformedDay(series: index, what: "no object") }
            try append(object, index: index, to: &events)
        }
        return events
    }

    private static func append(_ object: JSONObject, index: Int, to events: inout [ArchiveEvent]) throws(WireError) {
        let reader = try SeriesReader(object, index: index)
        guard events.count + reader.count <= maximumRowCount else {
            throw .malformedDay(series: index, what: "too many rows")
        }
        events.reserveCapacity(events.count + reader.count)
        var start = reader.firstStart
        for row in 0..<reader.count {
            events.append(try reader.event(row, start: &start))
        }
    }
}

/// One series object whose parts have been checked for type and length.
private struct SeriesReader {
    let index: Int
    let count: Int
    let firstStart: Int
    private let steps: [JSONValue]
    private let lengths: [JSONValue]
    private let metric: String
    private var shared: [String: String] = [:]
    private var columns: [String: [JSONValue]] = [:]

    init(_ object: JSONObject, index: Int) throws(WireError) {
        self.index = index
        guard let steps = object["t"]?.array, let lengths = object["d"]?.array, let metric = object["metric"]?.string,
            let firstStart = object["t0"]?.number?.int, ArchiveEvent.instants.contains(firstStart)
        else { throw .malformedDay(series: index, what: "t, d, t0 or metric is missing") }
        self.steps = steps
        self.lengths = lengths
        self.metric = metric
        self.firstStart = firstStart
        count = steps.count
        guard lengths.count == count else { throw .malformedDay(series: index, what: "columns of unequal length") }
        for member in object.members {
            switch member.key {
            case "t", "d", "t0", "metric": continue
            case "k", "bucket", "unit", "source":
                guard let text = member.value.string else {
                    throw .malformedDay(series: index, what: "\(member.key) is no text")
                }
                shared[member.key] = text
            case "value", "stage", "activity", "duration":
                guard let column = member.value.array, column.count == count else {
                    throw .malformedDay(series: index, what: "columns of unequal length")
                }
                columns[member.key] = column
            default: throw .malformedDay(series: index, what: "an unknown key")
            }
        }
        guard shared["k"] == (shared["bucket"] == nil ? "hk" : "agg") else {
            throw .malformedDay(series: index, what: "k does not fit bucket")
        }
    }

    func event(_ row: Int, start: inout Int) throws(WireError) -> ArchiveEvent {
        guard let step = steps[row].number?.int, let length = lengths[row].number?.int,
            step.magnitude < 1 << 40, length.magnitude < 1 << 40
        else { throw .malformedDay(series: index, what: "t or d is no whole number") }
        start += step
        do {
            return try ArchiveEvent(
                metric: metric, bucket: shared["bucket"], start: start, end: start + length, unit: shared["unit"],
                source: shared["source"], value: number("value", row), stage: text("stage", row),
                activity: text("activity", row), duration: number("duration", row))
        } catch .unpackableEvent(let field) {
            throw .malformedDay(series: index, what: "\(field) in row \(row)")
        }
    }

    private func text(_ name: String, _ row: Int) throws(WireError) -> String? {
        guard let value = columns[name]?[row], value != .null else { return nil }
        guard let text = value.string else { throw .malformedDay(series: index, what: "\(name) is no text") }
        return text
    }

    private func number(_ name: String, _ row: Int) throws(WireError) -> Double? {
        guard let value = columns[name]?[row], value != .null else { return nil }
        guard let number = value.number else { throw .malformedDay(series: index, what: "\(name) is no number") }
        return number.double
    }
}
