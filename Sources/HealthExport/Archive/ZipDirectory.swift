/// Reads the central directory of a zip (apple-health-export.md 1.1).
///
/// An own reader, not libarchive: sizes and checksums are to come from the central directory, names are to be seen as
/// raw bytes, single entries are to be opened by name in any order (a thousand routes, after the main file told their
/// names), overlapping and doubled entries are to be found *before* anything is unpacked, and a mismatch is an error.
/// libarchive's zip reader streams entries in order and decides these things itself. The unpacking is zlib's.
struct ZipDirectory {
    /// Entries of one archive; the largest export seen had some three thousand.
    static let entryLimit = 100_000
    /// Bytes of the central directory.
    static let byteLimit = 32 << 20
    /// An entry of the directory without name, extra fields and comment.
    private static let shortestEntry = 46
    /// The end record with the longest comment.
    private static let endSearchLimit = 22 + 65_535

    let entries: [ZipEntry]

    private struct End {
        var directoryOffset: Int
        var directorySize: Int
        var entryCount: Int
        /// Bytes before the archive that its offsets do not count.
        var shift: Int
    }

    /// Reads the directory.
    ///
    /// - Throws: `truncated_archive` when there is no end record, `damaged_archive` when it contradicts the file.
    init(_ file: FileRange) throws {
        let end = try Self.end(of: file)
        guard end.directorySize <= Self.byteLimit, end.entryCount <= Self.entryLimit else {
            throw ExportError.tooLarge(ExportPlace(entry: file.name), limit: Self.byteLimit)
        }
        // Each entry takes this much at least, so a number alone reserves no room.
        guard end.entryCount <= end.directorySize / Self.shortestEntry else {
            throw ExportError.damagedArchive(
                ExportPlace(entry: file.name, offset: end.directoryOffset),
                detail: "the directory names \(end.entryCount) entries, more than \(end.directorySize) bytes can hold")
        }
        let bytes = try file.bytes(at: end.directoryOffset, count: end.directorySize)
        var entries: [ZipEntry] = []
        entries.reserveCapacity(end.entryCount)
        var position = 0
        while position + Self.shortestEntry <= bytes.count, entries.count < Self.entryLimit {
            let record = LittleEndianBytes(bytes[position...])
            guard record.number32(0) == 0x0201_4B50 else { break }
            let length = Self.shortestEntry + record.number16(28) + record.number16(30) + record.number16(32)
            guard position + length <= bytes.count else { break }
            let fields = bytes[position..<position + length]
            entries.append(try Self.entry(fields, shift: end.shift, file))
            position += length
        }
        guard entries.count == end.entryCount else {
            throw ExportError.damagedArchive(
                ExportPlace(entry: file.name, offset: end.directoryOffset + position),
                detail: "the directory names \(end.entryCount) entries and holds \(entries.count)")
        }
        self.entries = entries
        try checkOverlaps(file, directoryOffset: end.directoryOffset)
    }

    private static func end(of file: FileRange) throws -> End {
        let start = max(0, file.count - endSearchLimit)
        let tail = try file.bytes(at: start, count: file.count - start)
        var index = tail.count - 22
        while index >= 0 {
            if tail[index] == 0x50 {
                let record = LittleEndianBytes(tail[index...])
                if record.number32(0) == 0x0605_4B50, index + 22 + record.number16(20) <= tail.count {
                    return try end(record, at: start + index, file)
                }
            }
            index -= 1
        }
        throw ExportError.truncatedArchive(path: file.name, bytes: file.count)
    }

    private static func end(_ record: LittleEndianBytes, at offset: Int, _ file: FileRange) throws -> End {
        var found = End(
            directoryOffset: record.number32(16), directorySize: record.number32(12), entryCount: record.number16(10),
            shift: 0)
        var limit = offset
        if let (large, place) = try largeEnd(before: offset, file) {
            found = large
            limit = place
        }
        found.shift = limit - found.directorySize - found.directoryOffset
        guard found.shift >= 0, found.directorySize >= 0, found.directoryOffset >= 0 else {
            throw ExportError.damagedArchive(
                ExportPlace(entry: file.name, offset: offset),
                detail: "the directory does not lie before the end record")
        }
        found.directoryOffset += found.shift
        return found
    }

