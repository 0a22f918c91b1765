import HealthRecords

@testable import HealthExport

/// Keeps everything that a reading hands over, as comparable values.
final class RecordingVisitor: ExportVisitor {
    struct Seen: Hashable {
        var record: HealthRecord
        var parent: RecordView.Parent
        var offset: Int
    }

    var wanted: (String) -> Bool = { _ in true }
    var records: [Seen] = []
    var correlations: [HealthCorrelation] = []
    var workouts: [HealthWorkout] = []
    var routePaths: [[String]] = []
    var summaries: [ActivitySummary] = []
    var characteristics: HealthCharacteristics?
    var clinical: [ClinicalRecord] = []
    var audiograms: [Audiogram] = []
    var prescriptions: [VisionPrescription] = []

    func wantsRecords(ofType type: String) -> Bool { wanted(type) }
    func record(_ record: RecordView) {
        records.append(Seen(record: record.materialized(), parent: record.parent, offset: record.offset))
    }
    func correlation(_ correlation: HealthCorrelation) { correlations.append(correlation) }
    func workout(_ workout: HealthWorkout, routePaths paths: [String]) {
        workouts.append(workout)
        routePaths.append(paths)
    }
    func activitySummary(_ summary: ActivitySummary) { summaries.append(summary) }
    func characteristics(_ characteristics: HealthCharacteristics) { self.characteristics = characteristics }
    func clinicalRecord(_ record: ClinicalRecord) { clinical.append(record) }
    func audiogram(_ audiogram: Audiogram) { audiograms.append(audiogram) }
    func visionPrescription(_ prescription: VisionPrescription) { prescriptions.append(prescription) }

    /// Everything in one comparable value.
    var everything: [AnyHashable] {
        [records, correlations, workouts, routePaths, summaries, characteristics, clinical, audiograms, prescriptions]
            as [AnyHashable]
    }
}

/// Reads bytes and keeps everything.
func readAll(
    _ bytes: [UInt8], usesFastPath: Bool = true, pieceSize: Int = .max, capacity: Int = TagScanner.bufferSize
) throws -> (RecordingVisitor, ExportSummary) {
    let visitor = RecordingVisitor()
    var reader = ExportReader(
        source: MemoryBytes(bytes, pieceSize: pieceSize), entry: "export.xml", visitor: visitor,
        usesFastPath: usesFastPath, capacity: capacity)
    defer { reader.scanner.deallocate() }
    let summary = try reader.run()
    return (visitor, summary)
}

/// Wraps elements in the root and reads them.
func readBody(_ body: String, usesFastPath: Bool = true) throws -> (RecordingVisitor, ExportSummary) {
    try readAll(
        Array("<?xml version=\"1.0\"?>\n<HealthData locale=\"en_US\">\n\(body)\n</HealthData>\n".utf8),
        usesFastPath: usesFastPath)
}
