import Foundation
import Synchronization
import Testing

@testable import DurableStore

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

@Suite("Paths that must not escape")
struct PathEscapeTests {
    static let badPaths: [(path: String, code: String)] = [
        ("", "invalid_path"), (".", "invalid_path"), ("..", "path_escapes_root"), ("../x", "path_escapes_root"),
        ("a/..", "path_escapes_root"), ("a/../b", "path_escapes_root"), ("a/../../b", "path_escapes_root"),
        ("/", "path_escapes_root"), ("/etc/passwd", "path_escapes_root"), ("//x", "path_escapes_root"),
        ("a//b", "invalid_path"), ("a/", "invalid_path"), ("./a", "invalid_path"), ("a/./b", "invalid_path"),
        ("a\0b", "invalid_path"), ("a/b\0", "invalid_path"), ("\0", "invalid_path"),
        (String(repeating: "x", count: 256), "invalid_path"),
        ("a/" + String(repeating: "é", count: 128), "invalid_path"),
        (String(repeating: "a/", count: 2_048) + "a", "invalid_path"),
        // "/" with a combining mark is one Character; the kernel still splits there.
        ("a/\u{301}/../b", "path_escapes_root"), ("/\u{301}etc", "path_escapes_root"), ("a/\u{301}/", "invalid_path"),
    ]

    @Test("a hostile path is refused before the disk is asked", arguments: badPaths)
    func hostilePath(_ path: String, _ code: String) throws {
        let disk = FaultyDisk(InMemoryDisk())
        let root = try Directory.openRoot("/", on: disk)
        let before = disk.calls.count
        #expect(storeCode { _ = try root.file(path) } == code)
        #expect(storeCode { _ = try root.createFile(path) } == code)
        #expect(storeCode { _ = try root.directory(path) } == code)
        #expect(storeCode { _ = try root.createDirectory(path) } == code)
        #expect(storeCode { _ = try root.status(of: path) } == code)
        #expect(storeCode { try root.remove(path) } == code)
        #expect(storeCode { try root.removeTree(path) } == code)
        #expect(storeCode { try root.durableReplace(path, with: []) } == code)
        #expect(disk.calls.count == before)
    }

    @Test(
        "names that only look dangerous are plain names",
        arguments: [
            "...", "..a", "a..", " ", "~", "-rf", "$(x)", "a\\..\\b", "\u{202e}txt", "%2e%2e", "CON", "a:b",
            "\u{2215}etc",
            "a\u{301}", "＼", String(repeating: "x", count: 255),
        ])
    func oddName(_ name: String) throws {
        let folder = try TemporaryFolder()
        let root = try folder.open()
        try root.durableReplace(name, with: [1])
        #expect(try root.entries().count == 1)
        #expect(try root.file(name).contents(maximumByteCount: 1) == [1])
    }

