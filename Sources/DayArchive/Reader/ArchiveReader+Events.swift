import CanonicalJSON

// Raw events (day-archive-reader.md 5).
extension ArchiveReader {
    /// The events that a question found.
    public struct Events: Sendable {
        /// One compact JSON object each, by start and id.
        public let lines: [[UInt8]]
        /// Days that were looked at.
        public let dayCount: Int
        /// How often each `metric` or `metric/bucket` was found, most frequent first.
        public let counts: [(name: String, count: Int)]

        /// The number of events, then one line per name.
        public var summary: [String] { ["\(lines.count) events"] + counts.map { "\($0.name) \($0.count)" } }
    }

    /// Asks the mirror, without the network.
    public func query(_ filter: EventFilter, limit: Int? = nil) throws -> Events {
        // An archive that was never connected is an error and not an empty answer.
        _ = try profile.mirror()
        var found = FoundEvents(filter)
        for day in try profile.mirroredDays() where filter.covers(day) {
            try found.add(try profile.dayLines(day), day: day)
        }
        return found.events(limit: limit)
    }

    /// Asks the service for the days that the question covers, and nothing else.
    public func ask(_ filter: EventFilter, limit: Int? = nil) throws -> Events {
        let key = try profile.readingKey()
        let client = try client(try profile.mirror(), key)
        let listed = try client.listDays(from: filter.firstDay, to: filter.until, key: key.readKey)
        var found = FoundEvents(filter)
        try client.fetch(listed.map(\.day), readingKey: key) { try found.add($0.lines, day: $0.day) }
        return found.events(limit: limit)
    }

    /// Reads all events of a range from the service, in day order, without keeping them. The body gets lines ended by LF.
    public func read(
        since: ArchiveDay? = nil, until: ArchiveDay? = nil, body: (_ day: ArchiveDay, _ lines: [UInt8]) throws -> Void
    ) throws {
        let key = try profile.readingKey()
        let client = try client(try profile.mirror(), key)
        let listed = try client.listDays(from: since?.previous, to: until, key: key.readKey)
        try client.fetch(listed.map(\.day), readingKey: key) { try body($0.day, $0.lines) }
    }
}

/// Collects matching lines.
private struct FoundEvents {
    private let filter: EventFilter
    private var entries: [(start: String, id: String, line: [UInt8])] = []
    private var counts: [String: Int] = [:]
    private var dayCount = 0

    init(_ filter: EventFilter) { self.filter = filter }

    mutating func add(_ lines: [UInt8], day: ArchiveDay) throws {
        dayCount += 1
        for (index, slice) in lines.split(separator: UInt8(ascii: "\n")).enumerated() {
            let line = Array(slice)
            // The text of the line holds health values and stays out of the error.
            guard let object = try? JSONParser.parse(line).object else {
                throw ReaderError.badDayFile(day: day, line: index + 1)
            }
            let event = ReadEvent(day: day, object: object)
            guard filter.matches(event) else { continue }
            entries.append((event.start, event.id, line))
            let name = (event.metric ?? "unknown") + (event.bucket.map { "/\($0)" } ?? "")
            counts[name, default: 0] += 1
        }
    }

    func events(limit: Int?) -> ArchiveReader.Events {
        let sorted = entries.sorted { left, right in
            left.start == right.start ? JSONKeyOrder.bytes(left.id, right.id) : left.start < right.start
        }
        let names = counts.sorted { left, right in
            left.value == right.value ? JSONKeyOrder.bytes(left.key, right.key) : left.value > right.value
        }
        return ArchiveReader.Events(
            lines: sorted.prefix(limit ?? .max).map(\.line), dayCount: dayCount,
            counts: names.map { (name: $0.key, count: $0.value) })
    }
}
