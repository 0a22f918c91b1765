import Foundation

/// Medications and doses. Members are named as in the day document (health-data.md 3.5, extensions.md 4).
public struct Medications: Codable, Hashable, Sendable {
    /// The medications that the person lets be read.
    public var medications: [Medication] = []
    /// Doses that start in the day.
    public var doseEvents: [DoseEvent] = []

    /// None.
    public init() {}
}

/// One medication.
public struct Medication: Codable, Hashable, Sendable {
    /// The nickname when there is one, else the display name.
    public var name: String?
    /// The full name.
    public var displayName: String?
    /// The person's own name for it.
    public var nickname: String?
    /// `rxnorm:617314`.
    public var conceptIdentifier: String?
    /// `tablet`.
    public var generalForm: String?
    /// Whether it is no longer taken.
    public var isArchived: Bool?
    /// Whether it has a schedule.
    public var hasSchedule: Bool?
    /// Codes of other systems.
    public var relatedCodings: [MedicationCoding]?
    /// RxNorm codes.
    public var rxNormCodes: [String]?
    /// Members that we do not know, kept as they came.
    public var unknown: [String: OpaqueValue] = [:]

    /// A medication that says nothing yet.
    public init() {}

    /// Reads what it knows and keeps the rest.
    public init(from decoder: any Decoder) throws {
        var members = try MemberReader(decoder)
        name = members.take("name")
        displayName = members.take("displayName")
        nickname = members.take("nickname")
        conceptIdentifier = members.take("conceptIdentifier")
        generalForm = members.take("generalForm")
        isArchived = members.take("isArchived")
        hasSchedule = members.take("hasSchedule")
        relatedCodings = members.take("relatedCodings")
        rxNormCodes = members.take("rxNormCodes")
        unknown = try members.unknown()
    }

    /// Writes what is known and what was kept.
    public func encode(to encoder: any Encoder) throws {
        var members = try MemberWriter(encoder, unknown: unknown)
        try members.put("name", name)
        try members.put("displayName", displayName)
        try members.put("nickname", nickname)
        try members.put("conceptIdentifier", conceptIdentifier)
        try members.put("generalForm", generalForm)
        try members.put("isArchived", isArchived)
        try members.put("hasSchedule", hasSchedule)
        try members.put("relatedCodings", relatedCodings)
        try members.put("rxNormCodes", rxNormCodes)
    }
}

/// A code of a medication in another system.
public struct MedicationCoding: Codable, Hashable, Sendable {
    /// The system's address.
    public var system: String
    /// The system's edition.
    public var version: String?
    /// The code.
    public var code: String

    /// A code.
    public init(system: String, version: String?, code: String) {
        self.system = system
        self.version = version
        self.code = code
    }
}

/// One dose, taken or not.
public struct DoseEvent: Codable, Hashable, Sendable {
    /// Its identity.
    public var id: UUID?
    /// The medication's concept.
    public var medicationConceptIdentifier: String?
    /// The medication's name.
    public var medicationName: String?
    /// `taken`, `skipped`.
    public var logStatus: String?
    /// `Taken`.
    public var logStatusDisplay: String?
    /// `scheduled` or `as_needed`.
    public var scheduleType: String?
    /// Its interval.
    public var startDate, endDate: Date?
    /// When it was due.
    public var scheduledDate: Date?
    /// In ``unit``.
    public var doseQuantity, scheduledDoseQuantity: Double?
    /// `tablet`.
    public var unit: String?
    /// Text entries.
    public var metadata: [String: String]?
    /// Members that we do not know, kept as they came.
    public var unknown: [String: OpaqueValue] = [:]

    /// A dose that says nothing yet.
    public init() {}

    /// Reads what it knows and keeps the rest.
    public init(from decoder: any Decoder) throws {
        var members = try MemberReader(decoder)
        id = members.take("id")
        medicationConceptIdentifier = members.take("medicationConceptIdentifier")
        medicationName = members.take("medicationName")
        logStatus = members.take("logStatus")
        logStatusDisplay = members.take("logStatusDisplay")
        scheduleType = members.take("scheduleType")
        startDate = members.takeDate("startDate")
        endDate = members.takeDate("endDate")
        scheduledDate = members.takeDate("scheduledDate")
        doseQuantity = members.takeDouble("doseQuantity")
        scheduledDoseQuantity = members.takeDouble("scheduledDoseQuantity")
        unit = members.take("unit")
        metadata = members.take("metadata")
        unknown = try members.unknown()
    }

    /// Writes what is known and what was kept.
    public func encode(to encoder: any Encoder) throws {
        var members = try MemberWriter(encoder, unknown: unknown)
        try members.put("id", id)
        try members.put("medicationConceptIdentifier", medicationConceptIdentifier)
        try members.put("medicationName", medicationName)
        try members.put("logStatus", logStatus)
        try members.put("logStatusDisplay", logStatusDisplay)
        try members.put("scheduleType", scheduleType)
        try members.put("startDate", startDate)
        try members.put("endDate", endDate)
        try members.put("scheduledDate", scheduledDate)
        try members.put("doseQuantity", doseQuantity)
        try members.put("scheduledDoseQuantity", scheduledDoseQuantity)
        try members.put("unit", unit)
        try members.put("metadata", metadata)
    }
}
