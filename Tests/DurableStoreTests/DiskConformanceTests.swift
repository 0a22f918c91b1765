import Foundation
import Testing

@testable import DurableStore

/// Every implementation of the seam, one suite (style.md, "Tests").
enum DiskKind: String, CaseIterable, CustomTestStringConvertible {
    case posix, posixWithoutOpenat2, memory, interruptedPosix, interruptedMemory

    var testDescription: String { rawValue }

    /// Runs a body with an empty root folder and a way to plant links in it.
    func withRoot(_ body: (Directory, LinkPlanter) throws -> Void) throws {
        let memory = InMemoryDisk()
        switch self {
        case .posix, .posixWithoutOpenat2, .interruptedPosix:
            let folder = try TemporaryFolder()
            var disk: any Disk = self == .posixWithoutOpenat2 ? PosixDisk(resolution: .walk) : PosixDisk()
            if self == .interruptedPosix { disk = FaultyDisk(disk, shortTransfers: true, interrupting: true) }
            try body(try folder.open(on: disk), .posix(folder.path))
        case .memory:
            try body(try Directory.openRoot("/root", on: memory, creating: true), .memory(memory))
        case .interruptedMemory:
            let disk = FaultyDisk(memory, shortTransfers: true, interrupting: true)
            try body(try Directory.openRoot("/root", on: disk, creating: true), .memory(memory))
        }
    }
}

enum LinkPlanter {
    case posix(String)
    case memory(InMemoryDisk)

    func symbolicLink(_ name: String, to target: String, in directory: Directory) throws {
        switch self {
        case .posix(let root):
            let path = "\(root)/\(directory.display(name))"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        case .memory(let disk): try disk.plantSymbolicLink(name, to: target, in: directory)
        }
    }

    func hardLink(_ name: String, to existing: String, in directory: Directory) throws {
        switch self {
        case .posix(let root):
            try FileManager.default.linkItem(
                atPath: "\(root)/\(directory.display(existing))", toPath: "\(root)/\(directory.display(name))")
        case .memory(let disk): try disk.plantHardLink(name, to: existing, in: directory)
        }
    }

    func setPermissions(_ permissions: UInt16, of name: String, in directory: Directory) throws {
        switch self {
        case .posix(let root):
            try FileManager.default.setAttributes(
                [.posixPermissions: Int(permissions)], ofItemAtPath: "\(root)/\(directory.display(name))")
        case .memory(let disk): try disk.setPermissions(permissions, of: name, in: directory)
        }
    }
}

@Suite("Disk conformance")
struct DiskConformanceTests {
    @Test(
        "what is written at an offset is read there, gaps are zeros, reading stops at the end",
        arguments: DiskKind.allCases)
    func readAndWrite(_ kind: DiskKind) throws {
        try kind.withRoot { root, _ in
            let file = try root.createFile("a")
            try file.write(Array("hello, disk".utf8), at: 3)
            #expect(try file.size() == 14)
            #expect(try file.bytes(at: 0, count: 5) == [0, 0, 0, 104, 101])
            #expect(try root.file("a").text() == "\0\0\0hello, disk")
            #expect(storeCode { _ = try file.bytes(at: 10, count: 5) } == "corrupt")
            try file.truncate(to: 4)
            #expect(try file.size() == 4)
            try file.truncate(to: 6)
            #expect(try file.bytes(at: 3, count: 3) == [104, 0, 0])
        }
    }

    @Test("pieces come in order and complete", arguments: DiskKind.allCases)
    func pieces(_ kind: DiskKind) throws {
        try kind.withRoot { root, _ in
            let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let file = try root.createFile("a")
            try file.write(bytes, at: 0)
            var seen: [UInt8] = []
            #expect(try file.forEachPiece(from: 10) { seen += Array($0) } == 9_990)
            #expect(seen == Array(bytes[10...]))
        }
    }

