import CZlib

/// The bytes of one zip entry, unpacked, counted and checked as they pass.
///
/// Size and checksum are compared at the end: a mismatch is an error. An entry that the end of the archive cuts off
/// gives what is there and says so in `isCut`.
final class ZipEntryStream: ByteSource {
    private let file: FileRange
    private let entry: ZipEntry
    private let dataStart: Int
    private var inflater: Inflater?
    private var packedPosition = 0
    private var count = 0
    private var checksum: UInt
    private var isAtEnd = false
    /// Set when the archive ended inside the entry.
    private(set) var isCut = false

    init(_ file: FileRange, _ entry: ZipEntry) throws {
        self.file = file
        self.entry = entry
        checksum = crc32(0, nil, 0)
        let place = ExportPlace(entry: entry.name)
        guard !entry.isEncrypted else { throw ExportError.encryptedEntry(place) }
        guard entry.method == 0 || entry.method == 8 else {
            throw ExportError.unsupportedMethod(place, method: entry.method)
        }
        dataStart = try entry.dataOffset ?? Self.dataStart(file, entry)
        guard entry.isCut || dataStart + entry.packedSize <= file.count else {
            throw ExportError.damagedArchive(place, detail: "its bytes reach beyond the archive")
        }
        if entry.method == 8 {
            inflater = Inflater { [unowned self] buffer in try self.readPacked(into: buffer) }
        }
    }

    private static func dataStart(_ file: FileRange, _ entry: ZipEntry) throws -> Int {
        let header = try file.bytes(at: entry.headerOffset, count: 30)
        guard header.count == 30, LittleEndianBytes(header[...]).number32(0) == 0x0403_4B50 else {
            throw ExportError.damagedArchive(
                ExportPlace(entry: entry.name, offset: entry.headerOffset), detail: "its local header is missing")
        }
        let fields = LittleEndianBytes(header[...])
        return entry.headerOffset + 30 + fields.number16(26) + fields.number16(28)
    }

    private func readPacked(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let wanted = min(buffer.count, entry.packedSize - packedPosition)
        guard wanted > 0 else { return 0 }
        let got = try file.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: dataStart + packedPosition)
        packedPosition += got
        return got
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !isAtEnd else { return 0 }
        var got = 0
        do {
            got = try inflater?.read(into: buffer) ?? readPacked(into: buffer)
        } catch is Inflater.Failure {
            guard entry.isCut || entry.isRescued else { throw mismatch }
            // What a rescued entry still gives ends here.
            isCut = true
        }
        if got == 0 {
            isAtEnd = true
            try checkEnd()
            return 0
        }
        count += got
        guard entry.isRescued || count <= entry.size else { throw mismatch }
        checksum = crc32_z(checksum, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), got)
        return got
    }

    private var mismatch: ExportError {
        ExportError.checksumMismatch(ExportPlace(entry: entry.name, offset: count))
    }

    private func checkEnd() throws {
        if entry.isCut { isCut = true }
        guard !isCut else { return }
        guard count == entry.size, UInt32(checksum) == entry.checksum,
            (inflater?.usedCount ?? packedPosition) == entry.packedSize
        else { throw mismatch }
    }
}
