import CanonicalJSON

/// What the service allows (day-archive.md 6.1). All can be configured; the defaults are upstream's values.
public struct ServiceLimits: Equatable, Sendable {
    /// Request body of an upload, in bytes.
    public var uploadByteCount = 5 << 20
    /// One sealed day, in bytes.
    public var dayByteCount = 1 << 20
    /// Days of an upload.
    public var daysPerUpload = 31
    /// Bytes ever handed over to one bucket.
    public var bucketByteCount = 512 << 20
    /// Bytes ever handed over to the service.
    public var serviceByteCount = 100 << 30
    /// Days of a listing page: default and ceiling.
    public var daysPerPage = 1_000
    /// Days of a range answer.
    public var daysPerRange = 92
    /// Sealed bytes of a range answer, frame heads not counted.
    public var sealedBytesPerRange = 8 << 20
    /// One sealed edit, in bytes.
    public var editByteCount = 256 << 10
    /// Edits that wait in one bucket.
    public var pendingEdits = 500
    /// Body of an outcome, in bytes.
    public var outcomeByteCount = 64 << 10
    /// Edits of a listing page: default and ceiling.
    public var editsPerPage = 200
    /// Claims and registrations of one address in 60 seconds.
    public var claimsPerMinute = 5
    /// Uploads and outcomes of one address in 60 seconds.
    public var uploadsPerMinute = 300
    /// Edits of one address in 60 seconds.
    public var editsPerMinute = 60

    /// Any other body, in bytes (extensions.md 10.9). Not configurable.
    static let otherBodyByteCount = 64 << 10
    /// How far a signature's clock may be off, in seconds (day-archive.md 4). Not configurable: readers know it.
    static let clockTolerance = 300
    /// The first day that is taken (day-archive.md 6.1).
    static let firstDay = "1900-01-01"

    /// Upstream's values.
    public init() {}

    private static let names: [(name: String, path: WritableKeyPath<ServiceLimits, Int> & Sendable)] = [
        ("upload_bytes", \.uploadByteCount), ("day_bytes", \.dayByteCount), ("days_per_upload", \.daysPerUpload),
        ("bucket_bytes", \.bucketByteCount), ("service_bytes", \.serviceByteCount),
        ("days_per_page", \.daysPerPage), ("days_per_range", \.daysPerRange),
        ("sealed_bytes_per_range", \.sealedBytesPerRange), ("edit_bytes", \.editByteCount),
        ("pending_edits", \.pendingEdits), ("outcome_bytes", \.outcomeByteCount), ("edits_per_page", \.editsPerPage),
        ("claims_per_minute", \.claimsPerMinute), ("uploads_per_minute", \.uploadsPerMinute),
        ("edits_per_minute", \.editsPerMinute),
    ]

    /// The defaults with those that a limits file changes (extensions.md 10.1): an object of positive whole numbers.
    ///
    /// - Throws: `bad_limits` with the name.
    public init(file: JSONValue) throws(ServiceStartError) {
        guard let object = file.object else { throw .badLimits(name: "the file") }
        for member in object.members {
            guard let known = Self.names.first(where: { $0.name == member.key }), let value = member.value.number?.int,
                value > 0
            else { throw .badLimits(name: member.key) }
            self[keyPath: known.path] = value
        }
    }
}
