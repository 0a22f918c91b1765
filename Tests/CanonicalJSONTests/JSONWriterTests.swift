import Testing

@testable import CanonicalJSON

private func text(_ value: JSONValue, _ style: JSONStyle) -> String {
    String(decoding: JSONWriter.encode(value, style: style), as: UTF8.self)
}

@Suite("JSON writer")
struct JSONWriterTests {
    @Test("the compact sorted form has no white space, byte order and a raw solidus")
    func compactSorted() {
        let value: JSONValue = ["b": [1, .double(0.1), .double(2), nil], "B": "é/\"\\\u{1}\n", "a": [:], "aa": []]
        #expect(text(value, .compactSorted) == #"{"B":"é/\"\\\u0001\n","a":{},"aa":[],"b":[1,0.1,2,null]}"#)
        #expect(text(value, .compact).hasPrefix(#"{"b":"#))
    }

    @Test("the daily form has spaces around the colon, escaped solidus, empty lines in empty levels")
    func daily() {
        let value: JSONValue = ["b": [1, .double(42.1)], "a": "x/y", "e": [], "o": [:], "w": .double(520)]
        let expected = """
            {
              "a" : "x\\/y",
              "b" : [
                1,
                42.100000000000001
              ],
              "e" : [

              ],
              "o" : {

              },
              "w" : 520
            }
            """
        #expect(text(value, .daily) == expected)
    }

    @Test(
        "daily keys: no case, digit runs as numbers, underscore before letters",
        arguments: [
            ("scheduledDate", "scheduledDoseQuantity"), ("scheduledDoseQuantity", "scheduleType"),
            ("vitamin_b6_mg", "vitamin_b12_ug"), ("unit_system", "units"),
            ("avgPacePer100mFormatted", "avgPacePer100ydFormatted"), ("A", "a"), ("a", "B"), ("a2", "a10"),
            ("a", "ab"), ("a02", "a2"), ("Ärger 2", "ärger 10"), ("2x", "10"),
        ])
    func dailyOrder(first: String, second: String) {
        #expect(JSONKeyOrder.daily(first, second))
        #expect(!JSONKeyOrder.daily(second, first))
        #expect(!JSONKeyOrder.daily(first, first))
    }

    @Test("level by level and through a small buffer the bytes are the same")
    func streaming() throws {
        var output: [UInt8] = []
        var writer = JSONWriter(style: .compact, bufferByteCount: 8) { output += $0 }
        try writer.beginObject()
        try writer.member("a", [1, "two", ["three": 3]])
        writer.key("raw")
        writer.beginRaw()
        try writer.rawBytes("{\"x\":".utf8)
        try writer.rawBytes("1}".utf8)
        writer.key("list")
        try writer.beginArray()
        for index in 0..<3 { try writer.value(.integer(index)) }
        try writer.endArray()
        try writer.endObject()
        try writer.finish()
        #expect(String(decoding: output, as: UTF8.self) == #"{"a":[1,"two",{"three":3}],"raw":{"x":1},"list":[0,1,2]}"#)
    }

    @Test("non-finite doubles are strings")
    func nonFinite() {
        #expect(
            text([.double(.nan), .double(.infinity), .double(-.infinity)], .compact)
                == #"["NaN","Infinity","-Infinity"]"#)
    }
}

@Suite("Number texts")
struct JSONNumberTextTests {
    @Test(
        "ECMAScript number-to-string (RFC 8785, appendix B)",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"), (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"), (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"), (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"), (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"), (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x4197_d784_0000_0000, "100000000"), (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func ecmaScript(bits: UInt64, expected: String) {
        #expect(JSONNumberText.text(Double(bitPattern: bits), style: .ecmaScript) == expected)
    }

    @Test("seventeen digits, and none behind a whole number")
    func seventeenDigits() {
        for (value, expected) in [
            (42.1, "42.100000000000001"), (3.2, "3.2000000000000002"), (520, "520"), (-0.5, "-0.5"), (1e17, "1e+17"),
            (0.1 + 0.2, "0.30000000000000004"), (1e-7, "9.9999999999999995e-08"),
        ] {
            #expect(JSONNumberText.text(value, style: .seventeenDigits) == expected)
        }
    }

    @Test("shortest, whole numbers without a fraction")
    func shortest() {
        for (value, expected) in [
            (721_700_000.5, "721700000.5"), (721_692_800, "721692800"), (0.1, "0.1"), (-0.0, "-0"), (1e16, "1e+16"),
            (1e-5, "1e-05"), (123_456_789_012_345_680, "1.2345678901234568e+17"),
        ] {
            #expect(JSONNumberText.text(value, style: .shortest) == expected)
        }
    }

    @Test("64-bit integers at both ends")
    func integers() {
        var output: [UInt8] = []
        JSONNumberText.append(Int64.min, to: &output)
        output.append(0x20)
        JSONNumberText.append(UInt64.max, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "-9223372036854775808 18446744073709551615")
    }
}