    /// The zip64 end record, when its locator stands before the end record.
    private static func largeEnd(before offset: Int, _ file: FileRange) throws -> (End, Int)? {
        guard offset >= 20 else { return nil }
        let locator = LittleEndianBytes(try file.bytes(at: offset - 20, count: 20)[...])
        guard locator.number32(0) == 0x0706_4B50 else { return nil }
        // The place that the locator names, or, with bytes before the archive, the usual place right before the locator.
        for place in [Int(clamping: locator.number64(8)), offset - 20 - 56] where place >= 0 && place <= offset - 56 {
            let record = LittleEndianBytes(try file.bytes(at: place, count: 56)[...])
            guard record.number32(0) == 0x0606_4B50 else { continue }
            let end = End(
                directoryOffset: Int(clamping: record.number64(48)), directorySize: Int(clamping: record.number64(40)),
                entryCount: Int(clamping: record.number64(32)), shift: 0)
            guard end.directoryOffset <= place, end.directorySize <= place else { continue }
            return (end, place)
        }
        throw ExportError.damagedArchive(
            ExportPlace(entry: file.name, offset: offset - 20), detail: "the zip64 end record is not where it should be"
        )
    }

    private static func entry(_ fields: ArraySlice<UInt8>, shift: Int, _ file: FileRange) throws -> ZipEntry {
        let record = LittleEndianBytes(fields)
        let nameStart = fields.startIndex + shortestEntry
        let nameEnd = nameStart + record.number16(28)
        let flags = record.number16(8)
        var sizes = [record.number32(24), record.number32(20), record.number32(42)]
        let extra = fields[nameEnd..<nameEnd + record.number16(30)]
        try applyLargeSizes(extra, to: &sizes, file)
        guard sizes[2] <= file.count else {
            throw ExportError.damagedArchive(
                ExportPlace(entry: file.name, offset: sizes[2]), detail: "an entry lies beyond the end of the file")
        }
        return ZipEntry(
            name: ZipName.decode(fields[nameStart..<nameEnd]), method: record.number16(10),
            isEncrypted: flags & 1 != 0, isLink: record.number32(38) >> 28 == 0xA,
            checksum: UInt32(record.number32(16)), packedSize: sizes[1], size: sizes[0],
            headerOffset: sizes[2] + shift)
    }

    /// Replaces the sizes that stand as 0xFFFFFFFF by those of the zip64 field, which holds just the missing ones.
    private static func applyLargeSizes(
        _ extra: ArraySlice<UInt8>, to sizes: inout [Int], _ file: FileRange
    ) throws {
        guard sizes.contains(0xFFFF_FFFF) else { return }
        var position = extra.startIndex
        while position + 4 <= extra.endIndex {
            let header = LittleEndianBytes(extra[position...])
            let end = position + 4 + header.number16(2)
            guard end <= extra.endIndex else { break }
            if header.number16(0) == 0x0001 {
                var field = position + 4
                for index in sizes.indices where sizes[index] == 0xFFFF_FFFF && field + 8 <= end {
                    sizes[index] = Int(clamping: LittleEndianBytes(extra[field...]).number64(0))
                    field += 8
                }
                return
            }
            position = end
        }
    }

    /// Entries that share bytes are how a small archive unpacks to petabytes.
    private func checkOverlaps(_ file: FileRange, directoryOffset: Int) throws {
        var last = 0
        for entry in entries.sorted(by: { $0.headerOffset < $1.headerOffset }) {
            let (end, overflow) = entry.headerOffset.addingReportingOverflow(entry.packedSize)
            guard entry.headerOffset >= last, !overflow, end <= directoryOffset - 30 else {
                throw ExportError.damagedArchive(
                    ExportPlace(entry: entry.name, offset: entry.headerOffset),
                    detail: "its bytes overlap those of another entry or of the directory")
            }
            last = end + 30
        }
    }
}
