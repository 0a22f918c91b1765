import CanonicalJSON
import DurableStore
import HealthRecords

/// Takes one or more exports and writes them as one generation: records into a sorter, the rest into the database.
///
/// Reading is one pass; then the sorted records are written by day. Memory is the sorter's run, the queue of the rarer
/// elements and SQLite's cache, whatever the size of the exports.
final class GenerationWriter: ExportVisitor {
    /// Packed bytes of structures that wait for a transaction.
    private static let queueLimit = 1 << 20
    /// Points of a route in one row.
    static let routePartCount = 2_000

    private struct Structure {
        var kind: DayStoreSchema.Kind
        var day: Int
        var number: Int
        var lastDay: Int
        var bytes: [UInt8]
        var body: [UInt8]?
    }

    private let database: Database
    private let sorter: RecordSorter
    private let zone: CalendarZone
    private(set) var tables = ExportTables()
    private var packed = ByteWriter()
    private var cachedDay = 0
    private var cachedDaySeconds = Int64.max..<Int64.max

    private var queue: [Structure] = []
    private var routeFiles: [(workout: Int, day: Int, path: String)] = []
    private var summaries: [ActivitySummary] = []
    private var queuedBytes = 0
    private var structureCount = 0

    /// What the import came to beside the counts of the reader.
    private(set) var storedRecordCount = 0
    private(set) var duplicateCount = 0
    private(set) var nestedTwinCount = 0
    /// Told now and then how many records have been read.
    var onProgress: (Int) throws -> Void = { _ in }
    private var readCount = 0
    /// When the export at hand was made.
    private var exportDate: Instant?

    /// Where documents stand that have no date at all: outside of every range of days.
    private static let undated = Instant(secondsSince1970: -1e11)

    init(database: Database, scratchFolder: Directory, zone: CalendarZone) {
        self.database = database
        self.zone = zone
        sorter = RecordSorter(folder: scratchFolder)
    }

    // MARK: Records

    func begin(tables: ExportTables) {
        self.tables = tables
        exportDate = nil
    }

    func record(_ record: RecordView) throws {
        readCount += 1
        if readCount & 0xFFFF == 0 { try onProgress(readCount) }
        packed.clear()
        let name = tables.sourceKeys[Int(record.sourceID)].name
        let identity = RecordCoding.write(record, nameID: name, to: &packed)
        try sorter.add(
            day: Int32(clamping: day(atSecond: record.startSeconds)), type: record.typeID, start: record.startSeconds,
            identityCount: identity, bytes: packed.bytes)
    }

    /// The day of an instant; neighbours mostly share it.
    private func day(atSecond second: Int64) -> Int {
        if cachedDaySeconds.contains(second) { return cachedDay }
        cachedDay = zone.dayNumber(atSecond: Int(second))
        cachedDaySeconds =
            Int64(
                zone.startSecond(ofDay: cachedDay))..<max(
                Int64(zone.startSecond(ofDay: cachedDay)), Int64(zone.startSecond(ofDay: cachedDay + 1)))
        return cachedDay
    }

    private func day(_ instant: Instant) -> Int {
        zone.dayNumber(atSecond: Int(max(-1e14, min(1e14, instant.secondsSince1970))))
    }

    // MARK: Structures

    func correlation(_ correlation: HealthCorrelation) throws {
        try add(
            .correlation, from: correlation.start, to: correlation.end,
            StructureCoding.pack(correlation) { $0.correlation($1) })
    }

    func workout(_ workout: HealthWorkout, routePaths: [String]) throws {
        let number = structureCount
        let start = day(workout.start)
        try add(
            .workout, from: workout.start, to: workout.end, StructureCoding.pack(workout) { $0.workout($1) })
        for path in routePaths { routeFiles.append((number, start, path)) }
        guard !workout.route.isEmpty else { return }
        try flush()
        var part = 0
        for first in stride(from: 0, to: workout.route.count, by: Self.routePartCount) {
            let points = Array(workout.route[first..<min(first + Self.routePartCount, workout.route.count)])
            try database.transaction { try Self.write(points, workout: number, part: part, $0) }
            part += 1
        }
    }

    func activitySummary(_ summary: ActivitySummary) throws {
        summaries.append(summary)
        queuedBytes += 200
        if queuedBytes > Self.queueLimit { try flush() }
    }

    func characteristics(_ characteristics: HealthCharacteristics) throws {
        let now = Instant(secondsSince1970: 0)
        try add(
            .characteristics, from: now, to: now, StructureCoding.pack(characteristics) { $0.characteristics($1) })
    }

    func audiogram(_ audiogram: Audiogram) throws {
        try add(
            .audiogram, from: audiogram.start, to: audiogram.end,
            StructureCoding.pack(audiogram) { $0.audiogram($1) })
    }

    func visionPrescription(_ prescription: VisionPrescription) throws {
        try add(
            .visionPrescription, from: prescription.issued, to: prescription.issued,
            StructureCoding.pack(prescription) { $0.visionPrescription($1) })
    }

