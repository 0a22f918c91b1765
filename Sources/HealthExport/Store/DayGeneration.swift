import CanonicalJSON
import DurableStore
import HealthRecords

/// One import, as days. Opened read-only; a job keeps the generation that it started with.
public final class DayGeneration: Sendable {
    /// Its number; later imports have greater ones.
    public let number: Int
    /// The zone of the days.
    public let zone: CalendarZone
    /// The first and the last day with data, nil for an import without any. Records with dates before 1970 or after the
    /// export was made are kept but do not widen it.
    public let dayRange: ClosedRange<CivilDate>?
    /// What the import read and left out.
    public let report: ImportReport

    let database: Database
    let index: Database
    let names: RecordCoding.Names
    let typeNumbers: [String: Int]

    init(
        number: Int, zone: CalendarZone, dayRange: ClosedRange<CivilDate>?, report: ImportReport, database: Database,
        index: Database
    ) throws {
        self.number = number
        self.zone = zone
        self.dayRange = dayRange
        self.report = report
        self.database = database
        self.index = index
        names = try Self.readNames(database)
        typeNumbers = Dictionary(names.texts.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    private static func readNames(_ database: Database) throws -> RecordCoding.Names {
        try database.read { connection in
            let texts = try connection.all("SELECT value FROM text ORDER BY number") { try $0.text(0) }
            func text(_ number: Int64) -> String? {
                number >= 0 && number < texts.count ? texts[Int(number)] : nil
            }
            let sources = try connection.all("SELECT name, version, device FROM source ORDER BY number") { row in
                RecordSource(
                    name: text(try row.int64(0)) ?? "", version: text(try row.int64(1)),
                    device: text(try row.int64(2)))
            }
            return RecordCoding.Names(texts: texts, sources: sources)
        }
    }

    // MARK: Days

    /// The days that have data, ascending: those of the import within ``dayRange``, and those of overlay records.
    public func days() throws -> [CivilDate] {
        var numbers = Set(try overlayDays())
        numbers.formUnion(try importedDayNumbers())
        return numbers.sorted().compactMap { CivilDate(daysSince1970: $0) }
    }

    /// The numbers of the import's own days within ``dayRange``, ascending.
    func importedDayNumbers() throws -> [Int] {
        guard let range = dayRange else { return [] }
        let plausible = range.lowerBound.daysSince1970...range.upperBound.daysSince1970
        return try Self.dayNumbers(database, zone: zone).filter { plausible.contains($0) }
    }

    /// Long stretches of its range without any day.
    public func gaps() throws -> [DayGap] {
        if let known = report.gaps { return known }
        return DayGap.gaps(in: try importedDayNumbers())
    }

    /// The numbers of all days with data, plausible or not.
    static func dayNumbers(_ database: Database, zone: CalendarZone) throws -> [Int] {
        try database.read { connection in
            var days = Set(
                try connection.all("SELECT DISTINCT day FROM block INDEXED BY block_by_type") { try $0.int(0) })
            days.formUnion(
                try connection.all("SELECT DISTINCT day FROM structure WHERE kind BETWEEN 1 AND 6") { try $0.int(0) })
            try connection.forEach("SELECT date FROM summary") { row in
                if let date = CivilDate(try row.text(0)) { days.insert(date.daysSince1970) }
            }
            return days.sorted()
        }
    }

    /// The numbers of the record types in this import, by name.
    public func recordTypes() throws -> [String] {
        let numbers = try database.read { connection in
            try connection.all("SELECT DISTINCT type FROM block") { try $0.int(0) }
        }
        return try numbers.map { try names.text($0) }.sorted()
    }

    func damaged(_ error: any Error, _ what: String) -> any Error {
        error is ByteReader.Damage
            ? ExportError.storeUnreadable(detail: "\(what) of generation \(number) is damaged") : error
    }
}
