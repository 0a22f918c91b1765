import HealthRecords
import TestSupport
import Testing

@testable import HealthExport

@Suite struct ScannerTests {
    private static let dates =
        #"creationDate="2026-04-15 10:00:00 +0200" startDate="2026-04-15 09:00:00 +0200" endDate="2026-04-15 09:30:00 +0200""#
    private static let instant = 1_776_236_400.0

    private func record(_ more: String) -> String { " <Record type=\"HKQuantityTypeIdentifierStepCount\" \(more)/>" }

    @Test("a record keeps type, source, device without pointer, number, unit and dates")
    func plainRecord() throws {
        let device =
            "&lt;&lt;HKDevice: 0x2835f0aa0&gt;, name:Apple Watch, manufacturer:Apple Inc., hardware:Watch4,2&gt;"
        let (visitor, summary) = try readBody(
            record(
                "sourceName=\"Robin’s Apple\u{A0}Watch\" sourceVersion=\"5.1.2\" device=\"\(device)\" unit=\"count\" "
                    + "\(Self.dates) value=\"38.5\""))
        let found = try #require(visitor.records.first?.record)
        #expect(found.type == "HKQuantityTypeIdentifierStepCount")
        #expect(found.source.name == "Robin’s Apple\u{A0}Watch")
        #expect(found.source.version == "5.1.2")
        #expect(found.source.device == "name:Apple Watch, manufacturer:Apple Inc., hardware:Watch4,2")
        #expect(found.value == .quantity(38.5, unit: "count"))
        #expect(found.start == Instant(secondsSince1970: Self.instant))
        #expect(found.end == Instant(secondsSince1970: Self.instant + 1_800))
        #expect(found.created == Instant(secondsSince1970: Self.instant + 3_600))
        #expect(summary.problems.all.isEmpty)
    }

    @Test("what a value means follows from value and unit together")
    func values() throws {
        func value(_ attributes: String, type: String = "HKQuantityTypeIdentifierStepCount") throws -> RecordValue {
            let (visitor, _) = try readBody(" <Record type=\"\(type)\" sourceName=\"s\" \(Self.dates) \(attributes)/>")
            return try #require(visitor.records.first).record.value
        }
        #expect(try value(#"unit="count" value="-1""#) == .quantity(-1, unit: "count"))
        #expect(try value(#"unit="mg" value="1e-05""#) == .quantity(1e-05, unit: "mg"))
        #expect(try value(#"unit="mg" value="NaN""#) == .unreadable(value: "NaN", unit: "mg"))
        #expect(try value(#"unit="mg" value="1e400""#) == .unreadable(value: "1e400", unit: "mg"))
        #expect(try value(#"unit="mg" value="12,5""#) == .unreadable(value: "12,5", unit: "mg"))
        #expect(try value(#"unit="mg" value="""#) == .unreadable(value: "", unit: "mg"))
        #expect(try value(#"unit="mg""#) == .unreadable(value: nil, unit: "mg"))
        #expect(try value(#"value="5""#) == .unreadable(value: "5", unit: nil))
        #expect(try value("") == .none)
        #expect(
            try value(#"value="HKCategoryValueSleepAnalysisInBed""#, type: "HKCategoryTypeIdentifierSleepAnalysis")
                == .category("HKCategoryValueSleepAnalysisInBed"))
        #expect(try value(#"unit="hr" value="8""#, type: "HKDataTypeSleepDurationGoal") == .quantity(8, unit: "hr"))
    }

    @Test("iOS 8 tags give their known attributes; a name with spaces is not taken for its last word")
    func spacesInNames() throws {
        let (visitor, summary) = try readBody(
            record(
                #"sourceName="Phone" unit="count" startDate="20150616071916-0700" endDate="20150616071916-0700" value="3" HKWas user Entered="1" my value="9""#
            ))
        let found = try #require(visitor.records.first?.record)
        #expect(found.value == .quantity(3, unit: "count"))
        #expect(found.start.secondsSince1970 == 1_434_464_356)
        #expect(summary.problems.count(.oddAttributeName) == 2)
        #expect(summary.problems.unknownAttributes == ["Record@HKWas user Entered": 1, "Record@my value": 1])
    }

