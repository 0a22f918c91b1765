import Testing

@testable import CanonicalJSON

/// What is done eight bytes at a time gives what one byte at a time gives.
@Suite("Fast paths")
struct FastPathTests {
    private func slow(_ text: [UInt8], escapesSolidus: Bool) -> [UInt8] {
        var output = Array("\"".utf8)
        for byte in text {
            switch byte {
            case 0x22: output += Array(#"\""#.utf8)
            case 0x5C: output += Array(#"\\"#.utf8)
            case 0x2F where escapesSolidus: output += Array(#"\/"#.utf8)
            case 0x08: output += Array(#"\b"#.utf8)
            case 0x09: output += Array(#"\t"#.utf8)
            case 0x0A: output += Array(#"\n"#.utf8)
            case 0x0C: output += Array(#"\f"#.utf8)
            case 0x0D: output += Array(#"\r"#.utf8)
            case 0..<0x20: output += Array(#"\u00"#.utf8) + Array("0123456789abcdef".utf8).pair(byte)
            default: output.append(byte)
            }
        }
        return output + Array("\"".utf8)
    }

    @Test("a string is escaped the same whatever byte stands where", arguments: [true, false])
    func escapes(escapesSolidus: Bool) {
        for byte in UInt8.min ... .max {
            for place in 0..<20 {
                // The neighbour beyond ASCII and the second special byte look for borrows between bytes.
                for filler: UInt8 in [0x41, 0xC3, 0x2F, 0x00] {
                    var text = [UInt8](repeating: filler, count: 20)
                    text[place] = byte
                    var output: [UInt8] = []
                    text.withUnsafeBufferPointer {
                        JSONText.append($0, escapesSolidus: escapesSolidus, to: &output)
                    }
                    #expect(output == slow(text, escapesSolidus: escapesSolidus), "\(byte) at \(place)")
                }
            }
        }
    }

    @Test("a value that its text declines leaves nothing behind, in an array, in an object and alone")
    func declinedText() throws {
        func written(_ isTaken: Bool, _ style: JSONStyle) throws -> String {
            var writer = JSONWriter(style: style)
            func value(_ writer: inout JSONWriter) throws {
                let isWritten = try writer.rawValue { bytes in
                    bytes += Array("\"text\"".utf8)
                    return isTaken
                }
                #expect(isWritten == isTaken)
                if !isWritten { try writer.value("text") }
            }
            try writer.beginArray()
            try value(&writer)
            try value(&writer)
            try writer.beginObject()
            writer.key("a")
            try value(&writer)
            writer.key("b")
            try value(&writer)
            try writer.endObject()
            try writer.endArray()
            return String(decoding: writer.takeBytes(), as: UTF8.self)
        }
        for style in [JSONStyle.compact, .daily] {
            #expect(try written(true, style) == written(false, style))
        }
        #expect(try written(true, .compact) == #"["text","text",{"a":"text","b":"text"}]"#)
    }

    @Test("white space of any length is skipped, wherever the buffer ends")
    func whiteSpace() throws {
        for count in 0..<40 {
            let space = String(repeating: " ", count: count)
            let text =
                "{\(space)\n\(space)\"a\"\(space):\(space)[\(space)1\(space),\t\(space)2\(space)]\(space)}\(space)"
            for step in [1, 7, 8, 9, 500] {
                var output: [UInt8] = []
                _ = try JSONCompactor().copy(
                    bufferByteCount: 64, reader: JSONTokenizerTests.reader(Array(text.utf8), step: step)
                ) { output.append(contentsOf: $0) }
                #expect(String(decoding: output, as: UTF8.self) == #"{"a":[1,2]}"#)
            }
            #expect(throws: JSONError.self) { try JSONCompactor().copy(Array("[1,\(space)".utf8)) }
        }
    }

    @Test("keys that differ in one byte or in their length have different hashes, equal ones the same")
    func keyHashes() {
        let key = JSONKeyHash.Key()
        func hash(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBufferPointer { JSONKeyHash.hash($0, key) } }
        var seen: [Int: [UInt8]] = [:]
        for count in 0..<40 {
            let base = [UInt8](repeating: 0, count: count)
            var variants = [base]
            for place in 0..<count {
                for byte: UInt8 in [1, 0x20, 0x41, 0x80, 0xFF] {
                    var other = base
                    other[place] = byte
                    variants.append(other)
                }
            }
            for variant in variants {
                let value = hash(variant)
                #expect(value == hash(variant))
                #expect(seen.updateValue(variant, forKey: value) == nil, "\(variant)")
            }
        }
    }
}

extension [UInt8] {
    /// Two hexadecimal digits.
    fileprivate func pair(_ byte: UInt8) -> [UInt8] { [self[Int(byte >> 4)], self[Int(byte & 15)]] }
}
