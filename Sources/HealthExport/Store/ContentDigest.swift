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

    /// Of a workout, without its route's points, and without zones: an older export of the same workout has none.
    public static func of(_ workout: HealthWorkout) -> [UInt8] {
        var plain = workout
        plain.zoneGroups = []
        return digest("workout", plain) { $0.workout($1) }
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
