/// The sum of a cumulative type over one day when several sources recorded it (health-data.md 10.2.2).
///
/// The day is cut at all sample edges; in each piece only the best source counts; a sample's value is spread evenly
/// over its time. A sample without length counts whole, unless a better source covers its instant.
struct CumulativeMerge {
    /// One sample: an interval, its value and the place of its source, 0 being the best.
    struct Sample: Sendable, Equatable {
        var start: Double
        var end: Double
        var value: Double
        var rank: Int
    }

    /// The sum inside an interval; nil when no sample lies in it.
    static func sum(_ samples: [Sample], in day: Range<Double>) -> Double? {
        let points = samples.filter { $0.end <= $0.start && day.contains($0.start) }
        let spans = samples.filter { $0.end > $0.start && $0.end > day.lowerBound && $0.start < day.upperBound }
        guard !points.isEmpty || !spans.isEmpty else { return nil }
        return spanSum(spans, in: day) + pointSum(points, beside: spans)
    }

    /// Sweeps over the edges and credits each sample with the seconds in which its source is the best.
    private static func spanSum(_ spans: [Sample], in day: Range<Double>) -> Double {
        let clipped = spans.map { (start: max($0.start, day.lowerBound), end: min($0.end, day.upperBound)) }
        let edges = Set(clipped.flatMap { [$0.start, $0.end] }).sorted()
        let byStart = spans.indices.sorted { clipped[$0].start < clipped[$1].start }
        var credited = [Double](repeating: 0, count: spans.count)
        var active: [Int] = []
        var next = 0
        for (from, to) in zip(edges, edges.dropFirst()) {
            active.removeAll { clipped[$0].end <= from }
            while next < byStart.count, clipped[byStart[next]].start <= from {
                active.append(byStart[next])
                next += 1
            }
            guard let best = active.lazy.map({ spans[$0].rank }).min() else { continue }
            for index in active where spans[index].rank == best { credited[index] += to - from }
        }
        return spans.indices.reduce(0) { total, index in
            let sample = spans[index]
            let length = sample.end - sample.start
            // A sample that counts whole keeps its exact value.
            let share = credited[index] >= length ? sample.value : sample.value * (credited[index] / length)
            return total + share
        }
    }

    private static func pointSum(_ points: [Sample], beside spans: [Sample]) -> Double {
        guard !points.isEmpty else { return 0 }
        let bestAtInstant = Dictionary(points.map { ($0.start, $0.rank) }, uniquingKeysWith: min)
        let ordered = spans.sorted { $0.start < $1.start }
        var active: [Sample] = []
        var next = 0
        var total = 0.0
        for point in points.sorted(by: { $0.start < $1.start }) {
            while next < ordered.count, ordered[next].start <= point.start {
                active.append(ordered[next])
                next += 1
            }
            active.removeAll { $0.end <= point.start }
            let isCovered = active.contains { $0.rank < point.rank }
            if !isCovered, bestAtInstant[point.start] == point.rank { total += point.value }
        }
        return total
    }
}
