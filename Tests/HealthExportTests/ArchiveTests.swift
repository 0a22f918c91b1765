import Foundation
import Testing

@testable import HealthExport

@Suite struct ArchiveTests {
    private static let document = "<!DOCTYPE HealthData [ ]><HealthData locale=\"x\"></HealthData>"
    private static let root = "apple_health_export/"

    /// Writes bytes into a file and opens it.
    private func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("healthmd-\(UUID().uuidString).zip")
        try Data(bytes).write(to: path)
        // A leftover in the temporary folder harms no test.
        defer { try? FileManager.default.removeItem(at: path) }
        return try body(path.path)
    }

    private func open(_ zip: TestZip, _ options: ExportOptions = ExportOptions()) throws -> ExportArchive {
        try withFile(zip.bytes()) { try ExportArchive.open(path: $0, options: options) }
    }

    /// The code that opening, finding the main file and reading it ends with; nil for success.
    private func code(_ bytes: [UInt8], _ options: ExportOptions = ExportOptions()) throws -> String? {
        try withFile(bytes) { path in
            do {
                let archive = try ExportArchive.open(path: path, options: options)
                _ = try archive.bytes(try archive.mainFile(), limit: 1 << 20)
                return nil
            } catch let error as ExportError {
                #expect(!error.description.isEmpty)
                return error.code
            }
        }
    }

    @Test("the main file is found by its content, whatever its name and folder")
    func mainFile() throws {
        for name in ["export.xml", "导出.xml", "eksport.XML", "a/b/c/экспорт.xml"] {
            let archive = try open(
                TestZip([
                    .init("\(Self.root)export_cda.xml", "<ClinicalDocument/>"), .init(Self.root + name, Self.document),
                    .init("__MACOSX/\(Self.root)._export.xml", Self.document), .init(".DS_Store", "x"),
                ]))
            #expect(try archive.mainFile().name == Self.root + name)
            #expect(archive.files.count == 2)
        }
    }

    @Test("no main file, only the clinical copy, or two of them: refused by name")
    func mainFileRefusals() throws {
        #expect(try code(TestZip([.init("a.xml", "<html/>")]).bytes()) == "no_main_file")
        #expect(try code(TestZip([.init("export_cda.xml", "<ClinicalDocument/>")]).bytes()) == "only_clinical_document")
        let two = TestZip([.init("a.xml", Self.document), .init("b/a.xml", Self.document)])
        #expect(try code(two.bytes()) == "several_main_files")
        #expect(try code(TestZip([]).bytes()) == "no_main_file")
        #expect(try code([]) == "empty_file")
        #expect(try code(Array("hello".utf8)) == "not_an_export")
    }

    @Test("a name in another encoding, bytes before the archive and a comment behind it do no harm")
    func oddArchives() throws {
        var item = TestZip.Item("", Self.document)
        item.name = [0x80, 0x87] + Array(".xml".utf8)
        var zip = TestZip([item])
        zip.prefix = Array("#!/bin/sh\n".utf8)
        zip.comment = Array("PK\u{5}\u{6} not the end".utf8)
        let archive = try open(zip)
        #expect(try archive.mainFile().name == "Çç.xml")
        #expect(try archive.bytes(archive.mainFile(), limit: 1_000) == Array(Self.document.utf8))
    }

    @Test("a wrong checksum, a wrong size and an unknown method are errors")
    func mismatches() throws {
        var item = TestZip.Item("export.xml", Self.document)
        item.checksum = 1
        #expect(try code(TestZip([item]).bytes()) == "checksum_mismatch")
        for size in [Self.document.utf8.count + 1, Self.document.utf8.count - 1] {
            item = TestZip.Item("export.xml", Self.document)
            item.size = size
            #expect(try code(TestZip([item]).bytes()) == "checksum_mismatch")
        }
        item = TestZip.Item("export.xml", Self.document)
        item.method = 12
        #expect(try code(TestZip([item]).bytes()) == "unsupported_method")
        item.method = 8
        #expect(try code(TestZip([item]).bytes()) == "checksum_mismatch")
        item.method = 0
        item.flags = 1
        #expect(try code(TestZip([item]).bytes()) == "encrypted_entry")
    }

    @Test("overlapping entries, bombs and contradictions are refused before anything is unpacked")
    func hostileArchives() throws {
        var zip = TestZip([.init("export.xml", Self.document), .init("b.xml", Self.document)])
        zip.overlaps = true
        #expect(try code(zip.bytes()) == "damaged_archive")
        var bomb = TestZip.Item("export.xml", Self.document)
        bomb.size = 1 << 30
        #expect(try code(TestZip([bomb]).bytes()) == "too_large")
        var options = ExportOptions()
        options.maximumUnpackedSize = 10
        #expect(try code(TestZip([.init("export.xml", Self.document)]).bytes(), options) == "too_large")
        var cut = TestZip([.init("export.xml", Self.document)]).bytes()
        cut[cut.count - 12] ^= 1
        #expect(try code(cut) == "damaged_archive")
    }

    @Test("every truncation and every flipped bit of a small archive gives its bytes or a coded error")
    func damage() throws {
        let whole = TestZip([.init("export.xml", Self.document), .init("routes/a.gpx", "<gpx/>")]).bytes()
        for length in 0..<whole.count {
            let found = try code(Array(whole[..<length]))
            #expect(found == (length == 0 ? "empty_file" : length < 4 ? "not_an_export" : "truncated_archive"))
        }
        for index in whole.indices {
            for bit in [0, 7] {
                var flipped = whole
                flipped[index] ^= 1 << UInt8(bit)
                _ = try code(flipped)
            }
        }
    }

    @Test("sizes of 2^63 and more are refused, not added up")
    func hugeNumbers() throws {
        var output = TestZip([.init("export.xml", Self.document)]).bytes()
        // The entry's three numbers move into a zip64 field of the directory, all ones.
        let field: [UInt8] = [1, 0, 24, 0] + [UInt8](repeating: 0xFF, count: 24)
        let directory = 30 + 10 + Self.document.utf8.count
        for offset in [20, 24, 42] {
            output.replaceSubrange(directory + offset..<directory + offset + 4, with: [255, 255, 255, 255])
        }
        output[directory + 30] = UInt8(field.count)
        output.insert(contentsOf: field, at: directory + 46 + 10)
        let end = output.count - 22
        output[end + 12] += UInt8(field.count)
        #expect(try code(output) == "damaged_archive")
        var options = ExportOptions()
        options.rescue = true
        var local = TestZip([.init("export.xml", Self.document)]).bytes()
        local.replaceSubrange(18..<22, with: [255, 255, 255, 255])
        // A rescue takes what is there, so all that counts is that it ends.
        _ = try code(Array(local.dropLast(30)), options)
    }

    @Test("a zip64 locator that points beyond 2^63 is refused, not added up")
    func hugeLocator() throws {
        var output = TestZip([.init("export.xml", Self.document)]).bytes()
        let locator: [UInt8] = [0x50, 0x4B, 6, 7, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [1, 0, 0, 0]
        output.insert(contentsOf: locator, at: output.count - 22)
        #expect(try code(output) == "damaged_archive")
    }

    @Test("a directory that names more entries than its bytes can hold is refused before room is made for them")
    func hugeEntryCount() throws {
        var output = TestZip([.init("export.xml", Self.document)]).bytes()
        let end = output.count - 22
        for offset in [8, 10] { output.replaceSubrange(end + offset..<end + offset + 2, with: [0xFF, 0xF8]) }
        #expect(try code(output) == "damaged_archive")
    }

    @Test("names that lead out, links and folders are not files of the export")
    func unsafeNames() throws {
        var link = TestZip.Item("link.xml", Self.document)
        link.attributes = 0xA1FF << 16
        let archive = try open(
            TestZip([
                .init("../up.xml", Self.document), .init("/abs.xml", Self.document),
                .init("a/../../b.xml", Self.document),
                .init("C:\\x.xml", Self.document), link, .init("folder/", ""), .init("e\\export.xml", Self.document),
            ]))
        #expect(archive.files.map(\.name) == ["e/export.xml"])
        #expect(archive.problems.count(.entrySkipped) == 5)
    }

    @Test("two entries of one name are one file when they are equal, else refused")
    func duplicateNames() throws {
        let main = TestZip.Item("export.xml", Self.document)
        let same = try open(TestZip([main, .init("r/a.gpx", "1"), .init("r/a.gpx", "1")]))
        #expect(try same.file(atReference: "/r/a.gpx", from: try same.mainFile()) != nil)
        let other = try open(TestZip([main, .init("r/a.gpx", "1"), .init("r/a.gpx", "2")]))
        let found = try other.mainFile()
        #expect(throws: ExportError.self) { try other.file(atReference: "/r/a.gpx", from: found) }
    }

    @Test("references are resolved beside the main file and never out of the export")
    func references() throws {
        let archive = try open(
            TestZip([.init("x/export.xml", Self.document), .init("x/r/a.gpx", "1"), .init("r/a.gpx", "2")]))
        let main = try archive.mainFile()
        let file = try #require(try archive.file(atReference: "/r/a.gpx", from: main))
        #expect(file.name == "x/r/a.gpx")
        #expect(try archive.bytes(file, limit: 10) == [0x31])
        #expect(try archive.file(atReference: "/r/none.gpx", from: main) == nil)
        #expect(throws: ExportError.self) { try archive.file(atReference: "/../r/a.gpx", from: main) }
    }

    @Test("a zip inside a zip is opened")
    func nestedZip() throws {
        let inner = TestZip([.init("apple_health_export/export.xml", Self.document)]).bytes()
        let archive = try open(TestZip([.init("mail/export.zip", inner)]))
        #expect(try archive.mainFile().name == "apple_health_export/export.xml")
        #expect(try archive.bytes(archive.mainFile(), limit: 1_000) == Array(Self.document.utf8))
    }

    @Test("the bare XML and the folder are exports too; links in a folder are not followed")
    func otherForms() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("healthmd-\(UUID().uuidString)")
        defer { GeneratedExport.remove(folder) }
        let inner = folder.appendingPathComponent("apple_health_export")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let xml = inner.appendingPathComponent("vienti.xml")
        try Data(Self.document.utf8).write(to: xml)
        try FileManager.default.createSymbolicLink(
            at: inner.appendingPathComponent("other.xml"), withDestinationURL: xml)
        let archive = try ExportArchive.open(path: folder.path)
        #expect(try archive.mainFile().name == "apple_health_export/vienti.xml")
        let single = try ExportArchive.open(path: xml.path)
        #expect(try single.bytes(single.mainFile(), limit: 1_000) == Array(Self.document.utf8))
        #expect(throws: ExportError.self) { try ExportArchive.open(path: folder.path + "/none") }
    }

    @Test("the XML of an unpacked export brings the files beside it, and only those of an export")
    func documentWithSiblings() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("healthmd-\(UUID().uuidString)")
        defer { GeneratedExport.remove(folder) }
        for name in ["workout-routes", "private"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
            try Data("<gpx/>".utf8).write(to: folder.appendingPathComponent("\(name)/a.gpx"))
        }
        let xml = folder.appendingPathComponent("export.xml")
        try Data(Self.document.utf8).write(to: xml)
        try Data(Self.document.utf8).write(to: folder.appendingPathComponent("copy.xml"))
        let archive = try ExportArchive.open(path: xml.path)
        #expect(archive.files.map(\.name) == ["export.xml", "workout-routes/a.gpx"])
        let main = try archive.mainFile()
        #expect(try !(archive.streamAhead(main) is ReadAheadSource), "nothing is to be unpacked")
        #expect(try archive.file(atReference: "/workout-routes/a.gpx", from: main) != nil)
        #expect(try archive.file(atReference: "/private/a.gpx", from: main) == nil)
    }

    @Test("reading ahead gives the same bytes, and its errors; a reader that stops early ends the thread")
    func readAhead() throws {
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 9)) }
        let source = ReadAheadSource(MemoryBytes(bytes, pieceSize: 70_001))
        var output: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 99_991, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try source.read(into: buffer), count > 0 { output.append(contentsOf: buffer[..<count]) }
        #expect(output == bytes)
        #expect(try source.read(into: buffer) == 0)
        _ = try ReadAheadSource(MemoryBytes(bytes)).read(into: buffer)
        struct Failing: Error {}
        final class FailingSource: ByteSource {
            func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { throw Failing() }
        }
        let failing = ReadAheadSource(FailingSource())
        #expect(throws: Failing.self) { try failing.read(into: buffer) }
    }
}

