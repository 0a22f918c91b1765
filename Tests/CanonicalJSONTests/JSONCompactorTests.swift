import Testing

@testable import CanonicalJSON

@Suite("Compaction")
struct JSONCompactorTests {
    @Test("white space goes, the escaped solidus is unescaped, every other token stays", arguments: [1, 3, 17, 4_096])
    func tokens(step: Int) throws {
        let text = #"""
            { "a\/b" : [ 1.500, -0.0, 1E5, "x\/y\\/z\u002f\u00E9é\t" ],
              "o" : { }, "e" : [
            ] , "t" : true }
            """#
        let expected = #"{"a/b":[1.500,-0.0,1E5,"x/y\\/z\u002f\u00E9é\t"],"o":{},"e":[],"t":true}"#
        var output: [UInt8] = []
        let report = try JSONCompactor().copy(
            bufferByteCount: 64, reader: JSONTokenizerTests.reader(Array(text.utf8), step: step)
        ) { output.append(contentsOf: $0) }
        #expect(String(decoding: output, as: UTF8.self) == expected)
        #expect(report.byteCount == output.count)
        #expect(report.isObject)
    }

    @Test("watched members are reported with their nested scalars")
    func reports() throws {
        let text = #"""
            {"schema":"healthmd.health_data","schema_version":8,"other":[{"schema":"no"}],
             "healthkit_record_archive":{"records":[1,2],"schema":"healthmd.healthkit_records","schema_version":1}}
            """#
        let compactor = JSONCompactor(watching: [
            "schema": [], "schema_version": [], "missing": [],
            "healthkit_record_archive": ["schema", "schema_version"],
        ])
        let (_, report) = try compactor.copy(Array(text.utf8))
        #expect(report.members.count == 3)
        #expect(report.members["schema"]?.string == "healthmd.health_data")
        #expect(report.members["schema_version"]?.integer == 8)
        let archive = report.members["healthkit_record_archive"]?.members
        #expect(archive == ["schema": .string("healthmd.healthkit_records"), "schema_version": .number(JSONNumber(1))])
    }

    @Test("a long watched string is not kept")
    func longStrings() throws {
        let text = "{\"schema\":\"\(String(repeating: "x", count: JSONCompactor.reportedStringByteCount + 1))\"}"
        #expect(
            try JSONCompactor(watching: ["schema": []]).copy(Array(text.utf8)).report.members["schema"] == .longString)
    }

    @Test("a document that is no object says so, and a broken one is refused")
    func shapes() throws {
        #expect(try JSONCompactor().copy(Array("[ 1 ]".utf8)).report.isObject == false)
        #expect(throws: JSONError(.duplicateKey, offset: 8)) {
            try JSONCompactor().copy(Array(#"{"a":1, "a":2}"#.utf8))
        }
    }
}

@Suite("Manifest canonical form")
struct ManifestCanonicalizerTests {
    @Test("keys sort with their quotes, arrays by bytes, the escaped solidus is unescaped")
    func workedExample() throws {
        let text = #"{"b":[3,10,2],"a!":1,"a":{"z":true,"y":null},"s":"x\/y"}"#
        let canonical = try ManifestCanonicalizer.canonicalize(Array(text.utf8))
        #expect(
            String(decoding: canonical, as: UTF8.self) == #"{"a!":1,"a":{"y":null,"z":true},"b":[10,2,3],"s":"x/y"}"#)
    }

    @Test("the unescaping goes by escapes, not by blind replacement")
    func escapes() throws {
        let text = #"["a\\\/b","c\\/d"]"#
        let canonical = try ManifestCanonicalizer.canonicalize(Array(text.utf8))
        #expect(String(decoding: canonical, as: UTF8.self) == #"["a\\/b","c\\/d"]"#)
    }
}
