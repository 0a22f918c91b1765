/// Writes the packed forms of the day store: variable-length integers (LEB128), texts and doubles.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// Forgets what was written, keeps the room.
    mutating func clear() { bytes.removeAll(keepingCapacity: true) }

    var count: Int { bytes.count }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func count(_ value: Int) { unsigned(UInt64(value)) }

    /// Small positive and negative numbers alike in few bytes.
    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    mutating func double(_ value: Double) {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ value: String) {
        count(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    mutating func raw(_ value: UnsafeBufferPointer<UInt8>) {
        count(value.count)
        bytes.append(contentsOf: value)
    }

    /// Bytes as they are, without a length.
    mutating func append(_ value: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: value) }

    mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        byte(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    mutating func list<Value>(_ values: [Value], _ write: (inout ByteWriter, Value) -> Void) {
        count(values.count)
        for value in values { write(&self, value) }
    }
}

/// Reads what ``ByteWriter`` wrote. Every length is checked before it is used: a store may be damaged.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    /// The bytes must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The bytes do not say what they should.
    struct Damage: Error {}

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Damage() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func unsigned() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            guard shift < 64 else { throw Damage() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    mutating func count() throws -> Int {
        let value = try unsigned()
        // Every element takes a byte at least, so a count beyond the rest is damage, found before anything is reserved.
        guard value <= UInt64(bytes.count - position) else { throw Damage() }
        return Int(value)
    }

    /// A number of something that is kept elsewhere.
    mutating func index() throws -> Int {
        let value = try unsigned()
        guard value <= UInt64(Int32.max) else { throw Damage() }
        return Int(value)
    }

    mutating func signed() throws -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: (value >> 1) ^ (0 &- (value & 1)))
    }

    mutating func double() throws -> Double {
        guard position + 8 <= bytes.count else { throw Damage() }
        defer { position += 8 }
        return Double(
            bitPattern: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
    }

    mutating func text() throws -> String {
        let count = try count()
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    mutating func optional<Value>(_ read: (inout ByteReader) throws -> Value) throws -> Value? {
        try byte() == 0 ? nil : try read(&self)
    }

    mutating func list<Value>(_ read: (inout ByteReader) throws -> Value) throws -> [Value] {
        let count = try count()
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    mutating func skip(_ count: Int) throws {
        guard count >= 0, position + count <= bytes.count else { throw Damage() }
        position += count
    }
}