    /// A recording, from its file.
    func electrocardiogram(_ recording: Electrocardiogram) throws {
        let bytes = StructureCoding.pack(recording) { $0.electrocardiogram($1) }
        try add(
            .electrocardiogram, from: recording.recorded, to: recording.recorded,
            bytes.withUnsafeBytes { ZlibBytes.pack($0) })
    }

    func clinicalRecord(_ record: ClinicalRecord) throws { try clinicalRecord(record, resource: nil) }

    func exportDate(_ date: Instant) { exportDate = date }

    /// A clinical record with its resource, under the day it was received, as the source itself counts it (the clinical date
    /// is in the resource); one that does not say when, under the day of the export.
    func clinicalRecord(_ record: ClinicalRecord, resource: [UInt8]?) throws {
        let received = record.received ?? exportDate ?? Self.undated
        try add(
            .clinicalRecord, from: received, to: received,
            StructureCoding.pack(record) { $0.clinicalRecord($1) },
            body: resource.map { bytes in bytes.withUnsafeBytes { ZlibBytes.pack($0) } })
    }

    private func add(
        _ kind: DayStoreSchema.Kind, from start: Instant, to end: Instant, _ bytes: [UInt8], body: [UInt8]? = nil
    ) throws {
        let first = day(start)
        queue.append(
            Structure(
                kind: kind, day: first, number: structureCount, lastDay: max(first, day(end)), bytes: bytes,
                body: body))
        structureCount += 1
        queuedBytes += bytes.count + (body?.count ?? 0) + 64
        if queuedBytes > Self.queueLimit { try flush() }
    }

    /// Writes what waits.
    func flush() throws {
        try database.transaction { connection in
            try connection.runForEach(
                "INSERT INTO structure (kind, day, number, last_day, bytes, body) VALUES (?, ?, ?, ?, ?, ?)", queue
            ) { statement, item in
                try statement.bind(1, item.kind.rawValue)
                try statement.bind(2, Int64(item.day))
                try statement.bind(3, Int64(item.number))
                try statement.bind(4, Int64(item.lastDay))
                try statement.bind(5, .blob(item.bytes))
                try statement.bind(6, .optional(item.body))
            }
            for summary in summaries {
                // A later line of the same day is the newer one.
                try connection.run(
                    "INSERT OR REPLACE INTO summary (date, bytes) VALUES (?, ?)", .text(summary.date),
                    .blob(StructureCoding.pack(summary) { $0.activitySummary($1) }))
            }
            for file in routeFiles {
                try connection.run(
                    "INSERT INTO route_file (workout, day, path) VALUES (?, ?, ?)", .integer(file.workout),
                    .integer(file.day), .text(file.path))
            }
        }
        queue.removeAll(keepingCapacity: true)
        summaries.removeAll(keepingCapacity: true)
        routeFiles.removeAll(keepingCapacity: true)
        queuedBytes = 0
    }

    // MARK: Blocks

    /// Writes the sorted records by day, each sample once.
    func writeBlocks() throws {
        try flush()
        try database.transaction { connection in
            try connection.withStatement(
                """
                INSERT INTO block (day, type, part, count, last_day, first_start, bytes) VALUES (?, ?, ?, ?, ?, ?, ?)
                """
            ) { statement in
                var block = BlockBuilder(zone: zone)
                var samples = SampleGroup()
                try sorter.drain { item in
                    switch samples.accept(item) {
                    case .new:
                        storedRecordCount += 1
                        if let full = block.add(item) { try full.insert(statement) }
                    case .copy: duplicateCount += 1
                    case .twin: nestedTwinCount += 1
                    }
                }
                if let last = block.finish() { try last.insert(statement) }
            }
            try writeNames(connection)
        }
    }

    private func writeNames(_ connection: DatabaseConnection) throws {
        try connection.runForEach("INSERT INTO text (number, value) VALUES (?, ?)", tables.texts.texts.enumerated()) {
            try $0.bind(1, Int64($1.offset))
            try $0.bind(2, $1.element)
        }
        try connection.runForEach(
            "INSERT INTO source (number, name, version, device) VALUES (?, ?, ?, ?)", tables.sourceKeys.enumerated()
        ) {
            try $0.bind(1, Int64($1.offset))
            try $0.bind(2, Int64($1.element.name))
            try $0.bind(3, Int64($1.element.version))
            try $0.bind(4, Int64($1.element.device))
        }
    }

    static func write(
        _ points: [RoutePoint], workout: Int, part: Int, _ connection: DatabaseConnection
    ) throws {
        let bytes = StructureCoding.pack(points) { $0.list($1) { $0.routePoint($1) } }
        try connection.run(
            "INSERT INTO route (workout, part, bytes) VALUES (?, ?, ?)", .integer(workout), .integer(part),
            .blob(bytes.withUnsafeBytes { ZlibBytes.pack($0) }))
    }
}
