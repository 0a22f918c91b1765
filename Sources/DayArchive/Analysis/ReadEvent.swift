import CanonicalJSON

/// One line of a day: the event as it was read, whatever its layout (day-archive-reader.md 5).
struct ReadEvent {
    /// The archive day whose file it stands in.
    let day: ArchiveDay
    let object: JSONObject

    var metric: String? { object["metric"]?.string }
    var bucket: String? { object["bucket"]?.string }
    var start: String { object["start"]?.string ?? "" }
    var end: String? { object["end"]?.string }
    var unit: String? { object["unit"]?.string }
    var source: String? { object["source"]?.string }
    var stage: String? { object["stage"]?.string }
    var activity: String? { object["activity"]?.string }
    var value: Double? { object["value"]?.number?.double }
    var duration: Double? { object["duration"]?.number?.double }
    var id: String { object["id"]?.string ?? "" }

    /// The events of a day file.
    static func parse(_ lines: [UInt8], day: ArchiveDay) throws(ReaderError) -> [ReadEvent] {
        var events: [ReadEvent] = []
        for (index, line) in lines.split(separator: UInt8(ascii: "\n")).enumerated() {
            // The text of the line holds health values and stays out of the error.
            guard let object = try? JSONParser.parse(Array(line)).object else {
                throw .badDayFile(day: day, line: index + 1)
            }
            events.append(ReadEvent(day: day, object: object))
        }
        return events
    }
}

/// Which events a question is about (day-archive-reader.md 5). Dates are the first ten characters of instants: UTC dates.
public struct EventFilter: Equatable, Sendable {
    /// Only this metric.
    public var metric: String?
    /// Only this bucket.
    public var bucket: String?
    /// The first day.
    public var since: ArchiveDay?
    /// The last day.
    public var until: ArchiveDay?

    /// Everything, unless parts are given.
    public init(
        metric: String? = nil, bucket: String? = nil, since: ArchiveDay? = nil, until: ArchiveDay? = nil
    ) {
        self.metric = metric
        self.bucket = bucket
        self.since = since
        self.until = until
    }

    /// The first archive day to look at: a night that began the evening before sits in the earlier day.
    var firstDay: ArchiveDay? { since?.previous }

    /// Whether the archive day may hold matching events.
    func covers(_ day: ArchiveDay) -> Bool {
        (firstDay.map { $0 <= day } ?? true) && (until.map { day <= $0 } ?? true)
    }

    func matches(_ event: ReadEvent) -> Bool {
        if let metric, event.metric?.utf8.elementsEqual(metric.utf8) != true { return false }
        if let bucket, event.bucket != bucket { return false }
        if let since, (event.end ?? event.start).prefix(10) < since.description { return false }
        if let until, event.start.prefix(10) > until.description { return false }
        return true
    }
}
