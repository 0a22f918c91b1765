import DurableStore

/// What a new import took the place of. The store shows one import at a time: days that only the earlier one had are gone.
public struct ReplacedImport: Codable, Hashable, Sendable {
    /// Lost days without a kept day between them.
    public struct Span: Codable, Hashable, Sendable {
        /// First of them, `yyyy-MM-dd`.
        public var from: String
        /// Last of them.
        public var to: String
        /// How many had data.
        public var dayCount: Int
    }

    /// The number of the earlier import.
    public var generation: Int
    /// Whether its file was damaged or gone, so that nothing but its number is known: the counts are then 0 and say nothing.
    /// Nil in a report of an import that did not tell.
    public var isUnreadable: Bool?
    /// Its first day with data, `yyyy-MM-dd`.
    public var firstDay: String?
    /// Its last.
    public var lastDay: String?
    /// Its days with data.
    public var dayCount: Int
    /// Its records.
    public var recordCount: Int
    /// The export files that it came from.
    public var paths: [String]
    /// Days of it that the new import does not have.
    public var lostDayCount: Int
    /// The first ``spansKept`` stretches of them.
    public var lostSpans: [Span]

    /// Stretches of lost days that are kept.
    public static let spansKept = 10

    init(_ earlier: EarlierImport, by days: [Int]) {
        switch earlier {
        case .readable(let generation, let own): self.init(generation, own, by: Set(days))
        case .unreadable(let number): self.init(unreadable: number)
        }
    }

    private init(unreadable number: Int) {
        generation = number
        isUnreadable = true
        (dayCount, recordCount, lostDayCount) = (0, 0, 0)
        (paths, lostSpans) = ([], [])
    }

    private init(_ earlier: DayGeneration, _ own: [Int], by kept: Set<Int>) {
        generation = earlier.number
        isUnreadable = false
        firstDay = own.first.map(DayText.of)
        lastDay = own.last.map(DayText.of)
        dayCount = own.count
        recordCount = earlier.report.storedRecordCount
        paths = earlier.report.exports.map(\.path)
        lostDayCount = own.count { !kept.contains($0) }
        lostSpans = own.split { kept.contains($0) }.prefix(Self.spansKept).compactMap { run in
            guard let first = run.first, let last = run.last else { return nil }
            return Span(from: DayText.of(first), to: DayText.of(last), dayCount: run.count)
        }
    }
}

/// The import that a new one takes the place of, as far as it can be read.
enum EarlierImport {
    /// With the numbers of its days, ascending.
    case readable(DayGeneration, days: [Int])
    /// Its file is gone or is not what this program wrote.
    case unreadable(Int)

    /// Whether an error says that what is stored cannot be read, today or tomorrow. A full disk, a busy database, a denied access or a
    /// later program's file does not: then the import ends, since the earlier one may be whole.
    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        // A schema page that is garbled lacks tables: SQLite then refuses the statement.
        case StoreError.corrupt, StoreError.notFound, StoreError.wrongType, StoreError.olderSchema,
            StoreError.databaseRefused, StoreError.inputOutput:
            true
        case ExportError.storeUnreadable, is DecodingError, is ByteReader.Damage: true
        default: false
        }
    }
}