    @Test(
        "a new name is taken once, and folders and files are not mistaken for each other", arguments: DiskKind.allCases)
    func kinds(_ kind: DiskKind) throws {
        try kind.withRoot { root, _ in
            _ = try root.createFile("file")
            _ = try root.createDirectory("folder/inner")
            #expect(storeCode { _ = try root.createFile("file") } == "already_exists")
            #expect(storeCode { _ = try root.createFile("folder") } == "already_exists")
            #expect(storeCode { _ = try root.file("folder") } == "wrong_type")
            #expect(storeCode { _ = try root.file("folder", .readWrite) } == "wrong_type")
            #expect(storeCode { _ = try root.directory("file") } == "wrong_type")
            #expect(storeCode { _ = try root.file("file/x") } == "wrong_type")
            #expect(storeCode { _ = try root.createDirectory("file") } == "wrong_type")
            #expect(storeCode { _ = try root.file("absent") } == "not_found")
            #expect(storeCode { _ = try root.file("absent/x") } == "not_found")
            #expect(storeCode { try root.remove("folder") } == "wrong_type")
            #expect(storeCode { try root.removeDirectory("folder") } == "not_empty")
            #expect(storeCode { try root.removeDirectory("file") } == "wrong_type")
        }
    }

    @Test(
        "what the store makes is private, and status tells kind, size, links and identity", arguments: DiskKind.allCases
    )
    func statuses(_ kind: DiskKind) throws {
        try kind.withRoot { root, links in
            let file = try root.createFile("a")
            try file.write([1, 2, 3], at: 0)
            let folder = try root.createDirectory("f")
            let status = try #require(try root.status(of: "a"))
            #expect(status.kind == .regularFile && status.size == 3 && status.linkCount == 1)
            #expect(status.permissions == 0o600)
            #expect(try folder.status().permissions == 0o700)
            #expect(try folder.identity() == root.status(of: "f")?.identity)
            #expect(try root.status(of: "absent") == nil)
            #expect(try root.status(of: "absent/deeper") == nil)
            try file.requirePrivate()
            try links.hardLink("b", to: "a", in: root)
            #expect(try file.status().linkCount == 2)
            #expect(storeCode { try file.requirePrivate() } == "not_private")
            #expect(storeCode { _ = try root.file("a", requiringPrivate: true) } == "not_private")
            try root.remove("b")
            try file.requirePrivate()
            try links.setPermissions(0o640, of: "a", in: root)
            #expect(storeCode { _ = try root.file("a", requiringPrivate: true) } == "not_private")
            try links.setPermissions(0o750, of: "f", in: root)
            #expect(storeCode { try folder.requirePrivate() } == "not_private")
        }
    }

