/// One value that can be graded against a band, as the catalogue has it (biomarkers.md 2 and 6).
public struct Biomarker: Sendable {
    /// `hrv_60_day_mean`: stable, never reused.
    public let id: String
    /// For people: `Heart rate variability`.
    public let name: String
    /// What the value is a measure of: it decides which units can be converted.
    public let quantity: Quantity
    /// Digits behind the point when it is shown.
    public let decimals: Decimals
    /// Values outside are shown with a warning. They are never left out because of it (biomarkers.md 2, rule 8).
    public let plausible: ClosedRange<Double>?
    /// How records of a watch or a home device become the value; nil when only a laboratory answers.
    public let wearable: WearableRule?
    /// How a laboratory's results are recognised; nil when only devices answer.
    public let laboratory: LaboratoryRule?
    /// Codes under which the same thing is known elsewhere; those of ``laboratory`` are the ones that are matched.
    public let loinc: [LoincCode]
    /// Whether the mapping is written down but waits for its place in the catalogue: listed, never proposed.
    public let isInert: Bool

    /// The unit of the value.
    public var unit: String { quantity.unit }
}

/// How many digits behind the point a value is shown with; it is kept unrounded.
public struct Decimals: Hashable, Sendable {
    /// At least so many, zeros included.
    public let minimum: Int
    /// At most so many.
    public let maximum: Int

    static func exactly(_ count: Int) -> Decimals { Decimals(minimum: count, maximum: count) }
    static func upTo(_ count: Int) -> Decimals { Decimals(minimum: 0, maximum: count) }
}

/// What is made of many readings (biomarkers.md 2).
public enum Statistic: String, Sendable {
    /// The middle one, or the mean of the middle two.
    case median
    /// The arithmetic mean.
    case mean
    /// The one with the latest end.
    case latest
}

/// How the records of one HealthKit type become one value.
public struct WearableRule: Sendable {
    /// `HKQuantityTypeIdentifierRestingHeartRate`.
    public let type: String
    /// Days that the window reaches back from the newest sample; nil for all of them.
    public let windowDays: Int?
    /// What is made of the samples in the window.
    public let statistic: Statistic
    /// Values that cannot be of this type at all; only a mean leaves them out (biomarkers.md 2, rule 8).
    public let possible: PossibleValues
    /// Samples marked as taken after a meal, and sources that measure all day long, do not answer (rule 9).
    public let isFasting: Bool
}

/// The values that a type can have at all.
public enum PossibleValues: Sendable {
    /// Not looked at.
    case any
    /// Above the first and up to the second number.
    case above(Double, through: Double)

    func contains(_ value: Double) -> Bool {
        switch self {
        case .any: true
        case .above(let low, let high): value > low && value <= high
        }
    }
}

/// How a laboratory's results are recognised (biomarkers.md 4, rule 3).
public struct LaboratoryRule: Sendable {
    /// The codes that mean this biomarker, the usual one first.
    public let codes: [LoincCode]
    /// Printed names that mean it when there is no code; compared after folding case and punctuation.
    public let names: [String]
    /// Specimen words that belong to it: `urine` for a ratio in urine.
    public let specimenWords: Set<String>
}

/// A LOINC code with its official name; the two stay together, as the licence of LOINC asks.
///
/// LOINC is © Regenstrief Institute, Inc., and available at no cost under the license at https://loinc.org/license.
public struct LoincCode: Hashable, Sendable {
    /// `4548-4`.
    public let code: String
    /// `Hemoglobin A1c/Hemoglobin.total in Blood`.
    public let name: String
    /// Which published tables it was verified with: letters of biomarkers.md 6.
    public let verified: String

    /// Whether the last digit is the check digit of the others (LOINC Users' Guide, mod 10).
    public var hasValidCheckDigit: Bool {
        let parts = code.split(separator: "-")
        guard parts.count == 2, let check = Int(parts[1]), parts[1].count == 1 else { return false }
        let digits = parts[0].compactMap(\.wholeNumberValue)
        guard digits.count == parts[0].count, !digits.isEmpty else { return false }
        var sum = 0
        for (place, digit) in digits.reversed().enumerated() {
            sum += place % 2 == 0 ? digit * 2 / 10 + digit * 2 % 10 : digit
        }
        return (10 - sum % 10) % 10 == check
    }
}
