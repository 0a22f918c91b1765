import CanonicalJSON

// Raw events (day-archive-reader.md 5).
extension ArchiveReader {
    /// The events that a question found.
    public struct Events: Sendable {
        /// One compact JSON object each, by start and id.
        public let lines: [[UInt8]]
        /// Days that were looked at.
        public let dayCount: Int
        /// How often each metric, or total of a metric, was found, most frequent first; `lines` may be fewer.
        public let names: [(metric: String, bucket: String?, count: Int)]

        /// Events that were found, before a limit cut them.
        public var matchCount: Int { names.reduce(0) { $0 + $1.count } }

        /// The number of events, then one line per name.
        public var summary: [String] {
            ["\(lines.count) events"] + names.map { "\($0.metric)\($0.bucket.map { "/" + $0 } ?? "") \($0.count)" }
        }
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
    ///
    /// Of the day before the range, which is fetched too, only what reaches into it is given: a night that began the evening
    /// before sits in that day.
    public func read(
        since: ArchiveDay? = nil, until: ArchiveDay? = nil, body: (_ day: ArchiveDay, _ lines: [UInt8]) throws -> Void
    ) throws {
        let key = try profile.readingKey()
        let client = try client(try profile.mirror(), key)
        let listed = try client.listDays(from: since?.previous, to: until, key: key.readKey)
        try client.fetch(listed.map(\.day), readingKey: key) { opened in
            guard let since, opened.day < since else { return try body(opened.day, opened.lines) }
            let reaching = try Self.lines(opened.lines, of: opened.day, endingAfter: since)
            if !reaching.isEmpty { try body(opened.day, reaching) }
        }
    }

    /// The lines whose events end after the first instant of a UTC day.
    private static func lines(_ lines: [UInt8], of day: ArchiveDay, endingAfter since: ArchiveDay) throws -> [UInt8] {
        let midnight = "\(since)T00:00:00Z"
        var reaching: [UInt8] = []
        for (index, line) in lines.split(separator: UInt8(ascii: "\n")).enumerated() {
            // The text of the line holds health values and stays out of the error.
            guard let object = try? JSONParser.parse(Array(line)).object else {
                throw ReaderError.badDayFile(day: day, line: index + 1)
            }
            let event = ReadEvent(day: day, object: object)
            if (event.end ?? event.start) > midnight { reaching += line + [UInt8(ascii: "\n")] }
        }
        return reaching
    }

    /// The names of metrics that can be asked for: those that the protocol knows, and those that a mirrored day holds. Sorted.
    public func metricNames() throws -> [String] {
        let held = try profile.holdings(try profile.mirroredDays()).flatMap { $0.holding.metrics.map(\.name) }
        return Set(MetricCatalog.statisticsNames + ["sleep", "workout"] + held).sorted()
    }

    /// The names of activities that the protocol knows, and those of mirrored workouts. Sorted.
    public func activityNames() throws -> [String] {
        var names = Set(Workout.knownNames)
        for day in try profile.mirroredDays() {
            names.formUnion(Workout.all(try profile.events(day)).map(\.activity))
        }
        return names.sorted()
    }
}

/// Collects matching lines.
private struct FoundEvents {
    private let filter: EventFilter
    private var entries: [(start: String, id: String, line: [UInt8])] = []
    private var counts: [Name: Int] = [:]

    private struct Name: Hashable {
        let metric: String
        let bucket: String?

        var text: String { metric + (bucket.map { "/\($0)" } ?? "") }
    }

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
            counts[Name(metric: event.metric ?? "unknown", bucket: event.bucket), default: 0] += 1
        }
    }

    func events(limit: Int?) -> ArchiveReader.Events {
        let sorted = entries.sorted { left, right in
            left.start == right.start ? JSONKeyOrder.bytes(left.id, right.id) : left.start < right.start
        }
        let names = counts.sorted { left, right in
            left.value == right.value
                ? JSONKeyOrder.bytes(left.key.text, right.key.text) : left.value > right.value
        }
        return ArchiveReader.Events(
            lines: sorted.prefix(limit ?? .max).map(\.line), dayCount: dayCount,
            names: names.map { (metric: $0.key.metric, bucket: $0.key.bucket, count: $0.value) })
    }
}