    @Test("a link at any component is refused, whether it leads out or not", arguments: DiskKind.allCases)
    func links(_ kind: DiskKind) throws {
        try kind.withRoot { root, links in
            let inner = try root.createDirectory("real/inner")
            try inner.durableReplace("file", with: [1])
            try links.symbolicLink("out", to: "/etc", in: root)
            try links.symbolicLink("up", to: "..", in: root)
            try links.symbolicLink("in", to: "real", in: root)
            try links.symbolicLink("self", to: "self", in: root)
            try links.symbolicLink("passwd", to: "/etc/passwd", in: root)
            try links.symbolicLink("magic", to: "/proc/self/root", in: root)
            try links.symbolicLink("link", to: "inner", in: try root.directory("real"))
            for path in ["out", "up", "in", "self", "passwd", "magic", "real/link"] {
                #expect(storeCode { _ = try root.file(path) } == "is_symlink", "\(path)")
                #expect(storeCode { _ = try root.file(path, .readWrite) } == "is_symlink", "\(path)")
                #expect(storeCode { _ = try root.directory(path) } == "is_symlink", "\(path)")
                #expect(storeCode { _ = try root.createDirectory(path) } == "is_symlink", "\(path)")
                #expect(storeCode { _ = try root.createFile(path) } == "already_exists", "\(path)")
                #expect(storeCode { _ = try root.openOrCreateFile(path) } == "is_symlink", "\(path)")
                #expect(try root.status(of: path)?.kind == .symbolicLink)
            }
            for path in ["out/passwd", "up/x", "in/inner/file", "self/x", "magic/etc/passwd", "real/link/file"] {
                #expect(storeCode { _ = try root.file(path) } == "is_symlink", "\(path)")
                #expect(storeCode { _ = try root.createFile(path) } == "is_symlink", "\(path)")
                #expect(storeCode { _ = try root.createDirectory(path) } == "is_symlink", "\(path)")
                #expect(storeCode { try root.remove(path) } == "is_symlink", "\(path)")
                #expect(storeCode { try root.removeTree(path) } == "is_symlink", "\(path)")
                #expect(storeCode { try root.durableReplace(path, with: [1]) } == "is_symlink", "\(path)")
                #expect(storeCode { _ = try FolderLock.take(path, in: root) } == "is_symlink", "\(path)")
            }
        }
    }

    @Test("a root that is a link is refused, a link above the root is the owner's business")
    func rootLink() throws {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path + "/real", withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "real")
        #expect(storeCode { _ = try Directory.openRoot(folder.path + "/link") } == "is_symlink")
        #expect(storeCode { _ = try Directory.openRoot(folder.path + "/link", creating: true) } == "is_symlink")
        let below = try Directory.openRoot(folder.path + "/link/a/b", creating: true)
        #expect(try below.entries().isEmpty)
        #expect(try folder.open().directory("real/a/b").identity() == below.identity())
        #expect(storeCode { _ = try Directory.openRoot("relative") } == "invalid_path")
        #expect(storeCode { _ = try Directory.openRoot(folder.path + "\0x") } == "invalid_path")
        #expect(storeCode { _ = try Directory.openRoot(folder.path + "/absent") } == "not_found")
    }

    @Test("pipes and devices are not opened as files, and opening them does not block")
    func specialFiles() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        let root = try folder.open()
        #expect(storeCode { _ = try root.file("pipe") } == "wrong_type")
        #expect(storeCode { _ = try root.openOrCreateFile("pipe") } == "wrong_type")
        let devices = try Directory.openRoot("/dev")
        #expect(storeCode { _ = try devices.file("null") } == "wrong_type")
    }

    @Test("a folder that is swapped for a link while paths are opened never leads out", arguments: [false, true])
    func renameRace(walking: Bool) throws {
        let folder = try TemporaryFolder()
        let outside = try TemporaryFolder()
        try outside.open().durableReplace("secret", with: [42])
        let root = try folder.open(on: PosixDisk(resolution: walking ? .walk : .kernel))
        try root.createDirectory("a/b").durableReplace("secret", with: [1])
        let stop = Flag()
        let base = folder.path
        let target = outside.path
        let swapper = Thread {
            symlink(target, base + "/a/link")
            while !stop.isSet.load(ordering: .relaxed) {
                rename(base + "/a/b", base + "/a/kept")
                rename(base + "/a/link", base + "/a/b")
                rename(base + "/a/b", base + "/a/link")
                rename(base + "/a/kept", base + "/a/b")
            }
        }
        swapper.start()
        var opened = 0
        for _ in 0..<5_000 {
            do {
                #expect(try root.file("a/b/secret").contents(maximumByteCount: 1) == [1])
                opened += 1
            } catch {
                #expect(["is_symlink", "not_found", "wrong_type"].contains(error.code))
            }
        }
        stop.isSet.store(true, ordering: .relaxed)
        while !swapper.isFinished { usleep(1_000) }
        #expect(opened > 0)
    }
}
