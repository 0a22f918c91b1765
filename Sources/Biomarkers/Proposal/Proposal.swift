import CanonicalJSON
import HealthRecords

/// One value that is proposed for the record, with what it was computed from (biomarkers.md 2 and 8). It is saved only
/// when a person accepts it.
public struct Proposal: Sendable {
    /// Who answered.
    public enum Origin: String, Sendable {
        /// A watch or a home device.
        case wearable
        /// A laboratory.
        case lab
    }

    /// One value that it was computed from.
    public struct Reading: Hashable, Sendable {
        /// The time of the sample, or the clinical date.
        public var time: Instant
        /// In the unit of the proposal.
        public var value: Double
        /// For a pressure: the other one of its pair.
        public var pairedValue: Double?
    }

    /// How pressures belong together.
    public struct Pairing: Hashable, Sendable {
        /// Readings that have both a systolic and a diastolic value.
        public var paired: Int
        /// Readings with this one only.
        public var unpaired: Int
    }

    /// What is known about a laboratory's result beside its value.
    public struct LaboratoryEvidence: Hashable, Sendable {
        /// The name that the laboratory printed.
        public var name: String
        /// The code that it was recognised by; nil when it was the name.
        public var loinc: LoincCode?
        /// The clinical date as the laboratory wrote it.
        public var date: String
        /// `final`, `amended` or `corrected`.
        public var status: String
        /// Value and unit as they were written.
        public var valueText: String
        /// The file inside the export.
        public var file: String
        /// The SHA-256 of that file, in hex.
        public var sha256: String
    }

    /// `hrv_60_day_mean`.
    public var id: String
    /// For people.
    public var name: String
    /// Unrounded.
    public var value: Double
    /// Rounded for people.
    public var display: String
    /// The unit of both.
    public var unit: String
    /// What was made of the readings.
    public var statistic: Statistic
    /// The length of the window; nil when the latest reading answers.
    public var windowDays: Int?
    /// The time of the first reading that was used.
    public var first: Instant
    /// The time of the newest one: the end of the window.
    public var newest: Instant
    /// How many readings the value was made of.
    public var used: Int
    /// How many distinct readings there were, those outside the window included.
    public var available: Int
    /// How many records did not count, by reason.
    public var excluded: [String: Int]
    /// Units without a conversion, with how many records had them.
    public var unknownUnits: [String: Int] = [:]
    /// Names of the sources of the readings that were used.
    public var sources: [String]
    /// Who answered.
    public var origin: Origin
    /// What a person should know before accepting it.
    public var warnings: [ProposalWarning] = []
    /// What it was computed from, in time order.
    public var readings: [Reading]
    /// For a pressure.
    public var pairing: Pairing?
    /// For a laboratory's result.
    public var laboratory: LaboratoryEvidence?
    /// The range that the owner calls optimal; nil when no range was given.
    public var band: OptimalBand?
    /// The answer that lost against this one (biomarkers.md 4, rule 6).
    public var superseded: Proposal? {
        get { loser.first }
        set { loser = newValue.map { [$0] } ?? [] }
    }

    /// At most one: a value cannot hold another of its own type directly.
    private var loser: [Proposal] = []

    init(
        _ biomarker: Biomarker, value: Double, statistic: Statistic, windowDays: Int?, readings: [Reading],
        available: Int, excluded: [String: Int], sources: [String], origin: Origin
    ) {
        id = biomarker.id
        name = biomarker.name
        self.value = value
        display = Statistics.display(value, biomarker.decimals)
        unit = biomarker.unit
        self.statistic = statistic
        self.windowDays = windowDays
        first = readings.first?.time ?? Instant(secondsSince1970: 0)
        newest = readings.last?.time ?? Instant(secondsSince1970: 0)
        used = readings.count
        self.available = available
        self.excluded = excluded
        self.sources = sources
        self.origin = origin
        self.readings = readings
    }
}

