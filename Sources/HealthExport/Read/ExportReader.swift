import HealthRecords

/// Reads the main file of an export in one pass and hands what it holds to a visitor.
///
/// One element at a time is in memory, in reused buffers. The grammar is known here and nowhere else; nothing is
/// validated. What cannot be used is counted with its place, and a file that breaks off gives everything before the
/// break with `ExportSummary.brokenOffAt` set (apple-health-export.md 15).
public struct ExportReader {
    /// Elements in each other; an export has five.
    public static let nestingLimit = 64
    /// Distinct record types; 93 were counted in a real export.
    public static let typeLimit = 16_384
    /// How far into a file its root may begin (apple-health-export.md 2).
    public static let rootSearchLimit = 1 << 20

    struct TypeState {
        var textID: Int32
        var isWanted: Bool
        var prefersUnit: Bool
        var count = 0
        var nestedCount = 0
        var first = Int64.max
        var last = Int64.min
        var units: [Int32] = []
        var lastUnit: Int32 = -1
    }

    var scanner: TagScanner
    let visitor: any ExportVisitor
    let tables: ExportTables
    let scratch: RecordScratch
    let entry: String
    var dates = ExportDateReader()
    var problems = ExportProblems()

    /// The record at hand, reused.
    var view: RecordView
    // The texts of the last record: neighbours mostly share them.
    var lastTypeID: Int32 = -1
    var lastTypeIndex = -1
    var lastName: Int32 = -1
    var lastVersion: Int32 = -1
    var lastDevice: Int32 = -1
    var lastUnit: Int32 = -1
    var lastSourceKey = ExportTables.SourceKey(name: -2, version: -2, device: -2)
    var lastSourceID: Int32 = -1
    /// A text of the record at hand found no room in the tables.
    var hasLostText = false

    var types: [TypeState] = []
    var typeIndexes: [Int32: Int] = [:]
    var sourceCounts: [Int] = []
    var elementCounts = [Int](repeating: 0, count: ElementName.allCases.count)
    var recordsInCorrelations = 0
    var recordsInWorkouts = 0
    var recordIndex = 0
    /// The latest instant that is not in the future, from `ExportDate`.
    var latestPlausible = Int64.max

    var open: [ElementName] = []
    var unread: TagToken?
    var isBroken = false
    var isInRoot = false

    var locale: String?
    var exportDate: Instant?

    /// Reads a main file.
    ///
    /// - Parameters:
    ///   - source: the unpacked bytes.
    ///   - entry: the file's name inside the export, for places.
    ///   - tables: those of an earlier reading, when several files are to share their numbers.
    ///   - usesFastPath: false reads every tag the general way; for tests.
    /// - Throws: ``ExportError`` when nothing can be read, and whatever the visitor or the source throws.
    public static func read(
        _ source: any ByteSource, entry: String, visitor: any ExportVisitor, tables: ExportTables = ExportTables(),
        usesFastPath: Bool = true
    ) throws -> ExportSummary {
        var reader = ExportReader(
            source: source, entry: entry, visitor: visitor, tables: tables, usesFastPath: usesFastPath)
        defer { reader.scanner.deallocate() }
        return try reader.run()
    }

    init(
        source: any ByteSource, entry: String, visitor: any ExportVisitor, tables: ExportTables = ExportTables(),
        usesFastPath: Bool = true, capacity: Int = TagScanner.bufferSize
    ) {
        scanner = TagScanner(source: source, usesFastPath: usesFastPath, capacity: capacity)
        self.visitor = visitor
        self.entry = entry
        self.tables = tables
        scratch = RecordScratch()
        view = RecordView(scratch: scratch, tables: tables)
    }

    mutating func run() throws -> ExportSummary {
        visitor.begin(tables: tables)
        do {
            try scanner.skipSignature(entry: entry)
            try readRoot()
        } catch ExportError.prologTooLarge(let place, let limit) {
            throw ExportError.prologTooLarge(
                ExportPlace(entry: entry, line: place.line, offset: place.offset), limit: limit)
        }
        let summary = summarize()
        let recordElements = elementCounts[Int(ElementName.record.rawValue)]
        if recordElements > 0, summary.recordCount + summary.nestedRecordCount == 0 {
            throw ExportError.noReadableRecord(ExportPlace(entry: entry), elements: recordElements)
        }
        return summary
    }

    // MARK: Tokens

    /// The next tag, with what the scanner met on the way counted.
    mutating func nextToken() throws -> TagToken {
        if let token = unread {
            unread = nil
            return token
        }
        let token = try scanner.next()
        if !scanner.oddities.isEmpty { takeOddities() }
        if scanner.hasStrayText, isInRoot { note(.strayText) }
        if token == .start { elementCounts[Int(scanner.element.rawValue)] += 1 }
        return token
    }

