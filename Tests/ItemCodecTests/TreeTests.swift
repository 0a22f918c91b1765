import Foundation
import HMDCItem
import TestSupport
import Testing

/// The tree form (extensions.md 6).
@Suite struct TreeTests {
    private func printed(_ node: ItemNode, _ detail: ItemTree.Detail) throws -> String {
        var buffer = ItemByteBuffer()
        try ItemTree.write(node, detail: detail, makeDigest: { TestSHA256() }, to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Without the white space of the layout.
    private func compact(_ text: String) -> String {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined().replacingOccurrences(of: "\": ", with: "\":")
    }

    @Test("each tag has its fields")
    func fields() throws {
        let expected: [(ItemNode, String)] = [
            (.object([]), #"{"tag":"object","entries":[]}"#),
            (
                .object(sorting: [("k", .null)]),
                #"{"tag":"object","entries":[{"key":"k","value":{"tag":"null"}}]}"#
            ),
            (.array([.bool(true)]), #"{"tag":"array","elements":[{"tag":"boolean","value":true}]}"#),
            (.signed(.min), #"{"tag":"signed","value":"-9223372036854775808"}"#),
            (.unsigned(.max), #"{"tag":"unsigned","value":"18446744073709551615"}"#),
            (.double(1.5), #"{"tag":"double","value":1.5,"bits":"3ff8000000000000"}"#),
            (.double(-0.0), #"{"tag":"double","value":-0,"bits":"8000000000000000"}"#),
            (
                .date(721_692_800),
                #"{"tag":"date","value":721692800,"bits":"41c5821440000000","utc":"2023-11-14T22:13:20Z"}"#
            ),
            (.string("a\"é"), #"{"tag":"string","value":"a\"é"}"#),
            (.data([0, 255]), #"{"tag":"data","base64":"AP8="}"#),
        ]
        for (node, text) in expected {
            #expect(compact(try printed(node, .full)) == text)
            #expect(try ItemTree.parse(Array(text.utf8)).root == node)
        }
    }

    @Test("a summary shows data as length and digest, and strings up to 256 bytes whole")
    func summary() throws {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(
            compact(try printed(.data(Array("abc".utf8)), .summary))
                == #"{"tag":"data","bytes":3,"sha256":"\#(digest)"}"#)
        let whole = String(repeating: "x", count: 256)
        #expect(compact(try printed(.string(whole), .summary)) == #"{"tag":"string","value":"\#(whole)"}"#)
        let long = whole + "y"
        #expect(
            compact(try printed(.string(long), .summary))
                == #"{"tag":"string","value":"\#(whole)","truncated":true,"bytes":257,"sha256":"\#(sha256Text(Array(long.utf8)))"}"#
        )
    }

    @Test("a cut string ends before a sequence that does not fit, in whatever pieces it came")
    func cutWithinSequence() throws {
        for lead in 250...256 {
            let text = Array((String(repeating: "x", count: lead) + "😀" + String(repeating: "é", count: 40)).utf8)
            var shown = String(repeating: "x", count: lead)
            if lead <= 252 { shown += "😀" + String(repeating: "é", count: (252 - lead) / 2) }
            for seed in 0..<5 as Range<UInt64> {
                let region = ItemRegion(CrumblingSource(text, seed: seed))
                let output = compact(try printed(.streamedString(region), .summary))
                #expect(
                    output.hasPrefix(#"{"tag":"string","value":"\#(shown)","truncated":true,"bytes":\#(text.count),"#))
            }
        }
    }

    @Test("an inspection names header, length, nodes and digest in front of the tree")
    func inspection() throws {
        var buffer = ItemByteBuffer()
        let summary = try ItemTree.inspect(
            ItemBytes(FixtureTests.emptyHealthDayBytes), detail: .summary, makeDigest: { TestSHA256() }, to: &buffer)
        #expect(summary.nodeCount == 4)
        let expected = """
            {
              "format": "HMDCITEM",
              "version": 1,
              "kind": "mac_health_day",
              "bytes": 150,
              "nodes": 4,
              "sha256": "03c954a05d5b0f9eee8bb2f6a785f111969e2958fd52d12e414da2cc278f8a99",
              "root": {
                "tag": "object",
                "entries": [
                  {
                    "key": "externalDailyRecords",
                    "value": {
                      "tag": "array",
                      "elements": []
                    }
                  },
                  {
                    "key": "isRequestedDate",
                    "value": {
                      "tag": "boolean",
                      "value": true
                    }
                  },
                  {
                    "key": "sourceDate",
                    "value": {
                      "tag": "date",
                      "value": 721692800,
                      "bits": "41c5821440000000",
                      "utc": "2023-11-14T22:13:20Z"
                    }
                  }
                ]
              }
            }

            """
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == expected)
        let parsed = try ItemTree.parse(buffer.bytes)
        #expect(parsed.kind == .macHealthDay)
        #expect(try ItemWriter.bytes(of: parsed.root, kind: .macHealthDay) == FixtureTests.emptyHealthDayBytes)
    }

    @Test("nothing is printed of an item that is refused")
    func refused() throws {
        let bytes = Array(try ItemEncoder().encode(FixtureTests.missingDay, kind: .strictRawDay).dropLast(8))
        var buffer = ItemByteBuffer()
        let error = try itemError {
            try ItemTree.inspect(ItemBytes(bytes), detail: .full, makeDigest: { TestSHA256() }, to: &buffer)
        }
        #expect(error == .rejected(.lengthMismatch, offset: 13) && buffer.bytes.isEmpty)
    }

    @Test("a large item is printed in pieces of at most 256 KiB")
    func largeItem() throws {
        struct Counter: ItemSink {
            var byteCount = 0
            var largest = 0
            mutating func write(_ bytes: Span<UInt8>) {
                byteCount += bytes.count
                largest = max(largest, bytes.count)
            }
        }
        struct NoDigest: ItemDigest {
            mutating func update(_ bytes: Span<UInt8>) {}
            mutating func finish() -> [UInt8] { [] }
        }
        let source = PatternSource(
            prefix: Raw.header() + Raw.node(9, [], length: 3_000_000), patternByteCount: 3_000_000)
        var counter = Counter()
        try ItemTree.inspect(source, detail: .full, makeDigest: { NoDigest() }, to: &counter)
        #expect(counter.byteCount > 4_000_000 && counter.largest <= 262_144)
        #expect(source.noted.largestRequest <= 262_144)
    }

    @Test("value and bits may each be left out, and must agree")
    func numbers() throws {
        func parse(_ text: String) throws -> ItemNode { try ItemTree.parse(Array(text.utf8)).root }
        #expect(try parse(#"{"tag":"double","value":2}"#) == .double(2))
        #expect(try parse(#"{"tag":"double","bits":"4000000000000000"}"#) == .double(2))
        #expect(try parse(#"{"tag":"date","bits":"4000000000000000","value":2}"#) == .date(2))
        for wrong in [
            #"{"tag":"double","value":2,"bits":"4000000000000001"}"#, #"{"tag":"double"}"#,
            #"{"tag":"double","bits":"400000000000000"}"#, #"{"tag":"double","bits":"+400000000000000"}"#,
            #"{"tag":"double","bits":"7ff0000000000000"}"#, #"{"tag":"double","value":1e999}"#,
            #"{"tag":"date","value":2,"utc":"2001-01-01T00:00:03Z"}"#, #"{"tag":"double","value":"2"}"#,
        ] {
            #expect(try itemError { _ = try parse(wrong) }?.code == "tree_value_invalid", "\(wrong)")
        }
    }

    @Test("wrong nodes are refused by name and place")
    func faults() throws {
        let expected: [(String, ItemTextFault, Int)] = [
            (#"[]"#, .treeNode, 0), (#"{"tag":1}"#, .treeNode, 0), (#"{"tag":"text"}"#, .treeTag, 0),
            (#"{"tag":"null","value":null}"#, .treeNode, 0), (#"{"tag":"boolean"}"#, .treeNode, 0),
            (#"{"tag":"boolean","value":1}"#, .treeValue, 0), (#"{"tag":"signed","value":1}"#, .treeValue, 0),
            (#"{"tag":"signed","value":"+1"}"#, .treeValue, 0), (#"{"tag":"signed","value":"01"}"#, .treeValue, 0),
            (#"{"tag":"signed","value":"9223372036854775808"}"#, .treeValue, 0),
            (#"{"tag":"unsigned","value":"-1"}"#, .treeValue, 0), (#"{"tag":"string","value":null}"#, .treeValue, 0),
            (#"{"tag":"data","base64":"A"}"#, .treeValue, 0), (#"{"tag":"data","bytes":1,"sha256":"00"}"#, .treeCut, 0),
            (#"{"tag":"string","value":"x","truncated":true,"bytes":300,"sha256":"00"}"#, .treeCut, 0),
            (#"{"tag":"double","value":1,"utc":"x"}"#, .treeNode, 0),
            (#"{"tag":"object","entries":[{"key":"a"}]}"#, .treeNode, 27),
            (#"{"tag":"object","entries":{}}"#, .treeNode, 0),
            (#"{"tag":"array","elements":[{"tag":"null"},{"tag":"x"}]}"#, .treeTag, 42),
            (#"{"kind":"other","root":{"tag":"null"}}"#, .treeValue, 8),
            (#"{"tag":"null"}}"#, .syntax, 14),
        ]
        for (text, fault, offset) in expected {
            let error = try itemError { _ = try ItemTree.parse(Array(text.utf8)) }
            #expect(error == .text(fault, offset: offset), "\(text)")
        }
    }

    @Test("depth 128 survives the tree form, depth 129 is refused")
    func depth() throws {
        let deepest = try ItemFile(ItemBytes(Raw.file(Raw.nested(depth: 128))), kind: nil).root.tree()
        #expect(try ItemTree.parse(Array(try printed(deepest, .full).utf8)).root == deepest)
        let objects = (0..<128).reduce(ItemNode.null) { inner, _ in .object(sorting: [("k", inner)]) }
        #expect(try ItemTree.parse(Array(try printed(objects, .full).utf8)).root == objects)
        let deeper = try printed(.array([deepest]), .full)
        #expect(try itemError { _ = try ItemTree.parse(Array(deeper.utf8)) }?.code == "json_too_deep")
    }

    @Test("dates are told in UTC, from year 1 to 9999")
    func utc() throws {
        func utc(_ seconds: Double) throws -> String? {
            let text = compact(try printed(.date(seconds), .full))
            return text.range(of: #""utc":""#).map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
        }
        #expect(try utc(0) == "2001-01-01T00:00:00Z" && utc(-0.25) == "2000-12-31T23:59:59.750Z")
        #expect(try utc(-978_307_200) == "1970-01-01T00:00:00Z" && utc(-978_307_201) == "1969-12-31T23:59:59Z")
        #expect(try utc(-27_043_200) == "2000-02-23T00:00:00Z" && utc(-26_524_801) == "2000-02-28T23:59:59Z")
        #expect(try utc(-26_524_800) == "2000-02-29T00:00:00Z" && utc(-26_438_400) == "2000-03-01T00:00:00Z")
        #expect(try utc(-63_113_904_000) == "0001-01-01T00:00:00Z" && utc(-63_113_904_001) == nil)
        #expect(try utc(252_423_993_599) == "9999-12-31T23:59:59Z" && utc(252_423_993_600) == nil)
        #expect(try utc(1e300) == nil)
        var random = SplitMix64(seed: 9)
        let formatter = ISO8601DateFormatter()
        for _ in 0..<200 {
            let seconds = Double(Int.random(in: -13_000_000_000...252_000_000_000, using: &random))
            #expect(try utc(seconds) == formatter.string(from: Date(timeIntervalSinceReferenceDate: seconds)))
        }
    }
}