    @Test("a missing closing quote costs one tag, not the file")
    func unclosedQuote() throws {
        let good = record("sourceName=\"a\" unit=\"count\" \(Self.dates) value=\"1\"")
        let bad = " <Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"open/>"
        for body in [[good, bad, good, good], [good, good, good, bad]] {
            let (visitor, summary) = try readBody(body.joined(separator: "\n"))
            #expect(visitor.records.count == 3)
            #expect(summary.problems.count(.malformedTag) == 1)
        }
    }

    @Test("a missing end tag costs at most its element")
    func unclosedElement() throws {
        let open = " <Record type=\"A\" sourceName=\"a\" unit=\"count\" \(Self.dates) value=\"1\">"
        let entry = "  <MetadataEntry key=\"k\" value=\"v\"/>"
        let (visitor, summary) = try readBody([open, entry, open, entry, " </Record>"].joined(separator: "\n"))
        #expect(visitor.records.map(\.record.metadata.count) == [1, 1])
        #expect(summary.problems.count(.unclosedElement) == 1)
        #expect(summary.isComplete)
        let many = String(repeating: "</x>", count: 50_000)
        let (_, swamped) = try readBody("\(open)\(many)</Record>")
        #expect(swamped.recordCount == 1 && swamped.problems.count(.strayEndTag) == 50_000)
        let (_, stray) = try readBody(" </Record>\n" + open.dropLast() + "/>")
        #expect(stray.recordCount == 1)
        #expect(stray.problems.count(.strayEndTag) == 1)
    }

