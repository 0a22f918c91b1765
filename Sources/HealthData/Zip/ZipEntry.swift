import CanonicalJSON

/// One entry of a ZIP64 archive, in the forms of APPNOTE 4.3. Sizes and offsets always stand in the ZIP64 extra field.
struct ZipEntry: Sendable, Equatable {
    let name: String
    let date: CivilDate
    let checksum: UInt32
    let compressedByteCount: UInt64
    let byteCount: UInt64
    /// Of the local header.
    let offset: UInt64

    /// 4.5: the first version with ZIP64.
    private static let version: UInt16 = 45
    /// Bit 11: the name is UTF-8.
    private static let flags: UInt16 = 0x0800
    private static let deflated: UInt16 = 8
    private static let localSignature: UInt32 = 0x0403_4B50
    private static let centralSignature: UInt32 = 0x0201_4B50
    private static let localHeaderByteCount = 30
    /// Identifier, length, and the two sizes.
    private static let localExtraByteCount = 20
    private static let zip64ExtraID: UInt16 = 1

    /// The first byte behind the entry.
    var end: UInt64 {
        offset + UInt64(Self.localHeaderByteCount + name.utf8.count + Self.localExtraByteCount) + compressedByteCount
    }

    // MARK: Writing

    func localHeader() -> [UInt8] {
        var bytes = LittleEndianBytes()
        bytes.append(Self.localSignature)
        bytes.append(Self.version)
        appendCommon(to: &bytes)
        bytes.append(UInt16(Self.localExtraByteCount))
        bytes.append(name)
        bytes.append(Self.zip64ExtraID)
        bytes.append(UInt16(16))
        bytes.append(byteCount)
        bytes.append(compressedByteCount)
        return bytes.bytes
    }

    func centralHeader() -> [UInt8] {
        var bytes = LittleEndianBytes()
        bytes.append(Self.centralSignature)
        // Made on Unix, so that the mode below counts.
        bytes.append(UInt16(3 << 8) | Self.version)
        bytes.append(Self.version)
        appendCommon(to: &bytes)
        bytes.append(UInt16(28))
        bytes.append(UInt16(0))
        bytes.append(UInt16(0))
        bytes.append(UInt16(0))
        // A regular file that only its owner reads and writes.
        bytes.append(UInt32(0o100600) << 16)
        bytes.append(UInt32.max)
        bytes.append(name)
        bytes.append(Self.zip64ExtraID)
        bytes.append(UInt16(24))
        bytes.append(byteCount)
        bytes.append(compressedByteCount)
        bytes.append(offset)
        return bytes.bytes
    }

    /// From the flags to the length of the name, equal in both headers.
    private func appendCommon(to bytes: inout LittleEndianBytes) {
        bytes.append(Self.flags)
        bytes.append(Self.deflated)
        bytes.append(UInt16(0))
        let year = UInt16(max(0, min(127, date.year - 1980)))
        bytes.append(year << 9 | UInt16(date.month) << 5 | UInt16(date.day))
        bytes.append(checksum)
        bytes.append(UInt32.max)
        bytes.append(UInt32.max)
        bytes.append(UInt16(name.utf8.count))
    }

    /// ZIP64 end record, its locator and the classic end record, which says "look there" in every field.
    static func endRecords(entryCount: Int, directorySize: UInt64, directoryOffset: UInt64) -> [UInt8] {
        var bytes = LittleEndianBytes()
        bytes.append(UInt32(0x0606_4B50))
        bytes.append(UInt64(44))
        bytes.append(UInt16(3 << 8) | version)
        bytes.append(version)
        bytes.append(UInt32(0))
        bytes.append(UInt32(0))
        bytes.append(UInt64(entryCount))
        bytes.append(UInt64(entryCount))
        bytes.append(directorySize)
        bytes.append(directoryOffset)
        bytes.append(UInt32(0x0706_4B50))
        bytes.append(UInt32(0))
        bytes.append(directoryOffset + directorySize)
        bytes.append(UInt32(1))
        bytes.append(UInt32(0x0605_4B50))
        for _ in 0..<4 { bytes.append(UInt16.max) }
        bytes.append(UInt32.max)
        bytes.append(UInt32.max)
        bytes.append(UInt16(0))
        return bytes.bytes
    }

    // MARK: Reading

    /// Why a file cannot be continued.
    static func damage(_ reason: String) -> HealthDataError {
        .invalidSetting(key: "archiveExportFiles", reason: "the unfinished archive \(reason); start the export again")
    }

    /// Reads back an entry of ours from its local header.
    init(at offset: UInt64, reading read: ZipArchiveWriter.Reader) throws {
        let header = try read(offset, Self.localHeaderByteCount)
        guard header.count == Self.localHeaderByteCount, Self.number(header, 0, 4) == UInt64(Self.localSignature),
            Self.number(header, 8, 2) == UInt64(Self.deflated),
            Self.number(header, 28, 2) == UInt64(Self.localExtraByteCount)
        else { throw Self.damage("has another entry at byte \(offset)") }
        let nameByteCount = Int(Self.number(header, 26, 2))
        let rest = try read(offset + UInt64(header.count), nameByteCount + Self.localExtraByteCount)
        guard rest.count == nameByteCount + Self.localExtraByteCount,
            let name = String(validating: rest[..<nameByteCount], as: UTF8.self)
        else { throw Self.damage("ends inside the entry at byte \(offset)") }
        let date = Self.number(header, 12, 2)
        guard
            let day = CivilDate(
                year: 1980 + Int(date >> 9), month: Int(date >> 5 & 15), day: Int(date & 31))
        else { throw Self.damage("has an impossible date at byte \(offset)") }
        self.init(
            name: name, date: day, checksum: UInt32(Self.number(header, 14, 4)),
            compressedByteCount: Self.number(rest, nameByteCount + 12, 8),
            byteCount: Self.number(rest, nameByteCount + 4, 8), offset: offset)
    }

    init(
        name: String, date: CivilDate, checksum: UInt32, compressedByteCount: UInt64, byteCount: UInt64, offset: UInt64
    ) {
        self.name = name
        // What the archive can hold, so that an entry that is read back equals the one that was written.
        self.date = Self.clamped(date)
        self.checksum = checksum
        self.compressedByteCount = compressedByteCount
        self.byteCount = byteCount
        self.offset = offset
    }

    private static func clamped(_ date: CivilDate) -> CivilDate {
        if (1980...2107).contains(date.year) { return date }
        return CivilDate(year: date.year < 1980 ? 1980 : 2107, month: date.month, day: min(date.day, 28)) ?? date
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
    }
}

/// Little-endian integers, one after the other.
private struct LittleEndianBytes {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