    @Test("listing shows each name once, sorted by bytes, with its kind", arguments: DiskKind.allCases)
    func listing(_ kind: DiskKind) throws {
        try kind.withRoot { root, links in
            for name in ["b", "ä", "a", "Z"] { _ = try root.createFile(name) }
            _ = try root.createDirectory("folder")
            try links.symbolicLink("link", to: "a", in: root)
            let entries = try root.entries()
            #expect(entries.map(\.name) == ["Z", "a", "b", "folder", "link", "ä"])
            #expect(
                entries.map(\.kind) == [
                    .regularFile, .regularFile, .regularFile, .directory, .symbolicLink, .regularFile,
                ])
        }
    }

    @Test(
        "removing: names go, open files stay readable, trees go without following links", arguments: DiskKind.allCases)
    func removal(_ kind: DiskKind) throws {
        try kind.withRoot { root, links in
            let file = try root.createFile("a")
            try file.write([7], at: 0)
            try root.remove("a")
            #expect(try file.bytes(at: 0, count: 1) == [7])
            #expect(try root.removeIfPresent("a") == false)

            let unnamed = try root.createUnnamedFile()
            try unnamed.write([8], at: 0)
            #expect(try unnamed.bytes(at: 0, count: 1) == [8])
            #expect(try root.entries().isEmpty)

            let kept = try root.createDirectory("kept")
            _ = try kept.createFile("x")
            let tree = try root.createDirectory("tree/deep")
            _ = try tree.createFile("y")
            try links.symbolicLink("link", to: kind.rawValue.hasPrefix("posix") ? "../../kept" : "/root/kept", in: tree)
            try root.removeTree("tree")
            try root.removeTree("tree")
            #expect(try root.entries().map(\.name) == ["kept"])
            #expect(try kept.entries().map(\.name) == ["x"])
        }
    }

    @Test("names that are canonically equivalent but differ in bytes are two names", arguments: DiskKind.allCases)
    func equivalentNames(_ kind: DiskKind) throws {
        try kind.withRoot { root, _ in
            _ = try root.createFile("caf\u{e9}")
            _ = try root.createFile("cafe\u{301}")
            #expect(try root.entries().count == 2)
        }
    }

    @Test(
        "a lock is refused to a second handle, seen by a probe, and free when its holder goes",
        arguments: DiskKind.allCases)
    func locks(_ kind: DiskKind) throws {
        try kind.withRoot { root, _ in
            #expect(try FolderLock.probe(in: root) == .free)
            var lock: FolderLock? = try FolderLock.take(in: root)
            #expect(try FolderLock.probe(in: root) == .held(pid: getpid()))
            #expect(throws: StoreError.lockedBy(path: "lock", pid: getpid())) { try FolderLock.take(in: root) }
            withExtendedLifetime(lock) {}
            lock = nil
            #expect(try FolderLock.probe(in: root) == .free)
            _ = try FolderLock.take(in: root)
        }
    }

    @Test("free space is measured", arguments: DiskKind.allCases)
    func space(_ kind: DiskKind) throws {
        try kind.withRoot { root, _ in
            let space = try root.freeSpace()
            #expect(space.available > 0 && space.available <= space.total)
        }
    }

    @Test("a durable replacement installs, replaces, refuses or adopts", arguments: DiskKind.allCases)
    func replacement(_ kind: DiskKind) throws {
        try kind.withRoot { root, links in
            _ = try root.createDirectory("d")
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            var observed: [UInt8] = []
            let installed = try root.durableReplace(
                "d/a", expectedByteCount: 300_000, observing: { observed += Array($0) }
            ) {
                for start in stride(from: 0, to: bytes.count, by: 999) {
                    try $0.write(Array(bytes[start..<min(start + 999, bytes.count)]))
                }
            }
            #expect(observed == bytes)
            #expect(installed.byteCount == 300_000 && installed.outcome == .installed)
            #expect(try root.status(of: "d/a")?.identity == installed.identity)
            #expect(try root.file("d/a").contents(maximumByteCount: 300_000) == bytes)

            #expect(storeCode { try root.durableReplace("d/a", mode: .noReplace, with: [1]) } == "already_exists")
            #expect(storeCode { try root.durableReplace("d/a", mode: .adoptIfExact, with: [1]) } == "content_differs")
            let adopted = try root.durableReplace("d/a", mode: .adoptIfExact, with: bytes)
            #expect(adopted.outcome == .adopted && adopted.identity == installed.identity)
            let again = try root.durableReplace("d/a", with: [1, 2])
            #expect(again.outcome == .installed && again.identity != installed.identity)
            #expect(try root.file("d/a", requiringPrivate: true).contents(maximumByteCount: 2) == [1, 2])
            #expect(try root.durableReplace("new", mode: .adoptIfExact, with: [1]).outcome == .installed)

            let short = { try root.durableReplace("d/a", expectedByteCount: 3) { try $0.write([1, 2]) } }
            #expect(storeCode { _ = try short() } == "length_mismatch")
            let long = { try root.durableReplace("d/a", expectedByteCount: 1) { try $0.write([1, 2]) } }
            #expect(storeCode { _ = try long() } == "length_mismatch")

            try links.symbolicLink("link", to: "new", in: root)
            #expect(storeCode { try root.durableReplace("link", mode: .adoptIfExact, with: [1]) } == "is_symlink")
            try root.durableReplace("link", with: [9])
            #expect(try root.status(of: "link")?.kind == .regularFile)
            #expect(try root.file("new").contents(maximumByteCount: 9) == [1])
            #expect(storeCode { try root.durableReplace("d", with: [9]) } == "wrong_type")
            #expect(try root.directory("d").entries().map(\.name) == ["a"])
            #expect(try root.entries().map(\.name) == ["d", "link", "new"])
        }
    }

    @Test("a file that has the bytes already keeps its place, anything else is replaced", arguments: DiskKind.allCases)
    func replaceUnlessExact(_ kind: DiskKind) throws {
        try kind.withRoot { root, links in
            let first = try root.durableReplace("a", mode: .replaceUnlessExact, with: [1, 2, 3])
            #expect(first.outcome == .installed)
            let same = try root.durableReplace("a", mode: .replaceUnlessExact, with: [1, 2, 3])
            #expect(same.outcome == .adopted && same.identity == first.identity && same.byteCount == 3)
            let other = try root.durableReplace("a", mode: .replaceUnlessExact, with: [1, 2, 4])
            #expect(other.outcome == .installed && other.identity != first.identity)
            #expect(try root.file("a", requiringPrivate: true).contents(maximumByteCount: 3) == [1, 2, 4])

            try root.createDirectory("spool").durableReplace("b", with: [1, 2, 4])
            let moved = try root.durableMove("spool/b", to: root, as: "a", mode: .replaceUnlessExact)
            #expect(moved.outcome == .adopted && moved.identity == other.identity)
            #expect(try root.directory("spool").entries().isEmpty)

            try links.symbolicLink("link", to: "a", in: root)
            let link = try root.durableReplace("link", mode: .replaceUnlessExact, with: [1, 2, 4])
            #expect(link.outcome == .installed, "a link to the same bytes is not a file of ours")
            #expect(try root.status(of: "link")?.kind == .regularFile)
            let taken = storeCode { try root.durableReplace("spool", mode: .replaceUnlessExact, with: [9]) }
            #expect(taken == "wrong_type")
            #expect(try root.entries().map(\.name) == ["a", "link", "spool"])
        }
    }

    @Test("a durable move takes a file to another folder, replaces, refuses or adopts", arguments: DiskKind.allCases)
    func move(_ kind: DiskKind) throws {
        try kind.withRoot { root, links in
            let target = try root.createDirectory("target/deep")
            try root.createDirectory("spool").durableReplace("a", with: [1, 2, 3])
            let identity = try root.status(of: "spool/a")?.identity
            let moved = try root.durableMove("spool/a", to: root, as: "target/deep/b", mode: .noReplace)
            #expect(moved.identity == identity && moved.byteCount == 3 && moved.outcome == .installed)
            #expect(try root.status(of: "spool/a") == nil)
            #expect(try target.file("b").contents(maximumByteCount: 3) == [1, 2, 3])

            try root.durableReplace("spool/a", with: [1, 2, 3])
            #expect(
                storeCode { try root.durableMove("spool/a", to: target, as: "b", mode: .noReplace) } == "already_exists"
            )
            let adopted = try root.durableMove("spool/a", to: target, as: "b", mode: .adoptIfExact)
            #expect(adopted.identity == identity && adopted.outcome == .adopted)
            try root.durableReplace("spool/a", with: [9])
            #expect(
                storeCode { try root.durableMove("spool/a", to: target, as: "b", mode: .adoptIfExact) }
                    == "content_differs")
            try root.durableMove("spool/a", to: target, as: "b")
            #expect(try target.file("b").contents(maximumByteCount: 3) == [9])
            #expect(try root.directory("spool").entries().isEmpty)

            try links.symbolicLink("link", to: "deep/b", in: try root.directory("target"))
            #expect(storeCode { try root.durableMove("target/link", to: root, as: "x") } == "is_symlink")
            #expect(storeCode { try root.durableMove("target/deep", to: root, as: "x") } == "wrong_type")
            #expect(storeCode { try root.durableMove("absent", to: root, as: "x") } == "not_found")
            #expect(storeCode { try root.durableMove("target/deep/b", to: root, as: "../x") } == "path_escapes_root")
        }
    }
}
