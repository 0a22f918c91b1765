/// The three statistics (biomarkers.md 2, rules 4 and 6).
enum Statistics {
    /// The middle of the values, the mean of the middle two when their count is even. Nil without values.
    static func median(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        // Halved before they are added: the sum of two large numbers must not overflow.
        return sorted.count % 2 == 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2
    }

    /// The arithmetic mean, summed with compensation in the given order (Neumaier). Nil without values.
    static func mean(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        var sum = 0.0
        var compensation = 0.0
        for value in values {
            let next = sum + value
            compensation += sum.magnitude >= value.magnitude ? (sum - next) + value : (value - next) + sum
            sum = next
        }
        return (sum + compensation) / Double(values.count)
    }

    /// The value as it is shown: rounded half away from zero to at most `decimals.maximum` digits.
    static func display(_ value: Double, _ decimals: Decimals) -> String {
        var scale = 1.0
        for _ in 0..<decimals.maximum { scale *= 10 }
        let scaled = (value.magnitude * scale).rounded(.toNearestOrAwayFromZero)
        // Beyond 2^53 there are no digits behind the point to speak of.
        guard value.isFinite, scaled < 9e15 else { return "\(value)" }
        var digits = String(Int64(scaled))
        while digits.utf8.count <= decimals.maximum { digits = "0" + digits }
        var text = String(digits.dropLast(decimals.maximum))
        var fraction = digits.suffix(decimals.maximum)
        while fraction.utf8.count > decimals.minimum, fraction.last == "0" { fraction.removeLast() }
        if !fraction.isEmpty { text += "." + fraction }
        return value < 0 && scaled > 0 ? "-" + text : text
    }
}
