import Testing

@testable import HealthExport

@Suite struct ValueReadingTests {
    private func date(_ text: String) -> (Int64?, ExportDateReader.Form) {
        var reader = ExportDateReader()
        let (seconds, form) = Array(text.utf8).withUnsafeBufferPointer { reader.read($0) }
        return (form == .unreadable ? nil : seconds, form)
    }

    @Test("the phone's form is read to the instant, whatever the offset")
    func usualDates() {
        #expect(date("1970-01-01 00:00:00 +0000") == (0, .usual))
        #expect(date("2026-03-01 10:00:00 +0545") == (1_772_338_500, .usual))
        #expect(date("2026-03-01 10:00:00 -0330") == (1_772_371_800, .usual))
        #expect(date("1969-12-31 23:59:59 -0000") == (-1, .usual))
        #expect(date("2024-02-29 23:59:60 +0000") == (1_709_251_200, .usual))
        #expect(date("2569-03-01 10:00:00 +0700").1 == .usual)
    }

    @Test("other forms that can mean one thing only are read and called odd")
    func oddDates() {
        #expect(date("20150616071916-0700") == (1_434_464_356, .odd))
        #expect(date("2026-03-01T10:00:00Z") == (1_772_359_200, .odd))
        #expect(date("2026-03-01T10:00:00+01:00") == (1_772_355_600, .odd))
        #expect(date("2026-03-01 1:05:00\u{202F}PM +0100") == (1_772_366_700, .odd))
        #expect(date("2024-09-21 12:57:00 am +1000") == (1_726_844_220, .odd))
    }

    @Test("what is no date is not guessed")
    func noDates() {
        for text in [
            "", "2026-02-30 10:00:00 +0100", "2025-02-29 10:00:00 +0100", "2026-13-01 10:00:00 +0100",
            "2026-03-01 24:00:00 +0100", "2026-03-01 10:60:00 +0100", "2026-03-01 10:00:00 0100",
            "2026-03-01 10:00:00", "2026-03-01", "2026-03-01 13:00:00 PM +0100", "2026-03-01 10:00:00 +0100 ",
            "٢٠٢٦-03-01 10:00:00 +0100", "2026-03-01 10:00:00 +0160",
        ] {
            #expect(date(text).1 == .unreadable, "\(text)")
        }
    }

    @Test("the remembered date part is not used for another date")
    func dateCache() {
        var reader = ExportDateReader()
        func read(_ text: String) -> Int64 { Array(text.utf8).withUnsafeBufferPointer { reader.read($0).0 } }
        let first = read("2026-03-01 00:00:00 +0000")
        #expect(read("2026-03-02 00:00:00 +0000") == first + 86_400)
        #expect(read("2026-04-01 00:00:00 +0000") == first + 31 * 86_400)
        #expect(read("2026-04-31 00:00:00 +0000") == ExportDateReader.none)
        #expect(read("2026-03-01 00:00:01 +0000") == first + 1)
    }

    private func number(_ text: String) -> ExportNumber? {
        Array(text.utf8).withUnsafeBufferPointer { ExportNumber.read($0) }
    }

    @Test("numbers are the nearest binary64 of their text")
    func numbers() {
        for text in [
            "0", "1", "-1", "+5", "38.5", "0.271", "26.467", "1e-05", "1E3", "123456789012345678", "0.1",
            "9007199254740993",
            "179769313486231570000000000000000000000", "4.9e-324", "0.000000000000000000000001", ".5", "5.", "-.5",
            "00012.50",
            "3.141592653589793238462643383279", "2.2250738585072011e-308", "-0.0", "29.899999999999999",
        ] {
            #expect(number(text)?.value == Double(text), "\(text)")
        }
        #expect(number("-0")?.value.sign == .minus)
    }

    @Test("the decimal that is kept divides to the same number")
    func decimals() {
        for text in ["0.271", "-38.5", "1", "0.000123", "9007199254740992"] {
            let found = number(text)
            #expect(found.map { Double($0.mantissa) / ExportNumber.powers[Int($0.scale)] } == Double(text))
        }
        #expect(number("-0")?.scale == -1)
    }

