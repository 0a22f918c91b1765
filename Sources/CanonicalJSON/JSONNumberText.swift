import Foundation

/// How numbers are written.
public enum JSONNumberStyle: Sendable {
    /// Fewest digits that read back as the same binary64; whole numbers without `.0`; exponent form below 1e-4 and
    /// from 2⁵⁴, as `1e-05` (corpus-protocol.md 6, health-data.md 4.2).
    case shortest
    /// ECMAScript number-to-string as in RFC 8785: fewest digits, exponent form only below 1e-6 and from 1e21, `-0`
    /// as `0` (day-archive.md 2.2).
    case ecmaScript
    /// `%.17g` (health-data.md 4.1).
    case seventeenDigits
}

/// Number texts as bytes.
public enum JSONNumberText {
    /// Appends an integer in decimal.
    public static func append(_ value: Int64, to output: inout [UInt8]) {
        if value < 0 { output.append(UInt8(ascii: "-")) }
        append(value.magnitude, to: &output)
    }

    /// Appends an unsigned integer in decimal.
    public static func append(_ value: UInt64, to output: inout [UInt8]) {
        if value < 10 {
            output.append(UInt8(ascii: "0") + UInt8(value))
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value
            var start = 20
            while rest > 0 {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            output.append(contentsOf: digits[start..<20])
        }
    }

    /// Appends a finite double.
    public static func append(_ value: Double, style: JSONNumberStyle, to output: inout [UInt8]) {
        precondition(value.isFinite, "a JSON number is finite")
        // Whole numbers of this size look the same in every style.
        if value.magnitude < 1e15, let whole = Int64(exactly: value), whole != 0 || value.sign == .plus {
            append(whole, to: &output)
            return
        }
        switch style {
        case .shortest: appendShortest(value, to: &output)
        case .ecmaScript: appendECMAScript(value, to: &output)
        case .seventeenDigits: appendSeventeenDigits(value, to: &output)
        }
    }

    /// The text of a finite double.
    public static func text(_ value: Double, style: JSONNumberStyle) -> String {
        var output: [UInt8] = []
        append(value, style: style, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a number: a source token as it stands, a typed one in the style.
    public static func append(_ number: JSONNumber, style: JSONNumberStyle, to output: inout [UInt8]) {
        switch number.storage {
        case .signed(let value): append(value, to: &output)
        case .unsigned(let value): append(value, to: &output)
        case .double(let value): append(value, style: style, to: &output)
        case .token(let text): output.append(contentsOf: text.utf8)
        }
    }

    private static func appendShortest(_ value: Double, to output: inout [UInt8]) {
        var text = value.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        output.append(contentsOf: text.utf8)
    }

    private static func appendSeventeenDigits(_ value: Double, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            let count = withVaList([value]) { vsnprintf(buffer.baseAddress!, 32, "%.17g", $0) }
            output.append(contentsOf: UnsafeRawBufferPointer(buffer)[..<Int(count)])
        }
    }

    /// ECMA-262, Number::toString, from the digits that Swift's shortest form yields.
    private static func appendECMAScript(_ value: Double, to output: inout [UInt8]) {
        if value == 0 {
            output.append(UInt8(ascii: "0"))
            return
        }
        if value < 0 { output.append(UInt8(ascii: "-")) }
        let (digits, point) = decimal(value.magnitude)
        let zero = UInt8(ascii: "0")
        switch point {
        case digits.count...21:
            output += digits + Array(repeating: zero, count: point - digits.count)
        case 1...21:
            output += digits[..<point] + [UInt8(ascii: ".")] + digits[point...]
        case -5...0:
            output += [zero, UInt8(ascii: ".")] + Array(repeating: zero, count: -point) + digits
        default:
            output.append(digits[0])
            if digits.count > 1 { output += [UInt8(ascii: ".")] + digits[1...] }
            output += [UInt8(ascii: "e"), point > 0 ? UInt8(ascii: "+") : UInt8(ascii: "-")]
            append((point - 1).magnitude.asUInt64, to: &output)
        }
    }

    /// Significant digits without zeros at either end, and the position of the decimal point before `0.digits`.
    private static func decimal(_ value: Double) -> (digits: [UInt8], point: Int) {
        var digits: [UInt8] = []
        var point: Int?
        var exponent = 0
        let text = value.description
        for (offset, byte) in text.utf8.enumerated() {
            if byte == UInt8(ascii: ".") {
                point = digits.count
            } else if byte == UInt8(ascii: "e") {
                // Swift writes the exponent as a sign and digits, which `Int` reads.
                exponent = Int(text.dropFirst(offset + 1)) ?? 0
                break
            } else {
                digits.append(byte)
            }
        }
        var position = (point ?? digits.count) + exponent
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(leading)
        position -= leading
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (digits, position)
    }
}

extension UInt {
    fileprivate var asUInt64: UInt64 { UInt64(self) }
}
