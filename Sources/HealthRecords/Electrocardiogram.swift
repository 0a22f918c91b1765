/// One electrocardiogram, from a CSV of the export (apple-health-export.md 12). The person's name is not kept.
public struct Electrocardiogram: Hashable, Sendable {
    /// The file's name inside the export.
    public var fileName: String
    /// When it was recorded.
    public var recorded: Instant
    /// The classification in the language of the phone.
    public var classification: String?
    /// Symptoms in the language of the phone; nil when there are none.
    public var symptoms: String?
    /// Version of the recording software.
    public var softwareVersion: String?
    /// Model of the device, `Watch7,12`.
    public var device: String?
    /// The lead in the language of the phone, `Lead I`.
    public var lead: String?
    /// Beats a minute, where the file says so.
    public var averageHeartRate: Double?
    /// Samples a second.
    public var sampleRate: Double
    /// Microvolts, in order.
    public var microvolts: [Double]
    /// As in ``HealthRecord/contentDigest``; the file's name is no part of it.
    public var contentDigest: [UInt8] = []

    /// A recording.
    public init(fileName: String, recorded: Instant, sampleRate: Double, microvolts: [Double]) {
        self.fileName = fileName
        self.recorded = recorded
        self.sampleRate = sampleRate
        self.microvolts = microvolts
    }
}
