import HealthRecords
import Testing

@testable import HealthExport

@Suite struct FilesTests {
    private func route(_ text: String) throws -> ([RoutePoint], RouteReader.Summary) {
        var points: [RoutePoint] = []
        let summary = try RouteReader.read(MemoryBytes(Array(text.utf8), pieceSize: 50), entry: "r.gpx") {
            points.append($0)
        }
        return (points, summary)
    }

    @Test("a route gives its points as recorded; -1 is unknown, the export's own time is no point")
    func points() throws {
        let (points, summary) = try route(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1"><metadata><time>2026-04-15T19:04:09Z</time></metadata><trk><name>Route</name><trkseg>
            <trkpt lon="-8.650500" lat="41.155"><ele>40.25</ele><time>2019-09-24T10:22:37Z</time>
            <extensions><speed>2.5</speed><course>-1</course><hAcc>3.5</hAcc><vAcc>2</vAcc></extensions></trkpt>
            </trkseg><trkseg><trkpt lat='1' lon='2'><time> 2019-09-24T10:22:36.250Z </time></trkpt>
            <trkpt lat="x" lon="2"><time>2019-09-24T10:22:36Z</time></trkpt><trkpt lat="91" lon="2"/>
            </trkseg></trk></gpx>
            """)
        #expect(points.count == 2)
        #expect(points[0].longitude == -8.6505 && points[0].latitude == 41.155 && points[0].altitude == 40.25)
        #expect(points[0].time.secondsSince1970 == 1_569_320_557)
        #expect(points[0].speed == 2.5 && points[0].course == nil && points[0].horizontalAccuracy == 3.5)
        #expect(points[1].time.secondsSince1970 == 1_569_320_556.25 && points[1].altitude == nil)
        #expect(summary == RouteReader.Summary(pointCount: 2, unreadablePointCount: 2, isComplete: true))
    }

    @Test("a route that breaks off gives the points before the break")
    func brokenRoute() throws {
        let (points, summary) = try route(
            "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2019-09-24T10:22:36Z</time></trkpt><trkpt lat=")
        #expect(points.count == 1 && !summary.isComplete)
        #expect(throws: ExportError.self) { try self.route("<html/>") }
        #expect(try route("<gpx></gpx>").0.isEmpty)
    }

    @Test("an electrocardiogram is read by form and order, in any language, without the person's name")
    func electrocardiograms() throws {
        let english = """
            Name,Robin Example
            Date of Birth,"Jul 9, 1984"
            Recorded Date,2026-05-30 16:32:18 -0700
            Classification,Sinus Rhythm
            Symptoms,
            Software Version,1.90
            Device,"Watch7,12"
            Sample Rate,512 hertz


            Lead,Lead I
            Unit,µV

            -265.868
            1
            """
        let found = try #require(ElectrocardiogramReader.read(Array(english.utf8), fileName: "ecg.csv"))
        #expect(found.recorded.secondsSince1970 == 1_780_183_938)
        #expect(found.classification == "Sinus Rhythm" && found.symptoms == nil)
        #expect(found.softwareVersion == "1.90" && found.device == "Watch7,12")
        #expect(found.sampleRate == 512 && found.microvolts == [-265.868, 1])
        #expect(found.lead == "Lead I" && found.averageHeartRate == nil)
        #expect(!String(describing: found).contains("Robin"))
        let older = english.replacing("\n\n\nLead", with: "\nAverage Heart Rate,64 bpm\n\n\nLead")
        #expect(ElectrocardiogramReader.read(Array(older.utf8), fileName: "e")?.averageHeartRate == 64)

        let german = english.replacing("512 hertz", with: "511,5 Hertz").replacing("-265.868", with: "-265,868")
            .replacing("µV", with: "\u{3BC}V").replacing("\n", with: "\r\n")
        #expect(ElectrocardiogramReader.read(Array(german.utf8), fileName: "e")?.microvolts == [-265.868, 1])
        #expect(ElectrocardiogramReader.read(Array(german.utf8), fileName: "e")?.sampleRate == 511.5)
        let chinese = english.replacing("512 hertz", with: "512赫兹").replacing("Sinus Rhythm", with: "窦性心律")
        #expect(ElectrocardiogramReader.read(Array(chinese.utf8), fileName: "e")?.classification == "窦性心律")
        let unknown = english.replacing("512 hertz", with: "512 xyz")
        #expect(ElectrocardiogramReader.read(Array(unknown.utf8), fileName: "e")?.sampleRate == 512)
    }

    @Test("a CSV of another kind is no electrocardiogram")
    func otherTables() {
        for text in ["", "a,b\n1,2\n3,4\n", "Date,2026-05-30 16:32:18 -0700\nx,512 hertz\n", "1\n2\n3\n"] {
            #expect(ElectrocardiogramReader.read(Array(text.utf8), fileName: "e") == nil)
        }
    }
}
