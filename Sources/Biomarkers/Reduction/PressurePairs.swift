/// Keeps each systolic reading with its diastolic one (apple-health-export.md 9).
///
/// The correlation that both stood in says it; without one, two readings of one source over the same time are a pair.
struct PressurePairs {
    private struct Moment: Hashable {
        var source: Int32
        var start: Int64
        var end: Int64
    }

    private var systolicPartners: [Double?] = []
    private var diastolicPartners: [Double?] = []

    /// - Parameters: both after ``RecordReduction/finish()``.
    init(systolic: RecordReduction?, diastolic: RecordReduction?) {
        let upper = systolic?.window?.samples ?? []
        let lower = diastolic?.window?.samples ?? []
        systolicPartners = Array(repeating: nil, count: upper.count)
        diastolicPartners = Array(repeating: nil, count: lower.count)
        pair(upper, lower) { $0.correlation == 0 ? nil : $0.correlation }
        pair(upper, lower) { Moment(source: $0.source, start: $0.start, end: $0.end) }
    }

    /// For each reading of a pressure its partner's value; nil for anything else.
    func partners(of id: String) -> [Double?]? {
        switch id {
        case "blood_pressure_systolic": systolicPartners
        case "blood_pressure_diastolic": diastolicPartners
        default: nil
        }
    }

    /// Pairs the readings that are still alone and share a key with exactly one of the other kind.
    private mutating func pair<Key: Hashable>(_ upper: [Sample], _ lower: [Sample], by key: (Sample) -> Key?) {
        var places: [Key: [Int]] = [:]
        for (index, sample) in lower.enumerated() where diastolicPartners[index] == nil {
            if let key = key(sample) { places[key, default: []].append(index) }
        }
        for (index, sample) in upper.enumerated() where systolicPartners[index] == nil {
            guard let key = key(sample), let found = places[key], found.count == 1 else { continue }
            systolicPartners[index] = lower[found[0]].value
            diastolicPartners[found[0]] = sample.value
            places[key] = nil
        }
    }
}
