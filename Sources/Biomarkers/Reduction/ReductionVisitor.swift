import HealthExport
import HealthRecords

/// Takes the records that biomarkers are made of out of one reading of the main file; the others are counted by the
/// reader and dropped (biomarkers.md 1). Nothing is allocated for a record.
final class ReductionVisitor: ExportVisitor {
    /// Clinical records of which the institution is remembered; a real export has some two thousand.
    static let clinicalLimit = 200_000
    /// Tolerance for clocks and zones behind the date of the export (biomarkers.md 2, rule 2).
    static let futureTolerance: Int64 = 86_400

    private let catalogue: Catalogue
    private var tables = ExportTables()
    private(set) var reductions: [RecordReduction] = []
    private var slots: [Int32: Int] = [:]
    private var lastType: Int32 = -1
    private var lastSlot = -1
    /// By the reader's number of a source, the number of its name.
    private var sourceNames: [Int32] = []
    private var nameNumbers: [String: Int32] = [:]
    private var names: [String] = []
    private var correlationNumber: Int32 = 1
    private var latestPlausible: Int64
    private var exportDate: Int64?
    /// Whether records came before the date of the export, which then judged them by another date.
    private(set) var isDateLate = false
    private var hasRecords = false
    /// The institution of each clinical file, by its path inside the export.
    private(set) var institutions: [String: String] = [:]

    /// - Parameters:
    ///   - exportDate: the date of the export, when an earlier reading found it.
    ///   - now: what "in the future" means in an export without a date.
    init(catalogue: Catalogue, exportDate: Instant?, now: Instant) {
        self.catalogue = catalogue
        self.exportDate = exportDate.map { Int64($0.secondsSince1970) }
        latestPlausible = Int64((exportDate ?? now).secondsSince1970) + Self.futureTolerance
    }

    func begin(tables: ExportTables) {
        self.tables = tables
    }

    func exportDate(_ date: Instant) {
        let seconds = Int64(date.secondsSince1970)
        if hasRecords, exportDate != seconds { isDateLate = true }
        exportDate = seconds
        latestPlausible = seconds + Self.futureTolerance
    }

    func wantsRecords(ofType type: String) -> Bool { catalogue.biomarker(ofType: type) != nil }

    func record(_ record: RecordView) {
        hasRecords = true
        if record.typeID != lastType { findSlot(record.typeID) }
        guard lastSlot >= 0 else { return }
        reductions[lastSlot].add(
            record, source: nameNumber(record.sourceID),
            correlation: record.parent == .correlation ? correlationNumber : 0, latestPlausible: latestPlausible,
            tables: tables)
    }

    func correlation(_ correlation: HealthCorrelation) {
        // Its members came before it as records.
        correlationNumber = correlationNumber == .max ? 1 : correlationNumber + 1
    }

    func clinicalRecord(_ record: ClinicalRecord) {
        guard let path = record.resourcePath, institutions.count < Self.clinicalLimit else { return }
        institutions[String(path.drop { $0 == "/" })] = record.sourceName
    }

    /// Sorts what was collected, once the reading is over.
    func finish() {
        for index in reductions.indices { reductions[index].finish() }
    }

    /// The name of a source as it was first printed.
    func sourceName(_ number: Int32) -> String { names[Int(number)] }

    private func findSlot(_ type: Int32) {
        lastType = type
        if let slot = slots[type] {
            lastSlot = slot
            return
        }
        lastSlot = -1
        if let biomarker = catalogue.biomarker(ofType: tables.text(type)), let rule = biomarker.wearable {
            reductions.append(RecordReduction(biomarker, rule))
            lastSlot = reductions.count - 1
        }
        slots[type] = lastSlot
    }

    /// The number of a source's name. Versions and devices of one name are one source: re-synced copies differ in them
    /// (apple-health-export.md 8).
    @inline(__always)
    private func nameNumber(_ source: Int32) -> Int32 {
        if Int(source) < sourceNames.count, sourceNames[Int(source)] >= 0 { return sourceNames[Int(source)] }
        return newNameNumber(source)
    }

    private func newNameNumber(_ source: Int32) -> Int32 {
        while sourceNames.count <= Int(source) { sourceNames.append(-1) }
        let printed = tables.source(source).name
        // `==` of strings is canonical equivalence; no-break blanks are folded here.
        let folded = printed.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
        let number = nameNumbers[folded] ?? Int32(names.count)
        if number == names.count {
            nameNumbers[folded] = number
            names.append(printed)
        }
        sourceNames[Int(source)] = number
        return number
    }
}
