import CanonicalJSON

/// A list of numbers in eight (day-archive-reader.md 6).
struct Distribution: Equatable {
    let count: Int
    let minimum: Double
    let p10: Double
    let median: Double
    let mean: Double
    let p90: Double
    let maximum: Double
    let sum: Double

    /// Nil for an empty list.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        count = sorted.count
        minimum = first
        p10 = Self.percentile(sorted, 0.1)
        median = Self.percentile(sorted, 0.5)
        p90 = Self.percentile(sorted, 0.9)
        maximum = last
        sum = Rounding.sum(values)
        mean = sum / Double(sorted.count)
    }

    /// Linear interpolation at position (n − 1) · f.
    private static func percentile(_ sorted: [Double], _ fraction: Double) -> Double {
        let position = Double(sorted.count - 1) * fraction
        let lower = Int(position.rounded(.down))
        let upper = min(lower + 1, sorted.count - 1)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
    }

    /// The members in the published order.
    var members: JSONObject {
        func number(_ value: Double) -> JSONValue { .double(Rounding.thousandths(value)) }
        return [
            "n": .integer(count), "min": number(minimum), "p10": number(p10), "median": number(median),
            "mean": number(mean), "p90": number(p90), "max": number(maximum), "sum": number(sum),
        ]
    }
}

/// What an answer groups days by.
enum DayGroup: String, CaseIterable {
    case day
    case week
    case month
    case year

    /// The group's name: a day, the Monday of the week, `YYYY-MM`, `YYYY`.
    func label(_ day: ArchiveDay) -> String {
        switch self {
        case .day: day.description
        case .week: (day.adding(days: 1 - day.date.weekday) ?? day).description
        case .month: String(day.description.prefix(7))
        case .year: String(day.description.prefix(4))
        }
    }
}
