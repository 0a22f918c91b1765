import HealthRecords

/// One `Record` as the reader lends it: numbers, and bytes that are valid only during the call that hands it over.
///
/// Nothing here allocates. What is to be kept is copied out, or built with ``materialized()``.
public struct RecordView {
    /// Which element the record stands in.
    public enum Parent: UInt8, Sendable {
        /// `HealthData` itself.
        case none
        /// A `Correlation`: a top-level twin usually exists.
        case correlation
        /// A `Workout`.
        case workout
    }

    /// What the value is.
    public enum Kind: UInt8, Sendable {
        /// A finite number with a unit.
        case quantity
        /// An enumeration name.
        case category
        /// No value attribute.
        case none
        /// Value and unit do not fit each other.
        case unreadable
    }

    /// Number of the type's text in ``ExportTables``.
    public internal(set) var typeID: Int32 = -1
    /// Number of the source in ``ExportTables``.
    public internal(set) var sourceID: Int32 = -1
    /// Number of the unit's text; -1 without a unit.
    public internal(set) var unitID: Int32 = -1
    /// Where it stands.
    public internal(set) var parent = Parent.none
    /// What its value is.
    public internal(set) var kind = Kind.none
    /// The number of a quantity.
    public internal(set) var number = 0.0
    var mantissa: Int64 = 0
    var scale: Int8 = -1
    /// Seconds since 1970.
    public internal(set) var startSeconds: Int64 = 0
    /// Seconds since 1970.
    public internal(set) var endSeconds: Int64 = 0
    /// Seconds since 1970; ``noDate`` when absent.
    public internal(set) var createdSeconds: Int64 = RecordView.noDate
    /// The byte offset of the element in the unpacked file.
    public internal(set) var offset = 0
    /// The order in the file, from 0.
    public internal(set) var index = 0

    var valueSpan = RecordScratch.Span(start: 0, count: -1)
    unowned(unsafe) let scratch: RecordScratch
    unowned(unsafe) let tables: ExportTables

    /// Stands for an absent date.
    public static let noDate = ExportDateReader.none

    init(scratch: RecordScratch, tables: ExportTables) {
        self.scratch = scratch
        self.tables = tables
    }

    /// The text of a category or an unreadable value; nil without a value.
    public var valueBytes: UnsafeBufferPointer<UInt8>? {
        valueSpan.count < 0 ? nil : scratch.bytes(valueSpan)
    }

    /// Number of metadata entries.
    public var metadataCount: Int { scratch.metadata.count }

    /// Number of beats.
    public var beatCount: Int { scratch.beats.count }

    /// The value of the first metadata entry with this key.
    public func metadataValue(_ key: String) -> String? {
        for entry in scratch.metadata where tables.text(entry.key) == key {
            return String(decoding: scratch.bytes(entry.value), as: UTF8.self)
        }
        return nil
    }

    /// The record as a value of its own, without a digest.
    public func materialized() -> HealthRecord {
        let text = valueBytes.map { String(decoding: $0, as: UTF8.self) }
        let unit = unitID >= 0 ? tables.text(unitID) : nil
        let value: RecordValue =
            switch kind {
            case .quantity: .quantity(number, unit: unit ?? "")
            case .category: .category(text ?? "")
            case .none: .none
            case .unreadable: .unreadable(value: text, unit: unit)
            }
        return HealthRecord(
            type: tables.text(typeID), source: tables.source(sourceID), value: value,
            start: Instant(secondsSince1970: Double(startSeconds)), end: Instant(secondsSince1970: Double(endSeconds)),
            created: createdSeconds == Self.noDate ? nil : Instant(secondsSince1970: Double(createdSeconds)),
            metadata: scratch.metadata.map { entry in
                MetadataEntry(
                    key: tables.text(entry.key), value: String(decoding: scratch.bytes(entry.value), as: UTF8.self))
            },
            beats: scratch.beats.map { beat in
                Beat(
                    beatsPerMinute: beat.beatsPerMinute,
                    time: String(decoding: scratch.bytes(beat.time), as: UTF8.self))
            })
    }
}

/// The variable part of the record at hand: value text, metadata, beats. Reused from record to record, so it must
/// outlive the tag buffer that the texts came from, and it is bounded.
final class RecordScratch {
    /// Bytes of texts kept of one record; entries beyond it are reported and not kept.
    static let byteLimit = 1 << 20
    /// Metadata entries and beats kept of one record; HRV records have some sixty beats.
    static let entryLimit = 10_000

    struct Span {
        var start: Int32
        var count: Int32
    }

    struct Entry {
        var key: Int32
        var value: Span
    }

    struct BeatSpan {
        var beatsPerMinute: Double
        var time: Span
    }

    private let arena: UnsafeMutablePointer<UInt8>
    private let entries: UnsafeMutablePointer<Entry>
    private let beatSpans: UnsafeMutablePointer<BeatSpan>
    private var byteCount = 0
    private var entryCount = 0
    private var beatCount = 0
    private var decoded: [UInt8] = []

    init() {
        // Room that costs nothing until it is touched.
        arena = .allocate(capacity: Self.byteLimit)
        entries = .allocate(capacity: Self.entryLimit)
        beatSpans = .allocate(capacity: Self.entryLimit)
    }

    deinit {
        arena.deallocate()
        entries.deallocate()
        beatSpans.deallocate()
    }

    var metadata: UnsafeBufferPointer<Entry> { UnsafeBufferPointer(start: entries, count: entryCount) }
    var beats: UnsafeBufferPointer<BeatSpan> { UnsafeBufferPointer(start: beatSpans, count: beatCount) }

    func bytes(_ span: Span) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: arena + Int(span.start), count: Int(span.count))
    }

    /// Forgets the last record.
    @inline(__always)
    func clear() {
        byteCount = 0
        entryCount = 0
        beatCount = 0
    }

    /// Copies the text of a raw value; nil when the record's room is used up.
    func add(_ raw: UnsafeBufferPointer<UInt8>, _ mending: inout ExportText.Mending?) -> Span? {
        if ExportText.isPlain(raw) { return append(raw) }
        decoded.removeAll(keepingCapacity: true)
        let found = ExportText.decode(raw, into: &decoded)
        mending = found.isNone ? nil : found
        return decoded.withUnsafeBufferPointer { append($0) }
    }

    private func append(_ text: UnsafeBufferPointer<UInt8>) -> Span? {
        guard byteCount + text.count <= Self.byteLimit else { return nil }
        let start = byteCount
        if let base = text.baseAddress { (arena + start).update(from: base, count: text.count) }
        byteCount += text.count
        return Span(start: Int32(start), count: Int32(text.count))
    }

    /// Adds a metadata entry; false when there are too many.
    func add(key: Int32, value: Span) -> Bool {
        guard entryCount < Self.entryLimit else { return false }
        (entries + entryCount).initialize(to: Entry(key: key, value: value))
        entryCount += 1
        return true
    }

    /// Adds a beat; false when there are too many.
    func add(beatsPerMinute: Double, time: Span) -> Bool {
        guard beatCount < Self.entryLimit else { return false }
        (beatSpans + beatCount).initialize(to: BeatSpan(beatsPerMinute: beatsPerMinute, time: time))
        beatCount += 1
        return true
    }
}
