import DurableStore
import Glibc
import HealthRecords

/// Tells copies of a sample from samples of their own, in the sorter's order.
///
/// Of samples that last, those of the same source name, interval, unit and value are one (a re-synced copy differs in
/// creation date or version). Of instants, where equal entries can be real (two cups of coffee), only those that agree
/// in everything are. A nested record whose twin stands at the top level is that twin (apple-health-export.md 8, 9).
struct SampleGroup {
    enum Verdict {
        case new, copy, twin
    }

    /// Forms of one instant that are remembered; the rest pass as new.
    private static let formLimit = 64

    private var day: Int32 = 0
    private var type: Int32 = -1
    private var start: Int64 = 0
    private var identity: [UInt8] = []
    private var forms: [[UInt8]] = []

    mutating func accept(_ item: RecordSorter.Item) -> Verdict {
        let isNested = item.bytes[item.identityCount] == 1
        guard item.type == type, item.day == day, item.start == start, item.identityCount == identity.count,
            identity.withUnsafeBufferPointer({ memcmp($0.baseAddress!, item.bytes.baseAddress!, $0.count) == 0 })
        else {
            begin(item)
            return .new
        }
        // The top level sorts before the nested, so a nested one behind another of the group has its twin.
        if isNested { return .twin }
        // The first byte of the identity is 0 when the sample has no length.
        if item.bytes[0] != 0 { return .copy }
        let rest = item.bytes[item.identityCount...]
        if forms.contains(where: { rest.elementsEqual($0) }) { return .copy }
        if forms.count < Self.formLimit { forms.append(Array(rest)) }
        return .new
    }

    private mutating func begin(_ item: RecordSorter.Item) {
        day = item.day
        type = item.type
        start = item.start
        identity.removeAll(keepingCapacity: true)
        identity.append(contentsOf: item.bytes[..<item.identityCount])
        forms.removeAll(keepingCapacity: true)
        if item.bytes[0] == 0 { forms.append(Array(item.bytes[item.identityCount...])) }
    }
}

/// Gathers the sorted records of one type of one day into rows of the database.
struct BlockBuilder {
    /// A row that is ready.
    struct Block {
        var day: Int32
        var type: Int32
        var part: Int
        var count: Int
        var lastDay: Int
        var firstStart: Int64
        var bytes: [UInt8]

        func insert(_ statement: Statement) throws {
            try statement.bind(1, Int64(day))
            try statement.bind(2, Int64(type))
            try statement.bind(3, Int64(part))
            try statement.bind(4, Int64(count))
            try statement.bind(5, Int64(lastDay))
            try statement.bind(6, firstStart)
            try bytes.withUnsafeBytes { try statement.bind(7, $0) }
            try statement.run()
        }
    }

    private let zone: CalendarZone
    private var day: Int32 = 0
    private var type: Int32 = -1
    private var part = 0
    private var count = 0
    private var firstStart: Int64 = 0
    private var lastStart: Int64 = 0
    private var lastEnd: Int64 = 0
    private var writer = ByteWriter()

    init(zone: CalendarZone) { self.zone = zone }

    /// Adds a record; gives the block before it when that is full or of another type or day.
    mutating func add(_ item: RecordSorter.Item) -> Block? {
        var ready: Block?
        let isOther = item.type != type || item.day != day
        if count > 0, isOther || writer.count + item.bytes.count > DayStoreSchema.blockSize {
            ready = finish()
            part += 1
        }
        if isOther {
            type = item.type
            day = item.day
            part = 0
        }
        if count == 0 {
            firstStart = item.start
            lastStart = item.start
            lastEnd = item.start
        }
        writer.unsigned(UInt64(item.start &- lastStart))
        writer.append(item.bytes)
        lastStart = item.start
        lastEnd = max(lastEnd, item.start &+ Self.length(item.bytes))
        count += 1
        return ready
    }

    /// The block so far; nil when there is none.
    mutating func finish() -> Block? {
        guard count > 0 else { return nil }
        let end = zone.dayNumber(atSecond: Int(clamping: lastEnd))
        let block = Block(
            day: day, type: type, part: part, count: count, lastDay: max(Int(day), end), firstStart: firstStart,
            bytes: writer.bytes)
        writer.clear()
        count = 0
        return block
    }

    /// The first field of a packed record: its length in seconds.
    private static func length(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        var reader = ByteReader(UnsafeRawBufferPointer(bytes))
        // The bytes were written by this program a moment ago.
        guard let length = try? reader.signed() else { preconditionFailure("a packed record begins with its length") }
        return length
    }
}
