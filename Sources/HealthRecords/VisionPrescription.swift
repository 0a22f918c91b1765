/// One `VisionPrescription` (apple-health-export.md 5).
public struct VisionPrescription: Hashable, Sendable {
    /// `glasses`, `contacts`.
    public var type: String
    /// When it was issued.
    public var issued: Instant
    /// When it expires.
    public var expires: Instant?
    /// The brand of contact lenses.
    public var brand: String?
    /// The right eye: values by the attribute's name (`sphere`, `cylinder`, `axis`, `add`, `vertex`, `prismAmount`,
    /// `prismAngle`, `farPD`, `nearPD`, `baseCurve`, `diameter`).
    public var rightEye: [String: UnitValue]
    /// The left eye.
    public var leftEye: [String: UnitValue]
    /// Identifiers of attachments; their bytes are not in an export.
    public var attachments: [String]
    /// Entries in file order.
    public var metadata: [MetadataEntry]
    /// As in ``HealthRecord/contentDigest``.
    public var contentDigest: [UInt8] = []

    /// A prescription without values.
    public init(type: String, issued: Instant, expires: Instant? = nil, brand: String? = nil) {
        self.type = type
        self.issued = issued
        self.expires = expires
        self.brand = brand
        self.rightEye = [:]
        self.leftEye = [:]
        self.attachments = []
        self.metadata = []
    }
}
