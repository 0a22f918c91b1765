/// Finds what is left of a zip whose end is missing, by its local headers from the start on (apple-health-export.md 1.1).
/// The result is partial by definition and must be called so.
enum ZipRescue {
    static func entries(of file: FileRange) throws -> [ZipEntry] {
        var entries: [ZipEntry] = []
        var position = 0
        while entries.count < ZipDirectory.entryLimit, let (entry, next) = try entry(at: position, file) {
            entries.append(entry)
            guard !entry.isCut else { break }
            position = next
        }
        return entries
    }

    private static func entry(at offset: Int, _ file: FileRange) throws -> (ZipEntry, Int)? {
        let header = try file.bytes(at: offset, count: 30)
        guard header.count == 30 else { return nil }
        let fields = LittleEndianBytes(header[...])
        guard fields.number32(0) == 0x0403_4B50 else { return nil }
        let nameLength = fields.number16(26)
        let extraLength = fields.number16(28)
        let variable = try file.bytes(at: offset + 30, count: nameLength + extraLength)
        guard variable.count == nameLength + extraLength else { return nil }
        let flags = fields.number16(6)
        var entry = ZipEntry(
            name: ZipName.decode(variable[..<nameLength]), method: fields.number16(8), isEncrypted: flags & 1 != 0,
            isLink: false, checksum: UInt32(fields.number32(14)), packedSize: fields.number32(18),
            size: fields.number32(22), headerOffset: offset, isRescued: true,
            dataOffset: offset + 30 + nameLength + extraLength)
        let hasLargeSizes = applyLargeSizes(variable[nameLength...], to: &entry)
        let dataStart = offset + 30 + nameLength + extraLength
        if flags & 8 != 0, entry.packedSize == 0 {
            return try withDescriptor(entry, dataStart, hasLargeSizes, file)
        }
        if entry.packedSize > file.count - dataStart {
            entry.packedSize = max(0, file.count - dataStart)
            entry.isCut = true
        }
        return (entry, dataStart + entry.packedSize)
    }

    private static func applyLargeSizes(_ extra: ArraySlice<UInt8>, to entry: inout ZipEntry) -> Bool {
        var position = extra.startIndex
        while position + 4 <= extra.endIndex {
            let header = LittleEndianBytes(extra[position...])
            let end = position + 4 + header.number16(2)
            guard end <= extra.endIndex else { return false }
            if header.number16(0) == 0x0001, header.number16(2) >= 16 {
                let field = LittleEndianBytes(extra[(position + 4)...])
                if entry.size == 0xFFFF_FFFF { entry.size = Int(clamping: field.number64(0)) }
                if entry.packedSize == 0xFFFF_FFFF { entry.packedSize = Int(clamping: field.number64(8)) }
                return true
            }
            position = end
        }
        return false
    }

    /// Sizes that stand behind the data are found by unpacking it once.
    private static func withDescriptor(
        _ entry: ZipEntry, _ dataStart: Int, _ hasLargeSizes: Bool, _ file: FileRange
    ) throws -> (ZipEntry, Int)? {
        var entry = entry
        guard entry.method == 8 else {
            entry.packedSize = max(0, file.count - dataStart)
            entry.isCut = true
            return (entry, file.count)
        }
        var position = dataStart
        let inflater = Inflater { buffer in
            let got = try file.read(into: buffer, at: position)
            position += got
            return got
        }
        let sink = UnsafeMutableRawBufferPointer.allocate(byteCount: Inflater.inputSize, alignment: 16)
        defer { sink.deallocate() }
        do {
            while try inflater.read(into: sink) > 0 {}
        } catch is Inflater.Failure {
            entry.packedSize = max(0, file.count - dataStart)
            entry.isCut = true
            return (entry, file.count)
        }
        entry.packedSize = inflater.usedCount
        var next = dataStart + inflater.usedCount
        let descriptor = try file.bytes(at: next, count: 24)
        guard descriptor.count == 24 else {
            entry.isCut = true
            return (entry, file.count)
        }
        let hasSignature = LittleEndianBytes(descriptor[...]).number32(0) == 0x0807_4B50
        let fields = LittleEndianBytes(descriptor[(hasSignature ? 4 : 0)...])
        entry.checksum = UInt32(fields.number32(0))
        entry.size = hasLargeSizes ? Int(clamping: fields.number64(12)) : fields.number32(8)
        next += (hasSignature ? 4 : 0) + (hasLargeSizes ? 20 : 12)
        return (entry, next)
    }
}
