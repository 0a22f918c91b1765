/// A number of an export: the nearest binary64, and, where the text is short, the decimal it came from.
struct ExportNumber {
    /// Finite.
    var value: Double
    /// The digits as an integer, with their sign; `value == mantissa / 10^scale` when `scale >= 0`.
    var mantissa: Int64
    /// Digits behind the point, 0…22; -1 when the decimal is not kept.
    var scale: Int8

    /// 10^0 … 10^22, all exact in binary64.
    /// Written once, before anyone reads it.
    nonisolated(unsafe) static let powers: UnsafePointer<Double> = {
        let table = UnsafeMutablePointer<Double>.allocate(capacity: 23)
        var power = 1.0
        for index in 0...22 {
            table.advanced(by: index).initialize(to: power)
            power *= 10
        }
        return UnsafePointer(table)
    }()

    /// Reads `[+-]digits[.digits][e[+-]digits]` with a point in every locale; nil for anything else, and for what is
    /// not finite (apple-health-export.md 5.2).
    ///
    /// Up to 2^53 with at most 22 decimals, one division of two exact numbers rounds correctly; the rest goes to the
    /// standard library's correctly rounding parser.
    @inline(__always)
    static func read(_ text: UnsafeBufferPointer<UInt8>) -> ExportNumber? {
        var index = 0
        let count = text.count
        guard count > 0, let base = text.baseAddress else { return nil }
        let isNegative = base[0] == UInt8(ascii: "-")
        if isNegative || base[0] == UInt8(ascii: "+") { index = 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var decimals = 0
        var hasPoint = false
        while index < count {
            let digit = base[index] &- 0x30
            if digit < 10 {
                guard digits < 19 else { return slow(text) }
                mantissa = mantissa &* 10 &+ UInt64(digit)
                digits += mantissa == 0 && !hasPoint ? 0 : 1
                if hasPoint { decimals += 1 }
            } else if base[index] == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                return slow(text)
            }
            index += 1
        }
        guard mantissa <= 1 << 53, decimals <= 22, base[count - 1] &- 0x30 < 10, base[isNegative ? 1 : 0] != 0x2E
        else { return slow(text) }
        let magnitude = Double(mantissa) / powers[decimals]
        // -0 keeps its sign only as a plain number.
        let keepsDecimal = mantissa > 0 || !isNegative
        return ExportNumber(
            value: isNegative ? -magnitude : magnitude,
            mantissa: isNegative ? -Int64(mantissa) : Int64(mantissa), scale: keepsDecimal ? Int8(decimals) : -1)
    }

    @inline(never)
    private static func slow(_ text: UnsafeBufferPointer<UInt8>) -> ExportNumber? {
        guard isDecimal(text), let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
            return nil
        }
        return ExportNumber(value: value, mantissa: 0, scale: -1)
    }

    /// The grammar, since `Double` itself would also take `0x10`, `inf` and `nan`.
    private static func isDecimal(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var rest = text[...]
        func digits() -> Int {
            let run = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(run)
            return run
        }
        if let first = rest.first, first == 0x2B || first == 0x2D { rest = rest.dropFirst() }
        var total = digits()
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            total += digits()
        }
        guard total > 0 else { return false }
        if let mark = rest.first, mark | 0x20 == 0x65 {
            rest = rest.dropFirst()
            if let sign = rest.first, sign == 0x2B || sign == 0x2D { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
