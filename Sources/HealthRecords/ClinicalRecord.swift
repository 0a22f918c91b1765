/// One `ClinicalRecord`: what the export says about a FHIR resource (apple-health-export.md 14). The resource itself
/// is a file beside the main file.
public struct ClinicalRecord: Hashable, Sendable {
    /// The resource's name, `Observation`.
    public var type: String
    /// The provider's identifier, stable between exports.
    public var identifier: String
    /// The institution.
    public var sourceName: String
    /// Where the phone fetched it.
    public var sourceURL: String
    /// `1.0.2` or `4.0.1`.
    public var fhirVersion: String
    /// When the phone fetched it; never the clinical date.
    public var received: Instant?
    /// The path of the resource inside the export, without the leading slash; nil for a file that no element names.
    public var resourcePath: String?

    /// A record.
    public init(
        type: String, identifier: String, sourceName: String, sourceURL: String, fhirVersion: String,
        received: Instant?, resourcePath: String?
    ) {
        self.type = type
        self.identifier = identifier
        self.sourceName = sourceName
        self.sourceURL = sourceURL
        self.fhirVersion = fhirVersion
        self.received = received
        self.resourcePath = resourcePath
    }
}

extension ClinicalRecord {
    /// The FHIR resources of each kind of clinical record that the source knows. Observations are laboratory results or vital
    /// signs, which only the resource itself tells.
    private static let kinds: [String: String] = [
        "AllergyIntolerance": "AllergyRecord", "DocumentReference": "ClinicalNoteRecord",
        "Condition": "ConditionRecord", "Coverage": "CoverageRecord", "Immunization": "ImmunizationRecord",
        "Observation": "LabResultRecord", "DiagnosticReport": "LabResultRecord",
        "MedicationOrder": "MedicationRecord", "MedicationRequest": "MedicationRecord",
        "MedicationStatement": "MedicationRecord", "MedicationDispense": "MedicationRecord",
        "Procedure": "ProcedureRecord",
    ]

    /// What the source's own names of clinical types begin with; some exports have them as they are.
    private static let prefix = "HKClinicalTypeIdentifier"

    /// The source's type, `HKClinicalTypeIdentifierLabResultRecord`; the name of the resource for one that has none.
    ///
    /// - Parameter isVitalSign: whether an observation says that it is a vital sign.
    public func healthKitType(isVitalSign: Bool) -> String {
        if type.hasPrefix(Self.prefix) { return type }
        if type == "Observation", isVitalSign { return Self.prefix + "VitalSignRecord" }
        return Self.kinds[type].map { Self.prefix + $0 } ?? type
    }
}

/// A clinical record with its resource.
public struct ClinicalDocument: Hashable, Sendable {
    /// What the export says about it.
    public var record: ClinicalRecord
    /// The bytes of the FHIR resource, JSON; nil when its file is not in the export.
    public var resource: [UInt8]?
    /// As in ``HealthRecord/contentDigest``; the path inside the export is no part of it.
    public var contentDigest: [UInt8]

    /// A record with its resource.
    public init(record: ClinicalRecord, resource: [UInt8]?, contentDigest: [UInt8] = []) {
        self.record = record
        self.resource = resource
        self.contentDigest = contentDigest
    }
}
