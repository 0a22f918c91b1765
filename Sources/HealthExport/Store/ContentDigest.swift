import Cryptography
import HealthRecords

/// The identity that we give to what an export gives none: SHA-256 over everything that the element says
/// (health-data.md 10.2). The same element in a later export has the same digest.
public enum ContentDigest {
    /// Of a record: type, source, value, dates, metadata, beats.
    public static func of(_ record: HealthRecord) -> [UInt8] { digest("record", record) { $0.record($1) } }

    /// Of a correlation with its members.
    public static func of(_ correlation: HealthCorrelation) -> [UInt8] {
        digest("correlation", correlation) { $0.correlation($1) }
    }

    /// Of a workout, without its route's points, and without zones: an older export of the same workout has none. Without
    /// the elements of its routes too, which name files of one export.
    public static func of(_ workout: HealthWorkout) -> [UInt8] {
        var plain = workout
        plain.zoneGroups = []
        plain.routes = []
        return digest("workout", plain) { $0.workout($1) }
    }

    /// Of a hearing test.
    public static func of(_ audiogram: Audiogram) -> [UInt8] { digest("audiogram", audiogram) { $0.audiogram($1) } }

    /// Of a prescription.
    public static func of(_ prescription: VisionPrescription) -> [UInt8] {
        digest("vision_prescription", prescription) { $0.visionPrescription($1) }
    }

    /// Of a recording, without its file's name: a second one of a day is named after the first.
    public static func of(_ recording: Electrocardiogram) -> [UInt8] {
        var plain = recording
        plain.fileName = ""
        return digest("electrocardiogram", plain) { $0.electrocardiogram($1) }
    }

    /// Of a clinical record with its resource, without the path inside the export.
    public static func of(_ document: ClinicalDocument) -> [UInt8] {
        var plain = document.record
        plain.resourcePath = nil
        return digest("clinical_record", (plain, document.resource)) {
            $0.clinicalRecord($1.0)
            $0.optional($1.1) { writer, bytes in bytes.withUnsafeBufferPointer { writer.raw($0) } }
        }
    }

    private static func digest<Value>(_ kind: String, _ value: Value, _ write: (inout ByteWriter, Value) -> Void)
        -> [UInt8]
    {
        var writer = ByteWriter()
        writer.text("healthmd.\(kind).1")
        write(&writer, value)
        return SHA256.hash(writer.bytes).withUnsafeBytes { Array($0) }
    }
}