    @Test("what is no decimal with a point gives no number")
    func noNumbers() {
        for text in [
            "", "-", ".", "NaN", "inf", "1e400", "12,5", "0x10", "٣", "1e", "1 ", " 1", "1.2.3", "--1", "1e5.5",
        ] {
            #expect(number(text) == nil, "\(text)")
        }
        #expect(number(String(repeating: "9", count: 400)) == nil)
    }

    private func text(_ raw: [UInt8]) -> (String, ExportText.Mending) {
        var output: [UInt8] = []
        let mending = raw.withUnsafeBufferPointer { ExportText.decode($0, into: &output) }
        return (String(decoding: output, as: UTF8.self), mending)
    }

    @Test("references are decoded, unknown ones stay, forbidden ones go")
    func references() {
        #expect(text(Array("&lt;a&gt; &amp;amp; &quot;&apos; &#183;&#xB7;".utf8)).0 == "<a> &amp; \"' ··")
        #expect(text(Array("&foo; &#11;x &#x1F; & &; &#xD800; &#10;".utf8)).0 == "&foo; x  & &; &#xD800; \n")
        let mending = text(Array("&foo; &#11;x &#x1F; & &;".utf8)).1
        #expect(mending.unknownEntities == 1 && mending.forbiddenReferences == 2 && mending.markup == 2)
    }