@Suite(.enabled(if: GeneratedExport.isAvailable, GeneratedExport.absence))
struct GeneratedArchiveTests {
    private static let small = ["--days", "8", "--records-per-day", "50", "--route-points", "30", "--ecgs", "1"]

    @Test(
        "every kind of zip that phones and people make gives the generator's totals",
        arguments: [
            [], ["descriptor"], ["zip64"], ["stored"], ["nested"], ["no-utf8-flag"], ["macosx"],
            ["descriptor", "zip64", "macosx", "nested"],
        ])
    func zips(hazards: [String]) throws {
        let arguments = Self.small + ["--locale", "zh_CN"] + hazards.flatMap { ["--hazard", $0] }
        let (path, expected, folder) = try GeneratedExport.make(.zip, arguments)
        defer { GeneratedExport.remove(folder) }
        let archive = try ExportArchive.open(path: path)
        let main = try archive.mainFile()
        #expect(main.name.hasSuffix(expected.main))
        let summary = try ExportReader.read(
            try archive.streamAhead(main), entry: main.name, visitor: RecordingVisitor())
        #expect(summary.recordCount == expected.elements["Record"])
        #expect(summary.byteCount == expected.xml_bytes)
        #expect(try archive.clinicalFiles().count == expected.files["clinical"])
    }

    @Test("a zip without its end is refused with the way out; rescue takes what is there and calls it incomplete")
    func truncated() throws {
        for more in [[], ["--hazard", "descriptor"]] {
            let (path, expected, folder) = try GeneratedExport.make(
                .zip, Self.small + ["--hazard", "truncate-zip"] + more)
            defer { GeneratedExport.remove(folder) }
            do {
                _ = try ExportArchive.open(path: path)
                Issue.record("a truncated zip was opened")
            } catch let error as ExportError {
                #expect(error.code == "truncated_archive")
                #expect(error.description.contains("--rescue"))
            }
            var options = ExportOptions()
            options.rescue = true
            let archive = try ExportArchive.open(path: path, options: options)
            #expect(archive.isRescued)
            let main = try archive.mainFile()
            let summary = try ExportReader.read(
                try archive.stream(main), entry: main.name, visitor: RecordingVisitor())
            #expect(summary.recordCount > 0 && summary.recordCount <= expected.elements["Record"] ?? 0)
        }
    }
}