    @Test("a part of a workout that cannot be used is counted, and the rest of the workout stays")
    func brokenWorkoutParts() throws {
        let (visitor, summary) = try readBody(
            """
             <Workout workoutActivityType="A" totalDistance="5" sourceName="s" \(Self.dates)>
              <MetadataEntry key="k"/>
              <WorkoutEvent date="2026-04-15 09:10:00 +0200"/>
              <WorkoutStatistics sum="1"/>
              <WorkoutRoute sourceName="s" \(Self.dates)><Location latitude="1"/></WorkoutRoute>
              <WorkoutEvent type="E" date="2026-04-15 09:10:00 +0200" duration="2" durationUnit="min"/>
             </Workout>
             <ActivitySummary dateComponents="soon"/>
            """)
        let workout = try #require(visitor.workouts.first)
        #expect(workout.events.map(\.durationSeconds) == [120] && workout.totalDistance == nil)
        let codes = summary.problems.all.map(\.code)
        #expect(
            codes == [.malformedTag, .missingType, .routePointUnreadable, .unreadableDate, .unreadableValue])
        #expect(summary.problems.count(.missingType) == 2)
    }

    @Test("unknown elements and attributes are passed over, counted by name and reported")
    func unknownNames() throws {
        let (visitor, summary) = try readBody(
            """
             <Novelty a="1"><Record type="x"/><Deep/></Novelty>
             \(record("sourceName=\"a\" future=\"1\" unit=\"count\" \(Self.dates) value=\"1\""))
            """)
        #expect(visitor.records.count == 1)
        #expect(summary.problems.unknownElements == ["HealthData/Novelty": 1])
        #expect(summary.problems.unknownAttributes == ["Record@future": 1])
    }

    @Test("comments, CDATA, instructions, a second root and text after the root do no harm and are reported")
    func surroundings() throws {
        let line = record("sourceName=\"a\" unit=\"count\" \(Self.dates) value=\"1\"")
        let text = """
            <?xml version="1.0"?>
            <!-- <HealthData> -->
            <!DOCTYPE HealthData [ <!ENTITY x "]>"> <!-- ]> --> <!ATTLIST a b CDATA ']>'> ]>
            <HealthData locale='de_DE'>
            <!-- \(line) --> <?pi ?> \(line) <![CDATA[ \(line) ]]>
            </HealthData>
            <HealthData>\(line)</HealthData> junk
            """
        let (visitor, summary) = try readAll(Array(text.utf8))
        #expect(visitor.records.count == 1)
        #expect(summary.locale == "de_DE")
        #expect(summary.problems.count(.contentAfterRoot) == 1)
        #expect(summary.problems.count(.entityDeclarationIgnored) == 1)
        #expect(summary.isComplete)
    }

    @Test("a leftover quote in a document type is passed over, also on the last line of a file, however it is cut")
    func leftoverQuoteOnLastLine() throws {
        let text = "<!DOCTYPE HealthData [ <!ATTLIST a b CDATA \" ]><HealthData></HealthData>"
        for size in [Int.max, 1, 2, 7] {
            let (_, summary) = try readAll(Array(text.utf8), pieceSize: size)
            #expect(summary.elements["HealthData"] == 1 && summary.isComplete, "pieces of \(size)")
        }
    }

    @Test("an end tag before the root is passed over and counted, however the file is cut")
    func endTagBeforeRoot() throws {
        let text = "<!DOCTYPE HealthData [ ]></Record><HealthData></HealthData>"
        for size in [Int.max, 1, 2, 7] {
            let (_, summary) = try readAll(Array(text.utf8), pieceSize: size)
            #expect(summary.elements["HealthData"] == 1 && summary.isComplete, "pieces of \(size)")
            #expect(summary.problems.all.map(\.code) == [.strayEndTag], "pieces of \(size)")
        }
    }

    @Test("a document type without its end, or with one bracket too many, costs no record")
    func brokenDocumentTypes() throws {
        let body =
            "<HealthData locale=\"x\">\n\(record("sourceName=\"a\" unit=\"count\" \(Self.dates) value=\"1\""))\n</HealthData>"
        for prolog in [
            "<!DOCTYPE HealthData [\n<!ATTLIST a\n b CDATA #IMPLIED\n", "<!DOCTYPE HealthData [\n<!ELEMENT a (b)>\n]\n",
            "<!DOCTYPE HealthData [\n<!ELEMENT a (b)>\n>\n]>\n>\n", "<!DOCTYPE HealthData [ it's ]>\n",
            "<!DOCTYPE HealthData SYSTEM \"a>b\">\n", "",
        ] {
            let (visitor, summary) = try readAll(Array((prolog + body).utf8))
            #expect(visitor.records.count == 1, "\(prolog)")
            #expect(summary.problems.all.isEmpty, "\(prolog)")
        }
    }

    @Test("what is not an export is refused with a code")
    func refusals() {
        func code(_ bytes: [UInt8]) -> String? {
            do {
                _ = try readAll(bytes)
                return nil
            } catch {
                return (error as? ExportError)?.code
            }
        }
        #expect(code(Array("<ClinicalDocument/>".utf8)) == "only_clinical_document")
        #expect(code(Array("<html></html>".utf8)) == "not_an_export")
        #expect(code([]) == "not_an_export")
        #expect(code([0xFF, 0xFE, 0x3C, 0x00]) == "unsupported_encoding")
        #expect(code([0x00, 0x3C, 0x00, 0x3F]) == "unsupported_encoding")
        let noRecord = "<HealthData><Record type=\"a\" startDate=\"x\" endDate=\"y\"/></HealthData>"
        #expect(code(Array(noRecord.utf8)) == "no_readable_record")
        #expect(code(Array("<HealthData></HealthData>".utf8)) == nil)
        let deep = "<HealthData>" + String(repeating: "<x>", count: 70)
        #expect(code(Array(deep.utf8)) == "nested_too_deep")
        let prolog = "<!DOCTYPE HealthData [" + String(repeating: " ", count: TagScanner.bufferSize)
        #expect(code(Array(prolog.utf8)) == "prolog_too_large")
    }

    @Test("a tag longer than the buffer is passed over and reported; its neighbours are read")
    func oversizeTags() throws {
        let good = record("sourceName=\"a\" unit=\"count\" \(Self.dates) value=\"1\"")
        let long = record("sourceName=\"\(String(repeating: "/>x", count: 3_000))\"")
        let text = "<HealthData>\n\(good)\n\(long)\n\(good)\n</HealthData>"
        let (visitor, summary) = try readAll(Array(text.utf8), pieceSize: 777, capacity: 4_096)
        #expect(visitor.records.count == 2)
        #expect(summary.problems.all.map(\.code) == [.oversizeElement])
        #expect(summary.problems.all.first?.places.first?.line == 3)
    }

    @Test("a tag of very many attributes in many pieces costs no more than its length", .timeLimit(.minutes(1)))
    func manyAttributes() throws {
        let good = record("sourceName=\"a\" unit=\"count\" \(Self.dates) value=\"1\"")
        let wide = record((0..<80_000).map { "a\($0)=\"\"" }.joined(separator: "\n"))
        let text = "<HealthData>\n\(good)\n\(wide)\n\(good)\n</HealthData>"
        let (visitor, summary) = try readAll(Array(text.utf8), pieceSize: 1 << 16)
        #expect(visitor.records.count == 2)
        let dropped = summary.problems.all.first { $0.code == .tooManyAttributes }
        #expect(dropped?.places.first?.line == 3 + TagScanner.attributeLimit - 1)
    }

    @Test("the buffers have fixed sizes, whatever the file")
    func bufferSizes() {
        #expect(TagScanner.bufferSize == 1 << 20)
        #expect(RecordScratch.byteLimit == 1 << 20)
        #expect(TextTable.byteLimit == 16 << 20)
    }

    @Test("a file in one-byte pieces or a small buffer gives what it gives in one piece")
    func pieces() throws {
        let line = record("sourceName=\"é &amp; x\" unit=\"count\" \(Self.dates) value=\"1\"")
        let text =
            "<!DOCTYPE HealthData [ <!-- HealthKit Export Version: 14 --> ]>\n<HealthData>\n"
            + String(repeating: line + "\r\n", count: 40) + "</HealthData>"
        let (whole, summary) = try readAll(Array(text.utf8))
        for (piece, capacity) in [(1, 1_000), (7, 512), (400, 400)] {
            let (other, otherSummary) = try readAll(Array(text.utf8), pieceSize: piece, capacity: capacity)
            #expect(other.everything == whole.everything)
            #expect(otherSummary.exportVersion == 14 && summary.exportVersion == 14)
            #expect(otherSummary.problems.all == summary.problems.all)
        }
    }

    @Test("a file of one endless line is read like any other, and in the same time")
    func oneLine() throws {
        let line = record("sourceName=\"a\" unit=\"count\" \(Self.dates) value=\"1\"")
        let text = "<HealthData>" + String(repeating: line, count: 12_000) + "</HealthData>"
        let (visitor, summary) = try readAll(Array(text.utf8))
        #expect(visitor.records.count == 12_000)
        #expect(summary.problems.all.isEmpty && summary.isComplete)
    }

    @Test("seeded damage is read alike on both paths and never traps", arguments: 0..<16)
    func mutations(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let base = Array(Self.sample.utf8)
        for _ in 0..<40 {
            var bytes = base
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = "<>/\"'=& \n\r\u{0}a9-]!?".utf8.randomElement(using: &random) ?? 0
                case 1: bytes.remove(at: index)
                case 2: bytes.insert("<>\"'= \n".utf8.randomElement(using: &random) ?? 0, at: index)
                default: bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let fast = Result { try readAll(bytes) }
            let general = Result { try readAll(bytes, usesFastPath: false, pieceSize: 97) }
            switch (fast, general) {
            case (.success(let one), .success(let two)):
                #expect(one.0.everything == two.0.everything, "seed \(seed)")
                #expect(one.1.problems.all == two.1.problems.all, "seed \(seed)")
                #expect(one.1.brokenOffAt == two.1.brokenOffAt, "seed \(seed)")
            case (.failure(let one), .failure(let two)):
                #expect(one as? ExportError == two as? ExportError, "seed \(seed)")
            default:
                Issue.record("seed \(seed): one path failed, the other did not")
            }
        }
    }

    /// One of everything, by hand.
    private static let sample = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 14 -->
        <!ELEMENT Record ((MetadataEntry)*)>
        <!ATTLIST Record
          type CDATA #REQUIRED
        >
        ]>
        <HealthData locale="en_US">
         <ExportDate value="2026-04-15 21:04:09 +0200"/>
         <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="W &amp; Co" unit="count/min" \(dates) value="61">
          <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>
         </Record>
         <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="é" \(dates) value="HKCategoryValueSleepAnalysisInBed"/>
         <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="c" \(dates)>
          <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="c" unit="mmHg" \(dates) value="121"/>
         </Correlation>
         <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" sourceName="w" \(dates)>
          <WorkoutEvent type="HKWorkoutEventTypePause" date="2026-04-15 09:10:00 +0200"/>
          <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="2026-04-15 09:00:00 +0200" startDate="2026-04-15 09:30:00 +0200" average="120.5" unit="count/min"/>
          <WorkoutRoute sourceName="w" \(dates)>
           <FileReference path="/workout-routes/route_2026-04-15_9.30am.gpx"/>
          </WorkoutRoute>
         </Workout>
         <ActivitySummary dateComponents="2026-04-15" activeEnergyBurned="500.5" activeEnergyBurnedUnit="kcal"/>
        </HealthData>

        """
}
