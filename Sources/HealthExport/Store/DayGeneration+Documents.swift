import DurableStore
import HealthRecords

/// What comes as a document and stands in archives only: hearing tests, prescriptions, recordings, clinical records.
extension DayGeneration {
    func readDocuments(_ day: Int, _ connection: DatabaseConnection, into result: inout SourceDay) throws {
        result.audiograms = try structures(.audiogram, day, overlapping: false, connection) { try $0.audiogram() }
        result.visionPrescriptions = try structures(.visionPrescription, day, overlapping: false, connection) {
            try $0.visionPrescription()
        }
        try connection.forEach(
            "SELECT bytes FROM structure WHERE kind = ? AND day = ? ORDER BY number",
            .integer(DayStoreSchema.Kind.electrocardiogram.rawValue), .integer(day)
        ) { row in
            let bytes = try row.withBytes(0) { try ZlibBytes.unpack($0) }
            result.electrocardiograms.append(
                try bytes.withUnsafeBytes { try StructureCoding.unpack($0) { try $0.electrocardiogram() } })
        }
        try connection.forEach(
            "SELECT bytes, body FROM structure WHERE kind = ? AND day = ? ORDER BY number",
            .integer(DayStoreSchema.Kind.clinicalRecord.rawValue), .integer(day)
        ) { row in
            let (record, resource) = try clinicalRecord(row)
            result.clinicalRecords.append(ClinicalDocument(record: record, resource: resource))
        }
    }

    /// A clinical record and its resource, from the columns `bytes` and `body`.
    func clinicalRecord(_ row: Row) throws -> (ClinicalRecord, [UInt8]?) {
        let record = try row.withBytes(0) { try StructureCoding.unpack($0) { try $0.clinicalRecord() } }
        return (record, try row.isNull(1) ? nil : row.withBytes(1) { try ZlibBytes.unpack($0) })
    }

    static func addDocumentDigests(_ day: inout SourceDay) {
        for index in day.audiograms.indices {
            day.audiograms[index].contentDigest = ContentDigest.of(day.audiograms[index])
        }
        for index in day.visionPrescriptions.indices {
            day.visionPrescriptions[index].contentDigest = ContentDigest.of(day.visionPrescriptions[index])
        }
        for index in day.electrocardiograms.indices {
            day.electrocardiograms[index].contentDigest = ContentDigest.of(day.electrocardiograms[index])
        }
        for index in day.clinicalRecords.indices {
            day.clinicalRecords[index].contentDigest = ContentDigest.of(day.clinicalRecords[index])
        }
    }
}
