import CanonicalJSON
import HealthRecords

/// The sums and readings of one day, for those who want them in another form than the day document: the day archive.
///
/// Copies of a record count once, units are converted, and sources that overlap count once in sums (health-data.md 6, 10.2).
public struct DayMeasures: Sendable {
    /// First instant of the day to that of the next one, in seconds since 1970; empty for a day that the zone skips.
    public let interval: Range<Double>
    private let frame: DayFrame
    private let sources: SourcePriority
    private let samples: SampleIndex

    /// The measures of a day in a zone.
    public init(of day: CivilDate, from source: SourceDay, zone: CalendarZone, sources: SourcePriority) {
        frame = DayFrame(day: day, zone: zone)
        interval = frame.interval
        self.sources = sources
        samples = SampleIndex(source.records)
    }

    /// The sum of a cumulative type in a unit, over the day or a part of it; nil when no sample lies in it.
    public func sum(_ type: String, unit: String, in part: Range<Double>? = nil) -> Double? {
        CumulativeMerge.sum(
            SampleIndex.values(samples.records(type), unit: unit), sources: sources, in: part ?? interval)
    }

    /// The readable samples of a type that start in the day, in a unit.
    public func readings(_ type: String, unit: String) -> [(record: HealthRecord, value: Double)] {
        SampleIndex.values(records(type), unit: unit).map { (record: $0.record, value: $0.number) }
    }

    /// The records of a type that start in the day.
    public func records(_ type: String) -> [HealthRecord] { samples.owned(type, by: frame) }
}

extension CumulativeMerge {
    /// The sum of readable samples inside an interval, sources ranked; nil when no sample lies in it.
    static func sum(_ values: [SampleIndex.Value], sources: SourcePriority, in interval: Range<Double>) -> Double? {
        // A day has thousands of samples and a handful of sources, and ranking one folds its name.
        var known: [RecordSource: SourcePriority.Rank] = [:]
        let ranks = values.map { value -> SourcePriority.Rank in
            let source = value.record.source
            if let rank = known[source] { return rank }
            let rank = sources.rank(of: source)
            known[source] = rank
            return rank
        }
        let order = Dictionary(uniqueKeysWithValues: Set(ranks).sorted().enumerated().map { ($1, $0) })
        let merged = zip(values, ranks).map { value, rank in
            Sample(
                start: value.record.start.secondsSince1970, end: value.record.end.secondsSince1970,
                value: value.number, rank: order[rank] ?? 0)
        }
        return sum(merged, in: interval)
    }
}
