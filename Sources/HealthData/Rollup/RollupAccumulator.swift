import Foundation

/// The statistics of one output key over days given in ascending order (export-formats.md 7.2). Memory does not grow
/// with the days, but for clock times, two bytes each.
struct RollupAccumulator: Sendable {
    private(set) var dayCount = 0
    private var latest = ""
    private var sum = 0.0
    private var minimum = Double.infinity
    private var maximum = -Double.infinity
    private var weightedSum = 0.0
    private var weight = 0.0
    private var counts: [String: Int] = [:]
    private var minutes: [Int16] = []

    /// Takes the value of the next day. `workoutMinutes` weights averages that want it.
    mutating func add(_ value: OutputValue, workoutMinutes: Double) {
        guard let text = value.text else { return }
        dayCount += 1
        switch value {
        case .number:
            // Roll-ups are made from what front matter shows (export-formats.md 7.2).
            addNumber(Double(text) ?? 0, workoutMinutes: workoutMinutes)
        case .list(let tokens):
            for token in tokens { counts[token, default: 0] += 1 }
        case .text, .bool:
            counts[text, default: 0] += 1
            if let minute = Self.minute(text) { minutes.append(minute) }
            if let number = Double(text) { addNumber(number, workoutMinutes: workoutMinutes) }
        case .structured: break
        }
        latest = text
    }

    private mutating func addNumber(_ number: Double, workoutMinutes: Double) {
        sum += number
        minimum = min(minimum, number)
        maximum = max(maximum, number)
        weightedSum += number * workoutMinutes
        weight += workoutMinutes
    }

    private static func minute(_ text: String) -> Int16? {
        let parts = text.split(separator: ":")
        guard text.utf8.count == 5, parts.count == 2, let hour = Int16(parts[0]), let minute = Int16(parts[1]),
            (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    /// The text of a statistic; nil where it is declared but has no value, as the counts of provenance texts.
    func statistic(_ name: String, of key: OutputKey) -> String? {
        switch name {
        case "days_counted": return Self.text(Double(dayCount))
        case "sum": return number(sum)
        case "daily_average", "average_of_daily_values": return number(sum / Double(dayCount))
        case "minimum", "minimum_daily_value": return number(minimum)
        case "maximum", "maximum_daily_value": return number(maximum)
        case "weighted_average": return number(weight > 0 ? weightedSum / weight : sum / Double(dayCount))
        case "latest": return minimum.isFinite && key.decimals != nil ? Double(latest).map(Self.text) : latest
        case "union": return "[" + counts.keys.sorted().joined(separator: ", ") + "]"
        case "value_counts":
            // Declared for provenance texts, but not written (export-formats.md 7.2).
            if key.rollupPrimary == "latest" { return nil }
            return counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        case "earliest_time": return clock?.earliest
        case "latest_time": return clock?.latest
        case "average_time_of_day": return clock?.mean
        default: return nil
        }
    }

    /// The headline value by the rule's name.
    func primary(of key: OutputKey) -> String {
        let name: String
        switch key.rollupPrimary {
        case "average": name = "average_of_daily_values"
        case "time_of_day": name = "average_time_of_day"
        case "histogram": name = "latest"
        default: name = key.rollupPrimary
        }
        return statistic(name, of: key) ?? ""
    }

    private func number(_ value: Double) -> String? { value.isFinite ? Self.text(value) : nil }

    /// Comma groups, at most two decimals, no trailing zeros.
    static func text(_ value: Double) -> String {
        var text = NumberText.fixed(value, 2)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : NumberText.grouping(text)
    }

    // MARK: Clock times

    /// Clock times around their circular mean, so that nights across midnight are one cluster.
    private var clock: (earliest: String, latest: String, mean: String)? {
        guard !minutes.isEmpty else { return nil }
        let day = 1_440.0
        let angles = minutes.map { Double($0) / day * 2 * .pi }
        let east = angles.reduce(0) { $0 + cos($1) }
        let north = angles.reduce(0) { $0 + sin($1) }
        // Times that point nowhere together have no centre but noon.
        let center = (east * east + north * north).squareRoot() < 1e-9 ? day / 2 : atan2(north, east) / (2 * .pi) * day
        let offsets = minutes.map { (Double($0) - center).remainder(dividingBy: day) }
        let mean = offsets.reduce(0, +) / Double(offsets.count)
        func text(_ offset: Double) -> String {
            let minute = Int((center + offset).rounded()) % 1_440
            let positive = (minute + 1_440) % 1_440
            return "\(DayText.twoDigits(positive / 60)):\(DayText.twoDigits(positive % 60))"
        }
        return (text(offsets.min() ?? 0), text(offsets.max() ?? 0), text(mean))
    }
}