    @Test("white space in a value becomes spaces, control characters go, broken UTF-8 becomes U+FFFD")
    func characters() {
        #expect(text(Array("a\tb\r\nc\rd\ne".utf8)).0 == "a b c d e")
        #expect(text([0x61, 0x00, 0x0B, 0x1F, 0x62]).0 == "ab")
        #expect(
            text([0xC3, 0x28, 0xE2, 0x82, 0xF0, 0x9F, 0x95, 0x9B, 0xC0, 0x80, 0xED, 0xA0, 0x80]).1.invalidUTF8 == 8)
        #expect(text([0xF0, 0x9F, 0x95, 0x9B]).0 == "🕛")
    }

    @Test("plain means printable ASCII without markup, at every length and place")
    func plain() {
        for length in 0..<40 {
            var bytes = [UInt8](repeating: 0x41, count: length)
            #expect(bytes.withUnsafeBufferPointer { ExportText.isPlain($0) })
            for place in 0..<length {
                for odd: UInt8 in [0x00, 0x1F, 0x26, 0x3C, 0x80, 0xFF, 0x0A] {
                    bytes[place] = odd
                    #expect(bytes.withUnsafeBufferPointer { !ExportText.isPlain($0) })
                }
                bytes[place] = 0x41
            }
        }
    }

    @Test("a device loses its pointer and nothing else")
    func devices() {
        func strip(_ text: String) -> String {
            Array(text.utf8).withUnsafeBufferPointer {
                String(decoding: ExportReader.withoutPointer($0), as: UTF8.self)
            }
        }
        #expect(strip("&lt;&lt;HKDevice: 0x2f&gt;, name:A&gt;") == "name:A")
        #expect(strip("<<HKDevice: 0x2f>, name:A>") == "name:A")
        #expect(strip("&lt;&lt;HKDevice: 0x2f&gt;") == "&lt;&lt;HKDevice: 0x2f&gt;")
        #expect(strip("name:A, model:B") == "name:A, model:B")
        #expect(strip("") == "")
    }

    @Test("the table of texts gives equal bytes one number and mends once")
    func textTable() {
        let table = TextTable()
        func number(_ text: [UInt8]) -> Int32? { text.withUnsafeBufferPointer { table.number($0) } }
        for index in 0..<5_000 { #expect(number(Array("text \(index)".utf8)) == Int32(index)) }
        for index in 0..<5_000 { #expect(number(Array("text \(index)".utf8)) == Int32(index)) }
        let odd = number([0x61, 0x0B])
        #expect(odd.map(table.text) == "a")
        #expect(odd.flatMap(table.mending)?.controls == 1)
        #expect(number([]).map(table.text) == "")
    }

    @Test("every name of the tables is found by its bytes, and no other")
    func names() {
        func number(_ table: NameTable, _ text: String) -> UInt8 {
            let padded = Array(text.utf8) + [UInt8](repeating: 0x78, count: 8)
            return padded.withUnsafeBufferPointer { table.number($0.baseAddress!, text.utf8.count) }
        }
        for name in AttributeName.allCases where name != .unknown {
            #expect(number(.attributes, name.text) == name.rawValue)
            #expect(number(.attributes, name.text + "x") == 0)
        }
        for name in ElementName.allCases where name != .unknown {
            #expect(number(.elements, name.text) == name.rawValue)
        }
        #expect(number(.elements, "record") == 0)
        #expect(number(.elements, "") == 0)
    }
}

@Suite("Limits of an export's texts")
struct TextLimitTests {
    private func record(_ index: Int, source: String, children: String = "") -> String {
        let head =
            "<Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"\(source)\" unit=\"count\" "
            + "startDate=\"2026-04-15 09:00:00 +0200\" endDate=\"2026-04-15 09:10:00 +0200\" value=\"\(index)\""
        return children.isEmpty ? head + "/>" : head + ">\(children)</Record>"
    }

    @Test("records whose source finds no room are left out and counted with their place, never merged as copies")
    func sources() throws {
        var body = ""
        // The type, the unit and the first sources fill the table; three records too many come after.
        let room = TextTable.entryLimit - 2
        for index in 0..<(room + 3) {
            body += record(1, source: "s\(index)") + "\n"
        }
        let visitor = CountingVisitor()
        let bytes = Array("<HealthData locale=\"en_US\">\n\(body)</HealthData>\n".utf8)
        var reader = ExportReader(source: MemoryBytes(bytes), entry: "export.xml", visitor: visitor)
        defer { reader.scanner.deallocate() }
        let summary = try reader.run()
        #expect(visitor.count == room && summary.recordCount == room)
        let problem = try #require(summary.problems.all.first { $0.code == .textLimit })
        #expect(problem.count == 3 && problem.places.count == 3 && summary.problems.leftOut == 3)
        #expect(problem.places.first?.line == room + 2)
        // A further type finds no room either; the file is read on all the same.
        let known = record(7, source: "s1")
        let more = known.replacing("StepCount", with: "FlightsClimbed") + "\n" + known
        var again = ExportReader(
            source: MemoryBytes(Array("<HealthData>\n\(more)\n</HealthData>\n".utf8)), entry: "b.xml",
            visitor: visitor, tables: reader.tables)
        defer { again.scanner.deallocate() }
        let second = try again.run()
        #expect(second.recordCount == 1 && second.problems.count(.textLimit) == 1)
    }

    @Test("metadata beyond the limit of a record or another element is left out and counted, the rest is kept")
    func metadata() throws {
        let limit = RecordScratch.entryLimit
        let entries = (0..<(limit + 2)).map { "<MetadataEntry key=\"k\" value=\"\($0)\"/>" }.joined()
        let dates = "startDate=\"2026-04-15 09:00:00 +0200\" endDate=\"2026-04-15 09:10:00 +0200\""
        let audiogram =
            "<Audiogram type=\"HKDataTypeIdentifierAudiogram\" sourceName=\"a\" \(dates)>\(entries)</Audiogram>"
        let (visitor, summary) = try readBody(record(1, source: "a", children: entries) + "\n" + audiogram)
        #expect(visitor.records.first?.record.metadata.count == limit)
        #expect(visitor.audiograms.first?.metadata.count == limit)
        #expect(summary.problems.count(.textLimit) == 4 && summary.problems.leftOut == 4)
    }

    private final class CountingVisitor: ExportVisitor {
        var count = 0

        func record(_ record: RecordView) { count += 1 }
    }
}
