import Testing

@testable import HealthData

@Suite("Units of an export")
struct UnitConversionTests {
    private struct Case: Sendable {
        let value: Double
        let unit: String
        let target: String
        let expected: Double

        init(_ value: Double, _ unit: String, _ target: String, _ expected: Double) {
            (self.value, self.unit, self.target, self.expected) = (value, unit, target, expected)
        }
    }

    private static let cases: [Case] = [
        Case(418.4, "kJ", "kcal", 100), Case(250, "Cal", "kcal", 250), Case(3, "mi", "m", 4_828.032),
        Case(10, "ft", "m", 3.048), Case(70, "in", "m", 1.778), Case(100, "yd", "m", 91.44),
        Case(5_348, "cm", "m", 53.48), Case(150, "lb", "kg", 68.0388555), Case(11, "st", "kg", 69.85322498),
        Case(1_500, "mcg", "mg", 1.5), Case(0.02, "mg", "mcg", 20), Case(1, "kg", "g", 1_000),
        Case(212, "degF", "degC", 100), Case(5.5, "mmol/L", "mg/dL", 99.085734),
        Case(8, "fl_oz_us", "L", 0.2365882365), Case(250, "mL", "L", 0.25), Case(10.8, "km/hr", "m/s", 3),
        Case(1.5, "hr", "min", 90), Case(0.25, "s", "ms", 250), Case(16, "kPa", "mmHg", 120.00984980842302),
        Case(44.1, "mL/kg*min", "mL/min·kg", 44.1), Case(0.18, "%", "%", 0.18), Case(18, "%", "%", 0.18),
        Case(1, "%", "%", 1),
    ]

    @Test("are converted with the published factors", arguments: cases)
    private func factors(_ unit: Case) throws {
        let converted = try #require(UnitConversion.convert(unit.value, from: unit.unit, to: unit.target))
        #expect(abs(converted - unit.expected) <= unit.expected.ulp * 2, "\(converted) \(unit)")
    }

    @Test(
        "that do not belong together, and values that are no such quantity, give nothing",
        arguments: [
            Case(1, "kg", "m", 0), Case(1, "furlong", "m", 0), Case(-0.1, "%", "%", 0), Case(101, "%", "%", 0),
            Case(.nan, "m", "m", 0), Case(.infinity, "kg", "kg", 0), Case(1, "count", "kg", 0),
        ])
    private func refusals(_ unit: Case) {
        #expect(UnitConversion.convert(unit.value, from: unit.unit, to: unit.target) == nil)
    }
}
