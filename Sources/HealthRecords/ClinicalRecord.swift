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
