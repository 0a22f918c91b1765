/// A set of instants as disjoint half-open intervals in order. Seconds in any one epoch.
struct IntervalUnion: Sendable, Equatable {
    /// The intervals: in order, apart from each other, none empty.
    private(set) var intervals: [Range<Double>]

    /// The union of intervals in any order.
    init(_ intervals: [Range<Double>] = []) {
        self.intervals = []
        for interval in intervals.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = self.intervals.last, interval.lowerBound <= last.upperBound {
                let end = max(last.upperBound, interval.upperBound)
                self.intervals[self.intervals.count - 1] = last.lowerBound..<end
            } else {
                self.intervals.append(interval)
            }
        }
    }

    /// Total length in seconds.
    var length: Double { intervals.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

    /// What is in either.
    func union(_ other: IntervalUnion) -> IntervalUnion { IntervalUnion(intervals + other.intervals) }

    /// What is in both.
    func intersection(_ other: IntervalUnion) -> IntervalUnion {
        var result: [Range<Double>] = []
        var left = 0
        var right = 0
        while left < intervals.count, right < other.intervals.count {
            let a = intervals[left]
            let b = other.intervals[right]
            let start = max(a.lowerBound, b.lowerBound)
            let end = min(a.upperBound, b.upperBound)
            if start < end { result.append(start..<end) }
            if a.upperBound < b.upperBound { left += 1 } else { right += 1 }
        }
        return IntervalUnion(result)
    }

    /// The intervals joined over gaps of at most that many seconds.
    func joined(overGapsUpTo gap: Double) -> [Range<Double>] {
        var result: [Range<Double>] = []
        for interval in intervals {
            if let last = result.last, interval.lowerBound - last.upperBound <= gap {
                result[result.count - 1] = last.lowerBound..<interval.upperBound
            } else {
                result.append(interval)
            }
        }
        return result
    }
}
