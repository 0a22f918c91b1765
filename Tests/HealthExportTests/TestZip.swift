/// Builds small zips byte by byte, so that tests can make any of them wrong.
struct TestZip {
    struct Item {
        var name: [UInt8]
        var data: [UInt8]
        var method = 0
        var flags = 0
        var checksum: UInt32?
        var size: Int?
        var attributes: UInt32 = 0

        init(_ name: String, _ data: [UInt8]) {
            self.name = Array(name.utf8)
            self.data = data
        }

        init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
    }

    var items: [Item] = []
    /// Bytes before the first entry, which the offsets do not count.
    var prefix: [UInt8] = []
    var comment: [UInt8] = []
    /// Lets the second entry begin where the first does.
    var overlaps = false

    init(_ items: [Item]) { self.items = items }

    func bytes() -> [UInt8] {
        var output: [UInt8] = []
        var directory: [UInt8] = []
        for item in items {
            let offset = overlaps ? 0 : output.count
            let checksum = item.checksum ?? Self.crc32(item.data)
            let size = item.size ?? item.data.count
            let common =
                Self.u16(20) + Self.u16(item.flags) + Self.u16(item.method) + Self.u32(0) + Self.u32(Int(checksum))
                + Self.u32(item.data.count) + Self.u32(size) + Self.u16(item.name.count) + Self.u16(0)
            output += Self.u32(0x0403_4B50) + common + item.name + item.data
            directory +=
                Self.u32(0x0201_4B50) + Self.u16(0x0314) + common + Self.u16(0) + Self.u16(0) + Self.u16(0)
                + Self.u32(Int(item.attributes)) + Self.u32(offset) + item.name
        }
        let start = output.count
        output += directory
        output +=
            Self.u32(0x0605_4B50) + Self.u32(0) + Self.u16(items.count) + Self.u16(items.count)
            + Self.u32(directory.count) + Self.u32(start) + Self.u16(comment.count) + comment
        return prefix + output
    }

    private static func u16(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
    private static func u32(_ value: Int) -> [UInt8] { u16(value & 0xFFFF) + u16(value >> 16 & 0xFFFF) }

    static func crc32(_ data: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
