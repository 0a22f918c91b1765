import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import HealthData

/// Tests of minutes and gigabytes.
enum LongTests {
    static let areWanted = ProcessInfo.processInfo.environment["HEALTHMD_LONG_TESTS"] == "1"
}

/// Archives beyond the sizes of the classic format, opened by other programs. Minutes and gigabytes: `make check-zip`.
@Suite("ZIP archives of any size", .enabled(if: LongTests.areWanted, "skipped: make check-zip runs them"))
struct ZipScaleTests {
    private let date = CivilDate("2026-03-15")!

    /// A file that a writer appends to.
    private final class ArchiveFile {
        let path: String
        private let handle: FileHandle
        private(set) var byteCount: UInt64 = 0

        init(_ path: String) throws {
            self.path = path
            try Data().write(to: URL(fileURLWithPath: path))
            handle = try #require(FileHandle(forUpdatingAtPath: path))
        }

        func append(_ bytes: [UInt8]) throws {
            try handle.write(contentsOf: bytes)
            byteCount += UInt64(bytes.count)
        }

        func read(_ offset: UInt64, _ count: Int) throws -> [UInt8] {
            try handle.seek(toOffset: offset)
            let bytes = Array(try handle.read(upToCount: count) ?? Data())
            try handle.seekToEnd()
            return bytes
        }
    }

    /// Every reader that is installed finds `entryCount` intact entries; Python must be among them.
    private func expectReadable(_ path: String, entryCount: Int) throws {
        let python = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()))
            """
        let outcome = try Program.run("python3", ["-c", python, path])
        #expect(outcome.status == 0 && outcome.output == "\(entryCount)\n", "\(outcome.errors)")
        for (name, arguments) in [("unzip", ["-tqq", path]), ("7z", ["t", "-bso0", "-bsp0", path])] {
            guard try Program.run("which", [name]).status == 0 else {
                print("\(name): SKIPPED, it is not installed")
                continue
            }
            let outcome = try Program.run(name, arguments)
            #expect(outcome.status == 0, "\(name): \(outcome.output)\(outcome.errors)")
            print("\(name): \(entryCount) entries, intact")
        }
    }

    @Test("more than 65,535 entries, continued from a checkpoint in the middle")
    func manyEntries() throws {
        let folder = try TemporaryFolder()
        let file = try ArchiveFile(folder.appending("many.zip"))
        var writer = ZipArchiveWriter()
        let count = 70_000
        for index in 0..<count {
            if index == 66_000 {
                writer = try ZipArchiveWriter(resuming: writer.checkpoint, reading: file.read)
            }
            try writer.add("entries/\(index).md", date: date, content: Array("entry \(index)".utf8), to: file.append)
        }
        try writer.finish(to: file.append)
        try expectReadable(file.path, entryCount: count)
    }

    @Test("more than 4 GiB, continued from a checkpoint behind 4 GiB")
    func manyBytes() throws {
        let folder = try TemporaryFolder()
        let file = try ArchiveFile(folder.appending("large.zip"))
        var writer = ZipArchiveWriter()
        // What cannot be compressed; the same piece for each entry, since readers check each alone.
        var generator = SystemRandomNumberGenerator()
        let piece = (0..<(4 << 20) / 8).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
        var count = 0
        var isContinued = false
        while file.byteCount <= 4 << 30 + 200 << 20 {
            if file.byteCount > 4 << 30, !isContinued {
                writer = try ZipArchiveWriter(resuming: writer.checkpoint, reading: file.read)
                isContinued = true
            }
            try writer.add("days/\(count).json", date: date, to: file.append) { sink in
                for _ in 0..<16 { try sink(piece) }
            }
            count += 1
        }
        try writer.finish(to: file.append)
        #expect(isContinued && file.byteCount > 4 << 30)
        try expectReadable(file.path, entryCount: count)
    }
}
