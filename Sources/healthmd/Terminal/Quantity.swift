/// Numbers in text for people.
enum Quantity {
    /// `1,234,567`.
    static func number(_ value: some BinaryInteger) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// `1 day`, `3,012 days`.
    static func of(_ count: some BinaryInteger, _ singular: String) -> String {
        "\(number(count)) \(singular)\(count == 1 ? "" : "s")"
    }

    /// Bytes in the unit that is easy to read: `812 bytes`, `44.1 MB`.
    static func bytes(_ count: some BinaryInteger) -> String {
        guard count >= 1_000 else { return of(count, "byte") }
        var scaled = Int(count)
        var rest = 0
        var unit = -1
        while scaled >= 1_000, unit < units.count - 1 {
            rest = scaled % 1_000
            scaled /= 1_000
            unit += 1
        }
        return "\(scaled).\(rest / 100) \(units[unit])"
    }

    private static let units = ["kB", "MB", "GB", "TB"]
}
