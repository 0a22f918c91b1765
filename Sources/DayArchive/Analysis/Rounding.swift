import Foundation

/// Numbers as answers give them (day-archive-reader.md 6).
enum Rounding {
    /// To three decimals.
    static func thousandths(_ value: Double) -> Double { round(value, decimals: 3) }
    /// To one decimal.
    static func tenths(_ value: Double) -> Double { round(value, decimals: 1) }

    /// To the nearest of the exact binary value, ties to even: what glibc's `%.*f` does.
    private static func round(_ value: Double, decimals: Int32) -> Double {
        guard value.isFinite else { return value }
        // 309 digits before the point at most.
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 330) { buffer in
            _ = withVaList([decimals, value]) { vsnprintf(buffer.baseAddress!, 330, "%.*f", $0) }
            return String(cString: buffer.baseAddress!)
        }
        let rounded = Double(text) ?? value
        return rounded == 0 ? 0 : rounded
    }

    /// The sum with Neumaier's compensation.
    static func sum(_ values: some Sequence<Double>) -> Double {
        var sum = 0.0
        var compensation = 0.0
        for value in values {
            let next = sum + value
            compensation += sum.magnitude >= value.magnitude ? (sum - next) + value : (value - next) + sum
            sum = next
        }
        return sum + compensation
    }
}
