/// The sum of a cumulative type over one day when several sources recorded it (health-data.md 10.2.2).
///
/// The day is cut at all sample edges; in each piece only the best source counts; a sample's value is spread evenly
/// over its time. A sample without length counts whole, unless a better source covers its instant.
///
/// Rather than cutting pieces, each sample is credited with the part of its time that no better source covers, which is
/// the same and needs no more than sorting, however many samples overlap.
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
        let inside = samples.filter { sample in
            sample.end > sample.start
                ? sample.end > day.lowerBound && sample.start < day.upperBound : day.contains(sample.start)
        }
        guard !inside.isEmpty else { return nil }
        var better = IntervalUnion()
        var betterInstants: Set<Double> = []
        var total = 0.0
        for (_, group) in Dictionary(grouping: inside, by: \.rank).sorted(by: { $0.key < $1.key }) {
            let cover = IntervalCover(better)
            for sample in group {
                if sample.end > sample.start {
                    total += share(of: sample, in: day, outside: cover)
                } else if !cover.contains(sample.start), !betterInstants.contains(sample.start) {
                    total += sample.value
                }
            }
            better = better.union(IntervalUnion(group.filter { $0.end > $0.start }.map { $0.start..<$0.end }))
            betterInstants.formUnion(group.filter { $0.end <= $0.start }.map(\.start))
        }
        return total
    }

    private static func share(of sample: Sample, in day: Range<Double>, outside cover: IntervalCover) -> Double {
        let start = max(sample.start, day.lowerBound)
        let end = min(sample.end, day.upperBound)
        let credited = (end - start) - cover.length(in: start..<end)
        let length = sample.end - sample.start
        // A sample that counts whole keeps its exact value.
        return credited >= length ? sample.value : sample.value * (max(0, credited) / length)
    }
}

/// How much of any stretch a union of intervals covers: a binary search each.
struct IntervalCover {
    private let intervals: [Range<Double>]
    /// Covered seconds before each interval.
    private let before: [Double]

    init(_ union: IntervalUnion) {
        intervals = union.intervals
        var sum = 0.0
        before = intervals.map { interval in
            defer { sum += interval.upperBound - interval.lowerBound }
            return sum
        }
    }

    /// Whether an instant is covered.
    func contains(_ instant: Double) -> Bool {
        let index = firstIndex(endingAfter: instant)
        return index < intervals.count && intervals[index].lowerBound <= instant
    }

    /// Covered seconds of a stretch.
    func length(in stretch: Range<Double>) -> Double {
        covered(before: stretch.upperBound) - covered(before: stretch.lowerBound)
    }

    private func covered(before instant: Double) -> Double {
        let index = firstIndex(endingAfter: instant)
        guard index < intervals.count else {
            return intervals.last.map { before[intervals.count - 1] + $0.upperBound - $0.lowerBound } ?? 0
        }
        return before[index] + max(0, instant - intervals[index].lowerBound)
    }

    private func firstIndex(endingAfter instant: Double) -> Int {
        var low = 0
        var high = intervals.count
        while low < high {
            let middle = (low + high) / 2
            if intervals[middle].upperBound <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
