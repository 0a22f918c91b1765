import CanonicalJSON
import DurableStore
import HealthRecords

/// One import: from paths to a complete generation file that nobody sees yet.
struct GenerationImport {
    let database: Database
    let writer: GenerationWriter
    let options: ExportOptions
    let progress: (ImportProgress) throws -> Void
    var report = ImportReport()
    private var problems = ExportProblems()
    private var recordCount = 0
    private let tables = ExportTables()

    init(
        database: Database, scratchFolder: Directory, zone: CalendarZone, options: ExportOptions,
        progress: @escaping (ImportProgress) throws -> Void
    ) {
        self.database = database
        self.options = options
        self.progress = progress
        writer = GenerationWriter(database: database, scratchFolder: scratchFolder, zone: zone)
        writer.onProgress = { count in try progress(ImportProgress(phase: .reading, recordCount: count)) }
    }

    /// Reads every export and fills the database.
    mutating func run(paths: [String]) throws {
        var archives: [(ExportArchive, ExportFile)] = []
        for path in paths {
            let archive = try ExportArchive.open(path: path, options: options)
            let main = try archive.mainFile()
            archives.append((archive, main))
        }
        for (archive, main) in archives { try readMain(archive, main) }
        recordCount = report.recordCount + report.nestedCount
        try progress(ImportProgress(phase: .sorting, recordCount: recordCount))
        try writer.writeBlocks()
        report.storedRecordCount = writer.storedRecordCount
        report.duplicateCount = writer.duplicateCount
        report.nestedTwinCount = writer.nestedTwinCount
        if writer.duplicateCount > 0 { problems.note(.duplicateRecord, count: writer.duplicateCount, at: nil) }
        try progress(ImportProgress(phase: .files, recordCount: recordCount))
        for (archive, main) in archives { try readRecordings(archive, main) }
        try writer.flush()
        try readRoutes(archives)
        report.set(problems)
        guard !report.isEmpty else { throw ExportError.nothingToImport(path: paths.joined(separator: ", ")) }
    }

    private mutating func readMain(_ archive: ExportArchive, _ main: ExportFile) throws {
        let forwarder = ClinicalForwarder(writer: writer, archive: archive, main: main)
        let summary = try archive.readMain(main, visitor: forwarder, tables: tables)
        report.add(summary, path: archive.path, isRescued: archive.isRescued)
        report.clinicalResourceCount += forwarder.resourceCount
        problems.merge(summary.problems)
        try addUnlistedResources(archive, forwarder)
        problems.merge(forwarder.problems)
    }

    /// Clinical files that no element names: kept with what they say of themselves.
    private mutating func addUnlistedResources(_ archive: ExportArchive, _ forwarder: ClinicalForwarder) throws {
        let listed = forwarder.listedFiles
        for file in archive.files where file.name.lowercased().hasSuffix(".json") && !listed.contains(file.name) {
            do {
                let bytes = try archive.bytes(file, limit: ExportArchive.clinicalByteLimit)
                guard let record = ClinicalFile.record(bytes, path: file.name) else { continue }
                try forwarder.write(record, bytes)
                report.clinicalResourceCount += 1
            } catch let error as ExportError {
                problems.note(.clinicalFileUnreadable, at: error.place ?? ExportPlace(entry: file.name))
            }
        }
    }

    private mutating func readRecordings(_ archive: ExportArchive, _ main: ExportFile) throws {
        for file in archive.files where file.name.lowercased().hasSuffix(".csv") {
            do {
                let bytes = try archive.bytes(file, limit: ElectrocardiogramReader.byteLimit)
                if let recording = ElectrocardiogramReader.read(bytes, fileName: file.name) {
                    try writer.electrocardiogram(recording)
                    report.electrocardiogramCount += 1
                } else {
                    problems.note(.electrocardiogramUnreadable, at: ExportPlace(entry: file.name))
                }
            } catch let error as ExportError {
                problems.note(.electrocardiogramUnreadable, at: error.place ?? ExportPlace(entry: file.name))
            }
        }
    }

    // MARK: Routes

    private struct RouteFile {
        var number: Int64
        var workout: Int
        var day: Int
        var path: String
    }

    /// References are worked off in pages of this many.
    private static let routePage = 200

    private mutating func readRoutes(_ archives: [(ExportArchive, ExportFile)]) throws {
        var last: Int64 = -1
        while true {
            let page = try database.read { connection in
                try connection.all(
                    "SELECT number, workout, day, path FROM route_file WHERE number > ? ORDER BY number LIMIT ?",
                    .integer(last), .integer(Self.routePage)
                ) {
                    RouteFile(
                        number: try $0.int64(0), workout: try $0.int(1), day: try $0.int(2), path: try $0.text(3))
                }
            }
            guard let end = page.last else { return }
            last = end.number
            try database.transaction { connection in
                for file in page { try readRoute(file, archives, connection) }
            }
        }
    }

    private mutating func readRoute(
        _ reference: RouteFile, _ archives: [(ExportArchive, ExportFile)], _ connection: DatabaseConnection
    ) throws {
        do {
            for (archive, main) in archives {
                guard let file = try archive.file(atReference: reference.path, from: main) else { continue }
                try copyRoute(try archive.stream(file), reference, file.name, connection)
                return
            }
            try fail(reference, .routeMissing, connection)
        } catch is ExportError {
            try fail(reference, .routeUnreadable, connection)
        }
    }

