/// What a number is a measure of. Together with the text of a unit it decides how the number is converted, and an
/// unknown pair gives no number (biomarkers.md 3).
public struct Quantity: Hashable, Sendable {
    /// The name in the table: `glucose`.
    public let name: String
    /// The unit that everything is converted to, as it is shown.
    public let unit: String

    private let conversions: [String: UnitConversion]
    private let isFraction: Bool
    private let isEnzyme: Bool

    init(name: String, unit: String, conversions: [String: UnitConversion]) {
        self.name = name
        self.unit = unit
        self.conversions = conversions
        isFraction = name == UnitTable.fraction
        isEnzyme = name == UnitTable.enzyme
    }

    /// How a number in a unit becomes one in ``unit``; nil when nothing fixed leads there.
    public func conversion(from unit: String) -> UnitConversion? {
        let tidied = UnitText.tidied(unit, isEnzyme: isEnzyme)
        if let known = conversions[tidied] { return known }
        return name == UnitTable.glucose ? UnitConversion.glucose(inMolarUnit: tidied) : nil
    }

    /// The number in ``unit``; nil when the unit cannot be converted, or when the number cannot be of that unit.
    public func value(_ number: Double, in unit: String) -> Double? {
        conversion(from: unit).flatMap { value(number, by: $0) }
    }

    /// The number after a conversion that ``conversion(from:)`` gave.
    ///
    /// HealthKit writes percentages as fractions, other writers as percent: up to 1 it is a fraction, above 100 or
    /// below 0 no percentage at all (apple-health-export.md 7).
    @inline(__always)
    func value(_ number: Double, by conversion: UnitConversion) -> Double? {
        guard isFraction else { return number * conversion.factor / conversion.divisor + conversion.offset }
        guard number >= 0, number <= 100 else { return nil }
        return number <= 1 ? number * 100 : number
    }

    /// Equal by name: the table has each once.
    public static func == (left: Quantity, right: Quantity) -> Bool { left.name == right.name }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// `number × factor ÷ divisor + offset`. Factors that are defined as divisors stay divisors, so that no digit is lost.
public struct UnitConversion: Hashable, Sendable {
    /// What the number is multiplied with.
    public let factor: Double
    /// What it is then divided by.
    public let divisor: Double
    /// What is then added: HbA1c is affine.
    public let offset: Double

    init(factor: Double = 1, divisor: Double = 1, offset: Double = 0) {
        self.factor = factor
        self.divisor = divisor
        self.offset = offset
    }

    /// `mmol<180.1558800000541>/L`: HealthKit prints the molar mass into the unit, and a tenth of it makes mg/dL of
    /// mmol/L.
    static func glucose(inMolarUnit unit: String) -> UnitConversion? {
        guard unit.hasPrefix("mmol<"), unit.hasSuffix(">/L"),
            let mass = Double(unit.dropFirst(5).dropLast(3)), UnitTable.glucoseMolarMass.contains(mass)
        else { return nil }
        return UnitConversion(factor: mass, divisor: 10)
    }
}