    private mutating func takeOddities() {
        for oddity in scanner.oddities {
            problems.note(oddity.code, at: ExportPlace(entry: entry, line: oddity.line, offset: oddity.offset))
        }
        scanner.oddities.removeAll(keepingCapacity: true)
    }

    /// Goes to the next child of the element whose start tag was read. False when the element is over; `isBroken`
    /// tells whether the file is, too.
    ///
    /// A missing end tag costs one element, not the rest of the file: an end tag of an outer element, or an element
    /// that `endedBy` names, ends this one.
    mutating func nextChild(of element: ElementName, endedBy others: [ElementName] = []) throws -> Bool {
        while true {
            switch try nextToken() {
            case .start:
                guard others.contains(scanner.element) else { return true }
                unread = .start
                note(.unclosedElement)
                return false
            case .end where scanner.element == element:
                return false
            case .end where open.contains(scanner.element):
                unread = .end
                note(.unclosedElement)
                return false
            case .end:
                note(.strayEndTag)
            case .endOfStream:
                isBroken = true
                unread = .endOfStream
                return false
            }
        }
    }

    /// Passes over what is inside the element at hand.
    mutating func skipSubtree() throws {
        guard !scanner.isEmpty else { return }
        var depth = 1
        while depth > 0 {
            switch try nextToken() {
            case .start where !scanner.isEmpty:
                depth += 1
                guard open.count + depth <= Self.nestingLimit else {
                    throw ExportError.nestedTooDeep(place(), limit: Self.nestingLimit)
                }
            case .start:
                continue
            case .end where scanner.element == .healthData:
                unread = .end
                note(.unclosedElement)
                return
            case .end:
                depth -= 1
            case .endOfStream:
                isBroken = true
                unread = .endOfStream
                return
            }
        }
    }

    /// Counts an element that is not known where it stands, and passes over it.
    mutating func skipUnknown(in parent: ElementName) throws {
        let bytes = UnsafeBufferPointer(
            start: scanner.buffer + scanner.nameStart, count: scanner.nameEnd - scanner.nameStart)
        var name: [UInt8] = []
        _ = ExportText.decode(bytes, into: &name)
        problems.noteUnknownElement(parent.text + "/" + String(decoding: name, as: UTF8.self))
        note(.unknownElement)
        try skipSubtree()
    }

    // MARK: Problems

    /// The place of the tag at hand.
    mutating func place() -> ExportPlace {
        ExportPlace(entry: entry, line: scanner.line(at: scanner.tagOffset), offset: scanner.tagOffset)
    }

    /// Counts a problem at the tag at hand.
    mutating func note(_ code: ExportProblemCode, count: Int = 1) {
        problems.note(code, count: count, at: problems.wantsPlace(code) ? place() : nil)
    }

    /// Counts what was mended in a text of the tag at hand.
    mutating func note(_ mending: ExportText.Mending) {
        if mending.controls > 0 { note(.controlCharacterDropped, count: mending.controls) }
        if mending.invalidUTF8 > 0 { note(.invalidUTF8Replaced, count: mending.invalidUTF8) }
        if mending.markup > 0 { note(.unescapedMarkup, count: mending.markup) }
        if mending.unknownEntities > 0 { note(.unknownEntity, count: mending.unknownEntities) }
        if mending.forbiddenReferences > 0 { note(.forbiddenReferenceDropped, count: mending.forbiddenReferences) }
    }

    private mutating func summarize() -> ExportSummary {
        var summary = ExportSummary()
        summary.entry = entry
        summary.byteCount = scanner.baseOffset + scanner.limit
        summary.locale = locale
        summary.exportVersion = scanner.exportVersion
        summary.exportDate = exportDate
        for name in ElementName.allCases where name != .unknown && elementCounts[Int(name.rawValue)] > 0 {
            summary.elements[name.text] = elementCounts[Int(name.rawValue)]
        }
        if recordsInCorrelations > 0 { summary.elements["Record (in Correlation)"] = recordsInCorrelations }
        if recordsInWorkouts > 0 { summary.elements["Record (in Workout)"] = recordsInWorkouts }
        for type in types where type.count + type.nestedCount > 0 {
            summary.types[tables.text(type.textID)] = ExportSummary.TypeSummary(
                count: type.count, nestedCount: type.nestedCount,
                first: Instant(secondsSince1970: Double(type.first)),
                last: Instant(secondsSince1970: Double(type.last)),
                units: type.units.map(tables.text).sorted())
        }
        for (number, count) in sourceCounts.enumerated() where count > 0 {
            summary.sources[tables.source(Int32(number)).name, default: 0] += count
        }
        summary.problems = problems
        if isBroken {
            let offset = scanner.cutTagOffset ?? summary.byteCount
            summary.brokenOffAt = ExportPlace(entry: entry, line: scanner.line(at: offset), offset: offset)
        }
        return summary
    }
}