    private mutating func copyRoute(
        _ source: any ByteSource, _ reference: RouteFile, _ name: String, _ connection: DatabaseConnection
    ) throws {
        var points: [RoutePoint] = []
        // Several files of one workout follow each other: their parts must not collide.
        var part =
            try connection.first(
                "SELECT COALESCE(MAX(part), -1) + 1 FROM route WHERE workout = ?", .integer(reference.workout)
            ) { try $0.int(0) } ?? 0
        func write() throws {
            guard !points.isEmpty else { return }
            try GenerationWriter.write(points, workout: reference.workout, part: part, connection)
            part += 1
            points.removeAll(keepingCapacity: true)
        }
        let summary = try RouteReader.read(source, entry: name) { point in
            points.append(point)
            if points.count == GenerationWriter.routePartCount { try write() }
        }
        try write()
        report.routeCount += 1
        report.routePointCount += summary.pointCount
        if summary.unreadablePointCount > 0 {
            problems.note(.routePointUnreadable, count: summary.unreadablePointCount, at: ExportPlace(entry: name))
        }
        if !summary.isComplete { try fail(reference, .routeUnreadable, connection) }
    }

    private mutating func fail(
        _ reference: RouteFile, _ code: ExportProblemCode, _ connection: DatabaseConnection
    ) throws {
        problems.note(code, at: ExportPlace(entry: reference.path))
        try connection.run(
            "INSERT OR IGNORE INTO failure (day, data_type, code) VALUES (?, 'HKWorkoutRouteTypeIdentifier', ?)",
            .integer(reference.day), .text(code.rawValue))
    }
}

extension ImportReport {
    /// Records read inside other elements.
    public var nestedCount: Int { types.values.reduce(0) { $0 + $1.nestedCount } }
}

/// Passes everything on to the writer, and gives clinical records their resource on the way.
private final class ClinicalForwarder: ExportVisitor {
    private let writer: GenerationWriter
    private let archive: ExportArchive
    private let main: ExportFile
    private(set) var listedFiles: Set<String> = []
    private(set) var resourceCount = 0
    private(set) var problems = ExportProblems()
    private var hasExportDate = false

    init(writer: GenerationWriter, archive: ExportArchive, main: ExportFile) {
        self.writer = writer
        self.archive = archive
        self.main = main
    }

    func begin(tables: ExportTables) {
        writer.begin(tables: tables)
        hasExportDate = false
    }
    func exportDate(_ date: Instant) {
        hasExportDate = true
        writer.exportDate(date)
    }
    func record(_ record: RecordView) throws { try writer.record(record) }
    func correlation(_ correlation: HealthCorrelation) throws { try writer.correlation(correlation) }
    func workout(_ workout: HealthWorkout, routePaths: [String]) throws {
        try writer.workout(workout, routePaths: routePaths)
    }
    func activitySummary(_ summary: ActivitySummary) throws { try writer.activitySummary(summary) }
    func characteristics(_ characteristics: HealthCharacteristics) throws {
        try writer.characteristics(characteristics)
    }
    func audiogram(_ audiogram: Audiogram) throws { try writer.audiogram(audiogram) }
    func visionPrescription(_ prescription: VisionPrescription) throws {
        try writer.visionPrescription(prescription)
    }

    func clinicalRecord(_ record: ClinicalRecord) throws {
        var resource: [UInt8]?
        let place = ExportPlace(entry: record.resourcePath ?? record.type)
        do {
            if let path = record.resourcePath, let file = try archive.file(atReference: path, from: main) {
                listedFiles.insert(file.name)
                resource = try archive.bytes(file, limit: ExportArchive.clinicalByteLimit)
                resourceCount += 1
            } else {
                problems.note(.clinicalFileMissing, at: place)
            }
        } catch is ExportError {
            problems.note(.clinicalFileUnreadable, at: place)
        }
        try write(record, resource)
    }

    /// Writes a record; one without a date in an export without a date belongs to no day.
    func write(_ record: ClinicalRecord, _ resource: [UInt8]?) throws {
        if record.received == nil, !hasExportDate {
            problems.note(
                .clinicalRecordUndated, at: ExportPlace(entry: record.resourcePath ?? record.type))
        }
        try writer.clinicalRecord(record, resource: resource)
    }
}

/// What a FHIR file says of itself.
enum ClinicalFile {
    /// A record made from the file alone; nil when it is no FHIR resource.
    static func record(_ bytes: [UInt8], path: String) -> ClinicalRecord? {
        // A file that is no JSON is no clinical record; nothing is lost by leaving it.
        guard let value = try? JSONParser.parse(bytes) else { return nil }
        func text(_ key: String) -> String? { value[key]?.string }
        guard let type = text("resourceType") else { return nil }
        return ClinicalRecord(
            type: type, identifier: text("id") ?? "", sourceName: "", sourceURL: "", fhirVersion: "", received: nil,
            resourcePath: path)
    }
}