/// What a person should know about a proposal, or about the whole reading.
public struct ProposalWarning: Hashable, Sendable {
    /// The stable words.
    public enum Code: String, Sendable, CaseIterable {
        /// The window is covered by less than half.
        case shortWindow = "short_window"
        /// All data begin a month before their end: probably only a month was shared.
        case historyLooksCut = "history_looks_cut"
        /// The file or the archive broke off.
        case incompleteSource = "incomplete_source"
        /// The value is outside of what such devices or laboratories measure.
        case implausibleValue = "implausible_value"
        /// Some records were in a unit without a conversion.
        case unknownUnit = "unknown_unit"
        /// A glucose reading does not say whether it was fasting.
        case mealTimeUnknown = "meal_time_unknown"
        /// A glucose sensor that measures all day long does not answer.
        case continuousSensor = "continuous_sensor"
        /// Systolic or diastolic readings without their partner.
        case unpairedReadings = "unpaired_readings"
        /// The laboratory's name means another biomarker than its code.
        case nameConflict = "name_conflict"
        /// Recognised by its name, for want of a code.
        case matchedByName = "matched_by_name"
        /// The laboratory's result is more than a year older than the newest reading of a device.
        case labMuchOlder = "lab_much_older"
        /// More readings in one window than are kept.
        case tooManyReadings = "too_many_readings"
        /// The export tells no date of its own.
        case noExportDate = "no_export_date"
        /// Some clinical files could not be read.
        case clinicalFilesUnreadable = "clinical_files_unreadable"
    }

    /// The stable word.
    public var code: Code
    /// A sentence.
    public var message: String
}

/// The range of a value that the owner of the record calls optimal; we have no opinion (biomarkers.md 6.2).
public struct OptimalBand: Hashable, Sendable {
    /// The least optimal value; nil when there is no lower bound.
    public var low: Double?
    /// The greatest optimal value.
    public var high: Double?

    /// Where a value lies.
    public enum Grade: String, Sendable {
        /// Below the range.
        case below
        /// In it, bounds included.
        case optimal
        /// Above it.
        case above
    }

    /// Where a value lies.
    public func grade(_ value: Double) -> Grade {
        if let low, value < low { return .below }
        if let high, value > high { return .above }
        return .optimal
    }
}

/// Something that was found and cannot be placed, so that the gap shows (biomarkers.md 4).
public struct Unplaceable: Hashable, Sendable {
    /// Where it came from.
    public enum Kind: String, Sendable {
        /// A laboratory's result.
        case lab
        /// A panel or a narrative.
        case report
        /// Records of a device.
        case wearable
        /// A clinical vital sign: it does not outrank a device.
        case vitalSign = "vital_sign"
    }

    /// Why it cannot be placed.
    public enum Reason: String, Sendable {
        /// No biomarker of the catalogue is meant.
        case notInCatalogue = "not_in_catalogue"
        /// Nothing fixed leads from its unit to the biomarker's.
        case unitNotConvertible = "unit_not_convertible"
        /// Words, a bound, a range: no exact number.
        case notANumber = "not_a_number"
        /// It has no clinical date.
        case noDate = "no_date"
        /// Its clinical date lies in the future.
        case futureDate = "future_date"
        /// Its name, or its codes, mean more than one biomarker.
        case ambiguousName = "ambiguous_name"
        /// The laboratory took it back.
        case withdrawn
        /// It is preliminary, or has no usable status.
        case notFinal = "not_final"
    }

    /// Where it came from.
    public var kind: Kind
    /// As printed; the id of a biomarker that waits for its place.
    public var name: String
    /// The code, when there is one.
    public var loinc: String?
    /// The value as written.
    public var valueText: String?
    /// The unit as written.
    public var unit: String?
    /// The date as written, or of the newest record.
    public var date: String?
    /// Why.
    public var reason: Reason
    /// How many records there are, for a device.
    public var count: Int?
    /// The HealthKit type, for a device.
    public var type: String?
    /// The biomarker that it would answer, when that is known.
    public var biomarker: String?
    /// The institution or the device.
    public var source: String?
}
