import CanonicalJSON

/// One total for a bucket of time, or one record (day-archive.md 2.1). Instants are whole seconds since 1970.
public struct ArchiveEvent: Equatable, Sendable {
    /// A stable name; the set is open.
    public let metric: String
    /// `hour` or `day` on totals; its presence is what makes an event a total.
    public let bucket: String?
    /// When it starts.
    public let start: Int
    /// When it ends; half-open for totals, equal to the start for a reading at a moment.
    public let end: Int
    /// The unit of a quantity.
    public let unit: String?
    /// The device or app of a record.
    public let source: String?
    /// The number of a quantity or total; finite, never `-0`.
    public let value: Double?
    /// The stage of a stretch of sleep.
    public let stage: String?
    /// Apple's workout activity number as decimal text.
    public let activity: String?
    /// Seconds of a workout; finite, never `-0`.
    public let duration: Double?

    /// An event.
    ///
    /// - Throws: `unpackable_event` for an empty metric, an empty bucket, a number that is not finite, or an instant outside
    ///   years 0 to 9999.
    public init(
        metric: String, bucket: String? = nil, start: Int, end: Int, unit: String? = nil, source: String? = nil,
        value: Double? = nil, stage: String? = nil, activity: String? = nil, duration: Double? = nil
    ) throws(WireError) {
        guard !metric.isEmpty else { throw .unpackableEvent(field: "metric") }
        guard bucket?.isEmpty != true else { throw .unpackableEvent(field: "bucket") }
        guard value?.isFinite != false else { throw .unpackableEvent(field: "value") }
        guard duration?.isFinite != false else { throw .unpackableEvent(field: "duration") }
        guard Self.instants.contains(start) else { throw .unpackableEvent(field: "start") }
        guard Self.instants.contains(end) else { throw .unpackableEvent(field: "end") }
        self.metric = metric
        self.bucket = bucket
        self.start = start
        self.end = end
        self.unit = unit
        self.source = source
        self.value = value.map(Self.withoutNegativeZero)
        self.stage = stage
        self.activity = activity
        self.duration = duration.map(Self.withoutNegativeZero)
    }

    /// Seconds since 1970 that have a text: years 0 to 9999.
    static let instants = -62_167_219_200...253_402_300_799

    private static func withoutNegativeZero(_ value: Double) -> Double { value == 0 ? 0 : value }

    /// `agg` for totals, `hk` for records.
    public var kind: String { bucket == nil ? "hk" : "agg" }

    /// The identity without a number: kind, metric, start, and the bucket's first letter (day-archive.md 2.3).
    var plainID: String {
        guard let start = UTCText.seconds(start) else { preconditionFailure("checked when it was made") }
        return "\(kind):\(metric):\(start)" + (bucket?.first.map { ":\($0)" } ?? "")
    }
}

extension ArchiveEvent {
    /// Reads the object form. `id` and `v` are ignored (extensions.md 10.8); fractions of seconds are cut towards the past.
    ///
    /// - Throws: `unpackable_event`, also for a field that has no column: nothing is dropped silently.
    public init(_ object: JSONObject) throws(WireError) {
        var texts: [String: String] = [:]
        var instants: [String: Int] = [:]
        var numbers: [String: Double] = [:]
        for member in object.members {
            switch member.key {
            case "id", "v": continue
            case "metric", "bucket", "unit", "source", "stage", "activity":
                guard let text = member.value.string else { throw .unpackableEvent(field: member.key) }
                texts[member.key] = text
            case "start", "end":
                guard let text = member.value.string, let second = UTCText.parse(text) else {
                    throw .unpackableEvent(field: member.key)
                }
                instants[member.key] = second
            case "value", "duration":
                guard let number = member.value.number else { throw .unpackableEvent(field: member.key) }
                numbers[member.key] = number.double
            default: throw .unpackableEvent(field: "a field without a column")
            }
        }
        guard let start = instants["start"] else { throw .unpackableEvent(field: "start") }
        guard let end = instants["end"] else { throw .unpackableEvent(field: "end") }
        try self.init(
            metric: texts["metric"] ?? "", bucket: texts["bucket"], start: start, end: end, unit: texts["unit"],
            source: texts["source"], value: numbers["value"], stage: texts["stage"], activity: texts["activity"],
            duration: numbers["duration"])
    }

    /// The object form with its identity, keys sorted (day-archive.md 2.3).
    func object(id: String) -> JSONObject {
        var object = JSONObject()
        object.append("activity", ifPresent: activity.map { .string($0) })
        object.append("bucket", ifPresent: bucket.map { .string($0) })
        object.append("duration", ifPresent: duration.map { .double($0) })
        object.append("end", ifPresent: UTCText.seconds(end).map { .string($0) })
        object.append("id", .string(id))
        object.append("metric", .string(metric))
        object.append("source", ifPresent: source.map { .string($0) })
        object.append("stage", ifPresent: stage.map { .string($0) })
        object.append("start", ifPresent: UTCText.seconds(start).map { .string($0) })
        object.append("unit", ifPresent: unit.map { .string($0) })
        object.append("v", .integer(1))
        object.append("value", ifPresent: value.map { .double($0) })
        return object
    }
}

// MARK: - Order

/// The canonical order of series and rows (day-archive.md 2.2).
enum EventOrder {
    /// Absent before present, then by UTF-8 bytes. (`String` compares canonical equivalents as equal, which would merge
    /// two sources into one.)
    static func compare(_ left: String?, _ right: String?) -> Int {
        switch (left, right) {
        case (nil, nil): return 0
        case (nil, _?): return -1
        case (_?, nil): return 1
        case (var left?, var right?):
            return left.withUTF8 { left in
                right.withUTF8 { right in
                    for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                        return left[index] < right[index] ? -1 : 1
                    }
                    return left.count == right.count ? 0 : (left.count < right.count ? -1 : 1)
                }
            }
        }
    }

    private static func compare<Value: Comparable>(_ left: Value?, _ right: Value?) -> Int {
        switch (left, right) {
        case (nil, nil): 0
        case (nil, _?): -1
        case (_?, nil): 1
        case (let left?, let right?): left == right ? 0 : (left < right ? -1 : 1)
        }
    }

    /// Zero when both belong to one series.
    static func compareSeries(_ left: ArchiveEvent, _ right: ArchiveEvent) -> Int {
        let steps: [() -> Int] = [
            { compare(left.kind, right.kind) }, { compare(left.metric, right.metric) },
            { compare(left.bucket, right.bucket) }, { compare(left.unit, right.unit) },
            { compare(left.source, right.source) },
        ]
        return first(of: steps)
    }

    static func compareRows(_ left: ArchiveEvent, _ right: ArchiveEvent) -> Int {
        if left.start != right.start { return left.start < right.start ? -1 : 1 }
        let steps: [() -> Int] = [
            { compare(left.end, right.end) }, { compare(left.value, right.value) },
            { compare(left.stage, right.stage) }, { compare(left.activity, right.activity) },
            { compare(left.duration, right.duration) },
        ]
        return first(of: steps)
    }

    private static func first(of steps: [() -> Int]) -> Int {
        for step in steps {
            let order = step()
            if order != 0 { return order }
        }
        return 0
    }

    static func precedes(_ left: ArchiveEvent, _ right: ArchiveEvent) -> Bool {
        let series = compareSeries(left, right)
        return series == 0 ? compareRows(left, right) < 0 : series < 0
    }
}
