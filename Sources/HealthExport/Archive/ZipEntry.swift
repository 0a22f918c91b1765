/// One entry of a zip, from its central directory.
struct ZipEntry {
    /// As decoded; slashes between the parts.
    var name: String
    /// 0 stored, 8 deflated.
    var method: Int
    var isEncrypted: Bool
    /// A symbolic link: never followed.
    var isLink: Bool
    var checksum: UInt32
    var packedSize: Int
    var size: Int
    /// Where the local header stands.
    var headerOffset: Int
    /// Found by looking for local headers in an archive without an end: size and checksum may be unknown.
    var isRescued = false
    /// The archive ends inside this entry.
    var isCut = false
    /// Where the data begins; known for rescued entries.
    var dataOffset: Int?

    /// A folder, which has no bytes.
    var isFolder: Bool { name.hasSuffix("/") }
}

/// Numbers in the byte order of zip.
struct LittleEndianBytes {
    let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    func number16(_ offset: Int) -> Int { Int(byte(offset)) | Int(byte(offset + 1)) << 8 }
    func number32(_ offset: Int) -> Int { number16(offset) | number16(offset + 2) << 16 }
    func number64(_ offset: Int) -> UInt64 {
        UInt64(number32(offset)) | UInt64(number32(offset + 4)) << 32
    }

    private func byte(_ offset: Int) -> UInt8 { bytes[bytes.startIndex + offset] }
}

/// Names of zip entries: UTF-8 when the bytes are UTF-8, whatever the flag says, else code page 437.
enum ZipName {
    private static let codePage437 = Array(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}"
    )

    static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(
            bytes.map { $0 < 0x80 ? Character(Unicode.Scalar($0)) : codePage437[Int($0) - 0x80] })
    }
}
