import Foundation
import HMDCItem
import TestSupport
import Testing

/// Items of protocol versions 1 to 3 (hmdcitem.md 8).
@Suite struct JSONFormTests {
    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try ItemJSON.encode(value), as: UTF8.self)
    }

    @Test("text is compact, keys are sorted, slashes and what is not ASCII stand raw")
    func shape() throws {
        #expect(try text(["b/é": ["😀", "\u{7F}"], "a": []]) == "{\"a\":[],\"b/é\":[\"😀\",\"\u{7F}\"]}")
    }

    @Test("control characters, quotes and backslashes are escaped, with short escapes where there are any")
    func escapes() throws {
        let all = String(String.UnicodeScalarView((0..<0x20).map { Unicode.Scalar(UInt8($0)) }))
        let expected =
            "\"\\u0000\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\b\\t\\n\\u000b\\f\\r\\u000e\\u000f"
            + "\\u0010\\u0011\\u0012\\u0013\\u0014\\u0015\\u0016\\u0017\\u0018\\u0019\\u001a\\u001b\\u001c\\u001d\\u001e\\u001f"
            + "\\\"\\\\\""
        #expect(try text(all + "\"\\") == expected)
        #expect(try ItemJSON.decode(String.self, from: Array(expected.utf8)) == all + "\"\\")
    }

    @Test("numbers are the shortest that read back, without .0 for whole values")
    func numbers() throws {
        let values = [
            0, -0.0, 1, -2.5, 721_692_800, 0.1, 1e15, 1e16, 1e-5, .leastNonzeroMagnitude, 1.7976931348623157e308,
        ]
        #expect(
            try text(values)
                == "[0,-0,1,-2.5,721692800,0.1,1000000000000000,1e+16,1e-05,5e-324,1.7976931348623157e+308]")
        #expect(try text([Float(0.1)]) == "[0.1]")
        #expect(try text([Int64.min]) == "[-9223372036854775808]" && text([UInt64.max]) == "[18446744073709551615]")
    }

    private struct Types: Codable, Equatable {
        var data: Data
        var date: Date
        var url: URL
        var uuid: UUID
    }

    @Test("dates are numbers, data are Base64, UUIDs and URLs are strings")
    func types() throws {
        let value = Types(
            data: Data([251, 255, 254, 1]), date: Date(timeIntervalSinceReferenceDate: 0.5),
            url: try #require(URL(string: "https://example.org/a")),
            uuid: try #require(UUID(uuidString: "0e984725-c51c-4bf4-9960-e1c80e27aba0")))
        #expect(
            try text(value)
                == #"{"data":"+//+AQ==","date":0.5,"url":"https://example.org/a","uuid":"0E984725-C51C-4BF4-9960-E1C80E27ABA0"}"#
        )
        #expect(try ItemJSON.decode(Types.self, from: try ItemJSON.encode(value)) == value)
    }

    @Test("Base64 of every length agrees with Foundation, streamed in any pieces")
    func base64() throws {
        var random = SplitMix64(seed: 64)
        for length in 0..<70 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let expected = "\"" + Data(bytes).base64EncodedString() + "\""
            #expect(try text(Data(bytes)) == expected)
            let source = CrumblingSource(bytes, seed: UInt64(length))
            #expect(try text(ItemData.streamed(ItemRegion(source))) == expected)
            #expect(try ItemJSON.decode(Data.self, from: Array(expected.utf8)) == Data(bytes))
        }
        for wrong in ["A", "AA", "AAA", "AB==", "AAB=", "A===", "====", "AA=A", "AA A", "AA-_", "AAAA="] {
            #expect(
                try itemError { _ = try ItemJSON.decode(Data.self, from: Array("\"\(wrong)\"".utf8)) } != nil,
                "\(wrong)")
        }
    }

    @Test("a streamed document is escaped in pieces, with the same text as in memory")
    func streamed() throws {
        let document = String(repeating: "{\"é\" : \"\n😀\\\"}", count: 500)
        let plain = try ItemJSON.encode(StreamingTests.rawDay(.inMemory(document)))
        let region = ItemRegion(CrumblingSource(Array(document.utf8), seed: 3))
        #expect(try ItemJSON.encode(StreamingTests.rawDay(.streamed(region))) == plain)
        let decoded = try ItemJSON.decode(StrictRawDayEnvelope.self, from: plain)
        #expect(decoded.day.canonicalDailyJSON == .inMemory(document))
        let metadata = try ItemJSON.decode(
            StrictRawDayEnvelope.self, from: plain, omittedKeys: ["canonical_daily_json"])
        #expect(metadata.day.canonicalDailyJSON == nil && metadata.day.recordCount == 3)
    }

    @Test("numbers are read by the type that asks, as long as they are exact")
    func lenientNumbers() throws {
        func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
            try ItemJSON.decode(type, from: Array(text.utf8))
        }
        #expect(try read(Int.self, "5.0") == 5 && read(Int.self, "5e2") == 500 && read(Double.self, "5") == 5)
        #expect(try read(UInt64.self, "18446744073709551615") == .max)
        #expect(try read(Date.self, "721692800") == FixtureTests.instant)
        for wrong in ["5.5", "9223372036854775808", "1e40"] {
            #expect(try itemError { _ = try read(Int.self, wrong) }?.code == "integer_out_of_range")
        }
        #expect(try itemError { _ = try read(UInt.self, "-1") }?.code == "integer_out_of_range")
        #expect(try itemError { _ = try read(Int8.self, "128") }?.code == "integer_out_of_range")
        #expect(try itemError { _ = try read(Double.self, "1e999") }?.code == "number_not_finite")
        #expect(try itemError { _ = try read(Int.self, "\"5\"") }?.code == "type_mismatch")
        #expect(try itemError { _ = try read(Bool.self, "1") }?.code == "type_mismatch")
    }

    @Test("key order, white space and escapes of another writer do not matter")
    func otherWriters() throws {
        let text = """
            { "sourceDate" : 7.216928e8 ,\r\n\t"isRequestedDate": true, "unknown": [1, {"a": null}],
              "externalDailyRecords":[ ] , "failure": {"reason":"device_lo\\u0063ked", "date":721692800, "errorDetails":"\\ud83d\\ude00\\/"} }
            """
        let envelope = try ItemJSON.decode(HealthDayEnvelope<ItemNode>.self, from: Array(text.utf8))
        let failure = DayFailure(date: FixtureTests.instant, reason: .deviceLocked, errorDetails: "😀/")
        #expect(
            envelope
                == HealthDayEnvelope<ItemNode>(
                    sourceDate: FixtureTests.instant, isRequestedDate: true, failure: failure))
    }

    @Test(
        "what is no JSON is refused",
        arguments: [
            "", " ", "{", "}", "[1,]", "[,1]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "[1 2]", "01", "1.", ".5", "+1", "-",
            "1e", "0x1", "tru", "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
            "\"\n\"", "[1]x", "NaN", "Infinity",
        ])
    func syntax(text: String) throws {
        let error = try itemError { _ = try ItemJSON.decode(ItemNode.self, from: Array(text.utf8)) }
        #expect(error?.code == "json_syntax")
    }

    @Test("a key twice, bytes that are not UTF-8, too much nesting and a binary item are refused by name")
    func otherFaults() throws {
        func code(_ bytes: [UInt8]) throws -> String? {
            try itemError { _ = try ItemJSON.decode(ItemNode.self, from: bytes) }?.code
        }
        #expect(try code(Array("{\"a\":1,\"a\":2}".utf8)) == "json_duplicate_key")
        #expect(try code(Array("{\"\\u0061\":1,\"a\":2}".utf8)) == "json_duplicate_key")
        #expect(try code([0x22, 0xFF, 0x22]) == "json_not_utf8")
        func nested(_ depth: Int) -> [UInt8] {
            Array(String(repeating: "[", count: depth).utf8) + Array(String(repeating: "]", count: depth).utf8)
        }
        #expect(try code(nested(ItemJSON.maximumDepth + 1)) == nil)
        #expect(try code(nested(ItemJSON.maximumDepth + 2)) == "json_too_deep")
        #expect(try code(FixtureTests.emptyHealthDayBytes) == "json_is_binary_item")
    }

    @Test("a JSON text cut at any offset is refused")
    func truncation() throws {
        let bytes = try ItemJSON.encode(FixtureTests.missingDay)
        for length in 0..<bytes.count {
            let cut = Array(bytes.prefix(length))
            #expect(try itemError { _ = try ItemJSON.decode(StrictRawDayEnvelope.self, from: cut) } != nil)
        }
    }
}
