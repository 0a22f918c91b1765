import CanonicalJSON
import Foundation
import Testing

@testable import HealthData

@Suite("ZIP archives")
struct ZipTests {
    private let date = CivilDate("2026-03-15")!

    /// A file in memory that a writer appends to.
    private final class Storage {
        var bytes: [UInt8] = []
        func read(_ offset: UInt64, _ count: Int) -> [UInt8] {
            Array(bytes.dropFirst(Int(offset)).prefix(count))
        }
    }

    private func content(_ index: Int) -> [UInt8] {
        Array((0..<(1_000 + index * 50_000)).map { "\(index * 7 + $0 % 97)" }.joined(separator: ",").utf8)
    }

    private func write(_ count: Int, into storage: Storage) throws -> ZipArchiveWriter {
        var writer = ZipArchiveWriter()
        for index in 0..<count {
            try writer.add("2026/day-\(index) ü.json", date: date, content: content(index)) { storage.bytes += $0 }
        }
        return writer
    }

    @Test(
        "another program reads the archive and finds every entry's content",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "skipped: no python3 here"))
    func interoperability() throws {
        let storage = Storage()
        try write(3, into: storage).finish { storage.bytes += $0 }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("zip-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // Leaving a temporary folder behind would not make the test wrong.
            try? FileManager.default.removeItem(at: folder)
        }
        let path = folder.appendingPathComponent("a.zip")
        try Data(storage.bytes).write(to: path)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
            for i in z.infolist():
                assert i.extract_version == 45 and i.compress_type == 8 and i.date_time[:3] == (2026, 3, 15)
                print(i.filename, i.file_size)
            """
        process.arguments = ["PYTHONIOENCODING=utf-8", "python3", "-c", script, path.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let expected = (0..<3).map { "2026/day-\($0) ü.json \(content($0).count)\n" }.joined()
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test("the archive is ZIP64 whatever its size: end record, locator, and full fields in the classic record")
    func alwaysZip64() throws {
        let storage = Storage()
        try ZipArchiveWriter().finish { storage.bytes += $0 }
        #expect(storage.bytes.count == 56 + 20 + 22)
        #expect(storage.bytes.prefix(4) == [0x50, 0x4B, 6, 6])
        #expect(storage.bytes[56..<60] == [0x50, 0x4B, 6, 7])
        #expect(storage.bytes[76..<80] == [0x50, 0x4B, 5, 6])
        #expect(storage.bytes[84..<96].allSatisfy { $0 == 0xFF })
    }

    @Test("a writer that goes on from a checkpoint gives the bytes of one that was never interrupted")
    func resume() throws {
        let whole = Storage()
        try write(5, into: whole).finish { whole.bytes += $0 }
        let torn = Storage()
        let checkpoint = try write(3, into: torn).checkpoint
        torn.bytes += [1, 2, 3, 4]
        torn.bytes.removeSubrange(Int(checkpoint.byteCount)...)
        var writer = try ZipArchiveWriter(resuming: checkpoint, reading: torn.read)
        #expect(writer.contains("2026/DAY-1 ü.json") && !writer.contains("2026/day-3 ü.json"))
        for index in 3..<5 {
            try writer.add("2026/day-\(index) ü.json", date: date, content: content(index)) { torn.bytes += $0 }
        }
        try writer.finish { torn.bytes += $0 }
        #expect(torn.bytes == whole.bytes)
    }

    @Test("a file that is not the checkpoint's is refused")
    func damagedResume() throws {
        let storage = Storage()
        let checkpoint = try write(2, into: storage).checkpoint
        storage.bytes[0] = 0
        #expect(throws: HealthDataError.self) { try ZipArchiveWriter(resuming: checkpoint, reading: storage.read) }
        #expect(throws: HealthDataError.self) {
            try ZipArchiveWriter(resuming: checkpoint) { _, _ in [] }
        }
    }

    @Test("entry names are safe and unique")
    func names() throws {
        var writer = ZipArchiveWriter()
        try writer.add(#"a\.\b//c.json"#, date: date, content: [1]) { _ in }
        #expect(writer.contains("a/b/c.json"))
        #expect(throws: HealthDataError.self) { try writer.add("A/B/C.json", date: date, content: [1]) { _ in } }
        for name in ["../x", "a/../x", "", "a\u{0}", "C:x"] {
            #expect(throws: HealthDataError.self) { try writer.add(name, date: date, content: [1]) { _ in } }
        }
    }

    @Test("the archive is named after its range, in the health folder")
    func archivePath() {
        let planner = FilePlanner(ExportSettings())
        #expect(planner.archivePath(from: date, to: date) == "Health/Health.md Export 2026-03-15.zip")
        #expect(
            planner.archivePath(from: date, to: date.adding(days: 1)!)
                == "Health/Health.md Export 2026-03-15_to_2026-03-16.zip")
    }
}
