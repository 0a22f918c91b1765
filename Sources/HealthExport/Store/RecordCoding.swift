import HealthRecords

/// The packed form of one record in the day store.
///
/// Row-wise, not columnar: a day is always read whole, and a row of some fifteen bytes leaves a column nothing to win.
/// The *identity* comes first (end, source name, unit, value), so that rows sorted by their bytes have equal samples
/// side by side; then whether the record was nested, then what a copy may differ in.
///
///     signed    end − start, seconds
///     unsigned  number of the source's name + 1
///     unsigned  number of the unit + 1; 0 without
///     value     see `writeValue`
///     -- end of the identity
///     byte      0 top level, 1 inside another element
///     unsigned  number of the source
///     unsigned  0 without creation date, else 1 + zigzag(created − end)
///     list      metadata: number of the key, text
///     list      beats: double, text
enum RecordCoding {
    /// Tags of values; a decimal with n places is `decimal + n`.
    private enum Tag {
        static let none: UInt8 = 0
        static let double: UInt8 = 1
        static let category: UInt8 = 2
        static let knownCategory: UInt8 = 3
        static let unreadable: UInt8 = 4
        static let unreadableAbsent: UInt8 = 5
        static let decimal: UInt8 = 8
    }

    /// Appends the packed form; returns how many of its bytes are the identity.
    static func write(_ view: RecordView, nameID: Int32, to writer: inout ByteWriter) -> Int {
        let start = writer.count
        writer.signed(view.endSeconds &- view.startSeconds)
        writer.unsigned(UInt64(nameID + 1))
        writer.unsigned(UInt64(view.unitID + 1))
        writeValue(view, to: &writer)
        let identity = writer.count - start
        writer.byte(view.parent == .none ? 0 : 1)
        writer.unsigned(UInt64(view.sourceID))
        if view.createdSeconds == RecordView.noDate {
            writer.byte(0)
        } else {
            let delta = view.createdSeconds &- view.endSeconds
            writer.unsigned(1 &+ UInt64(bitPattern: (delta << 1) ^ (delta >> 63)))
        }
        writer.count(view.scratch.metadata.count)
        for entry in view.scratch.metadata {
            writer.unsigned(UInt64(entry.key))
            writer.raw(view.scratch.bytes(entry.value))
        }
        writer.count(view.scratch.beats.count)
        for beat in view.scratch.beats {
            writer.double(beat.beatsPerMinute)
            writer.raw(view.scratch.bytes(beat.time))
        }
        return identity
    }

    private static func writeValue(_ view: RecordView, to writer: inout ByteWriter) {
        switch view.kind {
        case .none: writer.byte(Tag.none)
        case .quantity:
            if view.scale >= 0 {
                writer.byte(Tag.decimal + UInt8(view.scale))
                writer.signed(view.mantissa)
            } else {
                writer.byte(Tag.double)
                writer.double(view.number)
            }
        case .category:
            let text = view.valueBytes ?? UnsafeBufferPointer(start: nil, count: 0)
            // The table decodes what it is given, so only a text that is its own raw form may go through it.
            if ExportText.isPlain(text), let number = view.tables.texts.number(text) {
                writer.byte(Tag.knownCategory)
                writer.unsigned(UInt64(number))
            } else {
                writer.byte(Tag.category)
                writer.raw(text)
            }
        case .unreadable:
            if let text = view.valueBytes {
                writer.byte(Tag.unreadable)
                writer.raw(text)
            } else {
                writer.byte(Tag.unreadableAbsent)
            }
        }
    }

    /// What numbers in a row refer to.
    struct Names {
        var texts: [String]
        var sources: [RecordSource]

        func text(_ number: Int) throws -> String {
            guard texts.indices.contains(number) else { throw ByteReader.Damage() }
            return texts[number]
        }

        func source(_ number: Int) throws -> RecordSource {
            guard sources.indices.contains(number) else { throw ByteReader.Damage() }
            return sources[number]
        }
    }

    /// Reads one row whose start is known. `isWanted` is asked with its end, in seconds; an unwanted row is passed over
    /// and nil.
    static func read(
        _ reader: inout ByteReader, type: String, start: Int64, names: Names, isWanted: (Int64) -> Bool
    ) throws -> HealthRecord? {
        let end = start &+ (try reader.signed())
        _ = try reader.unsigned()
        let unitNumber = try reader.index()
        guard isWanted(end) else {
            try skipRest(&reader)
            return nil
        }
        let unit = unitNumber == 0 ? nil : try names.text(unitNumber - 1)
        let value = try readValue(&reader, unit: unit, names)
        _ = try reader.byte()
        let source = try names.source(try reader.index())
        let created = try reader.unsigned()
        var record = HealthRecord(
            type: type, source: source, value: value, start: Instant(secondsSince1970: Double(start)),
            end: Instant(secondsSince1970: Double(end)))
        if created > 0 {
            let zigzag = created - 1
            let delta = Int64(bitPattern: (zigzag >> 1) ^ (0 &- (zigzag & 1)))
            record.created = Instant(secondsSince1970: Double(end &+ delta))
        }
        record.metadata = try reader.list { reader in
            MetadataEntry(key: try names.text(try reader.index()), value: try reader.text())
        }
        record.beats = try reader.list { reader in
            Beat(beatsPerMinute: try reader.double(), time: try reader.text())
        }
        return record
    }

    private static func readValue(
        _ reader: inout ByteReader, unit: String?, _ names: Names
    ) throws -> RecordValue {
        let tag = try reader.byte()
        switch tag {
        case Tag.none: return .none
        case Tag.double: return .quantity(try reader.double(), unit: unit ?? "")
        case Tag.category: return .category(try reader.text())
        case Tag.knownCategory: return .category(try names.text(try reader.index()))
        case Tag.unreadable: return .unreadable(value: try reader.text(), unit: unit)
        case Tag.unreadableAbsent: return .unreadable(value: nil, unit: unit)
        case Tag.decimal...Tag.decimal + 22:
            // The same division that read the text, so the same number.
            let mantissa = try reader.signed()
            return .quantity(Double(mantissa) / ExportNumber.powers[Int(tag - Tag.decimal)], unit: unit ?? "")
        default: throw ByteReader.Damage()
        }
    }

    private static func skipRest(_ reader: inout ByteReader) throws {
        switch try reader.byte() {
        case Tag.none, Tag.unreadableAbsent: break
        case Tag.double: try reader.skip(8)
        case Tag.category, Tag.unreadable: try reader.skip(try reader.count())
        default: _ = try reader.unsigned()
        }
        _ = try reader.byte()
        _ = try reader.unsigned()
        _ = try reader.unsigned()
        for _ in 0..<(try reader.count()) {
            _ = try reader.unsigned()
            try reader.skip(try reader.count())
        }
        for _ in 0..<(try reader.count()) {
            try reader.skip(8)
            try reader.skip(try reader.count())
        }
    }
}
