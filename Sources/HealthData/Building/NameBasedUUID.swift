import Foundation

/// Version 5 UUIDs of record digests, for identities that an export does not carry (health-data.md 10.2.1).
enum NameBasedUUID {
    /// The namespace of our content digests; random, fixed for good.
    private static let namespace: [UInt8] = [
        0x8F, 0x1C, 0x2E, 0x64, 0x5B, 0x0D, 0x4A, 0x37, 0x9E, 0x52, 0xC3, 0x7A, 0x10, 0xD8, 0x46, 0xB9,
    ]

    /// What stands in metadata beside such an identity.
    static let metadataKey = "healthmd_id_source"
    /// Its value.
    static let metadataValue = "apple_health_export_content_digest"

    /// The UUID of a name (RFC 9562, 5.5).
    static func uuid(_ name: [UInt8]) -> UUID {
        var bytes = Array(SHA1.hash(namespace + name)[..<16])
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}

/// SHA-1, for naming only: version 5 UUIDs are defined with it. Nothing is authenticated by it.
enum SHA1 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bitCount = UInt64(message.count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * UInt64($0))) }
        for block in stride(from: 0, to: padded.count, by: 64) { compress(padded[block..<block + 64], into: &state) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = [UInt32](repeating: 0, count: 80)
        for index in 0..<16 {
            let start = block.startIndex + index * 4
            words[index] = block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (mix, constant): (UInt32, UInt32)
            switch index {
            case 0..<20: (mix, constant) = (b & c | ~b & d, 0x5A82_7999)
            case 20..<40: (mix, constant) = (b ^ c ^ d, 0x6ED9_EBA1)
            case 40..<60: (mix, constant) = (b & c | b & d | c & d, 0x8F1B_BCDC)
            default: (mix, constant) = (b ^ c ^ d, 0xCA62_C1D6)
            }
            let next = rotate(a, 5) &+ mix &+ e &+ constant &+ words[index]
            (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
        }
        for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word << count | word >> (32 - count) }
}
