import Foundation
import Testing

@testable import DurableStore

@Suite("Folder locks")
struct FolderLockTests {
    /// A process that takes the lock as we do, writes its pid, says so, and holds until its input ends.
    private static let holder = """
        import fcntl, os, struct, sys
        f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        os.ftruncate(f, 0); os.write(f, b"%d\\n" % os.getpid())
        print("held", flush=True)
        sys.stdin.read()
        """

    @Test("a lock held by another process is refused with its pid, and free when that process is killed")
    func otherProcess() throws {
        let folder = try TemporaryFolder()
        let root = try folder.open()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.holder, folder.path + "/lock"]
        let output = Pipe()
        let input = Pipe()
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        var said = Data()
        while !said.contains(UInt8(ascii: "\n")) { said += output.fileHandleForReading.availableData }
        #expect(String(decoding: said, as: UTF8.self) == "held\n")
        #expect(try FolderLock.probe(in: root) == .held(pid: process.processIdentifier))
        #expect(throws: StoreError.lockedBy(path: "lock", pid: process.processIdentifier)) {
            try FolderLock.take(in: root)
        }
        // A refused attempt must leave the holder's lock and pid alone.
        #expect(try FolderLock.probe(in: root) == .held(pid: process.processIdentifier))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(try FolderLock.probe(in: root) == .free)
        let lock = try FolderLock.take(in: root)
        #expect(try root.file("lock").text() == "\(getpid())\n")
        withExtendedLifetime(lock) {}
    }

    @Test("a lock file that others can write is refused")
    func looseFile() throws {
        let folder = try TemporaryFolder()
        let root = try folder.open()
        _ = try root.createFile("lock")
        chmod(folder.path + "/lock", 0o666)
        #expect(storeCode { _ = try FolderLock.take(in: root) } == "not_private")
        #expect(storeCode { _ = try FolderLock.probe(in: root) } == "not_private")
    }
}
