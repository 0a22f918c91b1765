import TestSupport
import Testing

@testable import HealthData

@Suite("Sums over overlapping sources")
struct CumulativeMergeTests {
    private typealias Sample = CumulativeMerge.Sample
    private let day = 0.0..<86_400.0

    @Test("without overlap every sample counts with its exact value")
    func disjoint() {
        let samples = [
            Sample(start: 0, end: 300, value: 100.1, rank: 1), Sample(start: 300, end: 900, value: 7, rank: 0),
        ]
        #expect(CumulativeMerge.sum(samples, in: day) == 107.1)
    }

    @Test("where two sources overlap only the better one counts, the other for the rest of its time")
    func overlap() {
        let samples = [
            Sample(start: 0, end: 1_000, value: 100, rank: 1), Sample(start: 200, end: 600, value: 80, rank: 0),
        ]
        #expect(CumulativeMerge.sum(samples, in: day) == 140.0)
    }

    @Test("samples of one source that overlap add up")
    func sameSource() {
        let samples = [
            Sample(start: 0, end: 100, value: 5, rank: 0), Sample(start: 50, end: 150, value: 7, rank: 0),
        ]
        #expect(CumulativeMerge.sum(samples, in: day) == 12)
    }

    @Test("a sample across midnight gives each day its share of the time")
    func midnight() {
        let samples = [Sample(start: 86_100, end: 87_000, value: 90, rank: 0)]
        #expect(CumulativeMerge.sum(samples, in: day) == 30)
        #expect(CumulativeMerge.sum(samples, in: 86_400..<172_800) == 60)
    }

    @Test("an entry without length counts unless a better source covers its instant")
    func instants() {
        let span = Sample(start: 100, end: 200, value: 10, rank: 0)
        let inside = Sample(start: 150, end: 150, value: 3, rank: 1)
        let atEnd = Sample(start: 200, end: 200, value: 4, rank: 1)
        #expect(CumulativeMerge.sum([span, inside], in: day) == 10)
        #expect(CumulativeMerge.sum([span, atEnd], in: day) == 14)
        #expect(CumulativeMerge.sum([inside, Sample(start: 150, end: 150, value: 8, rank: 0)], in: day) == 8)
        #expect(CumulativeMerge.sum([Sample(start: 86_400, end: 86_400, value: 8, rank: 0)], in: day) == nil)
        #expect(CumulativeMerge.sum([Sample(start: 0, end: 0, value: 8, rank: 0)], in: day) == 8)
    }

    @Test("the merged sum is never more than all sources and never less than the best", arguments: 0..<60)
    func bounds(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let samples = (0..<Int.random(in: 1...60, using: &random)).map { _ -> Sample in
            let start = Double(Int.random(in: -2_000...88_000, using: &random))
            let length = Double(Int.random(in: 0...4_000, using: &random))
            return Sample(
                start: start, end: start + length, value: Double(Int.random(in: 0...500, using: &random)),
                rank: Int.random(in: 0...3, using: &random))
        }
        let merged = CumulativeMerge.sum(samples, in: day)
        let perSource = (0...3).map { rank in
            CumulativeMerge.sum(samples.filter { $0.rank == rank }, in: day) ?? 0
        }
        guard let merged else {
            #expect(perSource.allSatisfy { $0 == 0 })
            return
        }
        #expect(merged <= perSource.reduce(0, +) + 1e-6, "seed \(seed)")
        #expect(merged >= perSource[0] - 1e-6, "seed \(seed)")
        #expect(abs(merged - pieces(samples)) < 1e-6, "seed \(seed)")
        let halves = [day.lowerBound..<40_000, 40_000..<day.upperBound].map {
            CumulativeMerge.sum(samples, in: $0) ?? 0
        }
        #expect(abs(halves[0] + halves[1] - merged) < 1e-6, "a day is the sum of its parts, seed \(seed)")
    }

    /// The rule as it is written: pieces between all edges, the best source in each.
    private func pieces(_ samples: [Sample]) -> Double {
        let spans = samples.filter { $0.end > $0.start }
        let edges = Set(spans.flatMap { [$0.start, $0.end] } + [day.lowerBound, day.upperBound])
            .filter { $0 >= day.lowerBound && $0 <= day.upperBound }.sorted()
        var total = 0.0
        for (from, to) in zip(edges, edges.dropFirst()) {
            let active = spans.filter { $0.start <= from && $0.end >= to }
            let best = active.map(\.rank).min()
            for sample in active where sample.rank == best {
                total += sample.value * (to - from) / (sample.end - sample.start)
            }
        }
        for point in samples where point.end <= point.start && day.contains(point.start) {
            let isBeaten = samples.contains { other in
                other.rank < point.rank
                    && (other.end > other.start
                        ? other.start <= point.start && point.start < other.end : other.start == point.start)
            }
            if !isBeaten { total += point.value }
        }
        return total
    }
}
