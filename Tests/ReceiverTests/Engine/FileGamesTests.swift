import ConnectedProtocol
import DurableStore
import Foundation
import Glibc
import Testing

@testable import Receiver

/// Somebody who may write where the receiver writes plays with links, renames and mounts while a job runs. Nothing is ever written
/// outside of the root that was chosen, and no job says that it succeeded when its files are not there.
@Suite struct FileGamesTests {
    /// When the game is played.
    enum Moment: String, Sendable {
        case beforeTransfer
        /// A partition is durable and an item half there.
        case betweenPartitions
        /// A chunk of the second partition is in its spool.
        case inTransfer
        case beforeFinalization
        /// The first day's files are written.
        case inFinalization
    }

    /// How it may end.
    enum Outcome: String, Sendable {
        /// The job is not completed, or its result names what is missing.
        case refused
        /// The job is completed with exactly the files of an undisturbed one.
        case unharmed
        /// Either, but nothing in between.
        case either
    }

    struct Game: Sendable, CustomTestStringConvertible {
        let name: String
        let moment: Moment
        var restarts = false
        let outcome: Outcome
        let play: @Sendable (Field) throws -> Void

        var testDescription: String { "\(name), \(moment.rawValue)\(restarts ? ", then a restart" : "")" }
    }

    /// What a game is played with.
    struct Field {
        let root: String
        let session: UUID
        let halfItem: UUID?

        var destination: String { root + "/destination" }
        var outside: String { root + "/outside" }
        var health: String { destination + "/Health" }
        var day: String { health + "/2026-01-03.json" }
        var sessions: String { root + "/state/sessions" }
        var folder: String { sessions + "/" + session.uuidString }
        var item: String { folder + "/items/\(halfItem?.uuidString ?? "").item" }

        func spool() throws -> String {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            return folder + "/" + (names.first { $0.hasPrefix("spool-") } ?? "")
        }

        func linkInstead(of path: String, to target: String) throws {
            try removeIfThere(path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }

        func hardLink(_ path: String, to existing: String) throws {
            try removeIfThere(path)
            try FileManager.default.linkItem(atPath: existing, toPath: path)
        }

        func move(_ path: String, to target: String) throws {
            try FileManager.default.moveItem(atPath: path, toPath: target)
        }

        func makeFolder(_ path: String) throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }

        func makePipe(_ path: String) throws {
            try removeIfThere(path)
            try #require(mkfifo(path, 0o600) == 0)
        }

        func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }

        func removeIfThere(_ path: String) throws {
            var status = stat()
            guard lstat(path, &status) == 0 else { return }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    private static func games(
        _ name: String, _ moments: [Moment], _ outcome: Outcome,
        restarts: Bool = false, _ play: @escaping @Sendable (Field) throws -> Void
    ) -> [Game] {
        moments.map { Game(name: name, moment: $0, restarts: restarts, outcome: outcome, play: play) }
    }

    private static let wheneverFilesCome: [Moment] = [.beforeTransfer, .beforeFinalization, .inFinalization]

    static let rootGames: [Game] =
        games("the root becomes a link to another folder", wheneverFilesCome, .refused) {
            try $0.linkInstead(of: $0.destination, to: $0.outside)
        }
        + games("the root becomes a link to itself, moved", wheneverFilesCome, .refused) {
            try $0.move($0.destination, to: $0.root + "/moved")
            try $0.linkInstead(of: $0.destination, to: $0.root + "/moved")
        }
        + games("another folder takes the root's name", wheneverFilesCome, .refused) {
            try $0.move($0.destination, to: $0.root + "/moved")
            try $0.makeFolder($0.health)
        }
        + games("the root is gone", [.beforeTransfer, .beforeFinalization], .refused) {
            try $0.removeIfThere($0.destination)
        }
        + games("a file takes the root's name", [.beforeTransfer, .beforeFinalization], .refused) {
            try $0.removeIfThere($0.destination)
            try $0.write("not a folder", $0.destination)
        }

    static let folderGames: [Game] =
        games("the folder is a link that leads out", wheneverFilesCome, .refused) {
            try $0.linkInstead(of: $0.health, to: $0.outside)
        }
        + games("the folder is a relative link that leads out", [.beforeFinalization], .refused) {
            try $0.linkInstead(of: $0.health, to: "../outside")
        }
        + games("the folder is a link within the root", [.beforeTransfer, .beforeFinalization], .refused) {
            try $0.makeFolder($0.destination + "/Other")
            try $0.linkInstead(of: $0.health, to: "Other")
        }
        + games("the folder is a link to itself", [.beforeFinalization], .refused) {
            try $0.linkInstead(of: $0.health, to: "Health")
        }
        + games("the folder is a link to nothing", [.beforeFinalization], .refused) {
            try $0.linkInstead(of: $0.health, to: $0.outside + "/new")
        }
        + games("a file takes the folder's name", [.beforeTransfer, .beforeFinalization], .refused) {
            try $0.removeIfThere($0.health)
            try $0.write("not a folder", $0.health)
        }
        + games("a pipe takes the folder's name", [.beforeFinalization], .refused) { try $0.makePipe($0.health) }
        + games("the folder is renamed, and its name leads out", [.inFinalization], .refused) {
            try $0.move($0.health, to: $0.destination + "/Moved")
            try $0.linkInstead(of: $0.health, to: $0.outside)
        }

    static let targetGames: [Game] =
        games("the day's file is a link to a file outside", [.beforeFinalization, .inFinalization], .either) {
            try $0.makeFolder($0.health)
            try $0.linkInstead(of: $0.day, to: $0.outside + "/secret")
        }
        + games("the day's file is a link to a new name outside", [.beforeFinalization, .inFinalization], .either) {
            try $0.makeFolder($0.health)
            try $0.linkInstead(of: $0.day, to: $0.outside + "/new")
        }
        + games("the day's file is a second name of a file outside", [.beforeFinalization, .inFinalization], .either) {
            try $0.makeFolder($0.health)
            try $0.hardLink($0.day, to: $0.outside + "/secret")
        }
        + games("a folder takes the day's name", [.beforeFinalization, .inFinalization], .refused) {
            try $0.makeFolder($0.day)
        }
        + games("a pipe takes the day's name", [.beforeFinalization], .either) {
            try $0.makeFolder($0.health)
            try $0.makePipe($0.day)
        }
        + games("the day's file is a link to a device", [.beforeFinalization], .either) {
            try $0.makeFolder($0.health)
            try $0.linkInstead(of: $0.day, to: "/dev/full")
        }

    static let spoolGames: [Game] =
        games("the spool's name leads out", [.inTransfer], .unharmed) {
            try $0.linkInstead(of: $0.spool(), to: $0.outside + "/secret")
        }
        + games("the spool is gone", [.inTransfer], .unharmed) { try $0.removeIfThere($0.spool()) }
        + games("the items' folder leads out", [.betweenPartitions], .refused, restarts: true) {
            try $0.linkInstead(of: $0.folder + "/items", to: $0.outside)
        }
        + games("the session's folder leads out", [.betweenPartitions, .beforeFinalization], .refused, restarts: true) {
            try $0.move($0.folder, to: $0.outside + "-moved")
            try $0.linkInstead(of: $0.folder, to: $0.outside)
        }
        + games(
            "a copy takes the session's place", [.betweenPartitions, .beforeFinalization], .refused, restarts: true
        ) {
            try $0.move($0.folder, to: $0.folder + "-moved")
            try FileManager.default.copyItem(atPath: $0.folder + "-moved", toPath: $0.folder)
        }
        + games("the half item's name leads out", [.betweenPartitions], .refused) {
            try $0.linkInstead(of: $0.item, to: $0.outside + "/secret")
        }
        + games("the half item's name leads out", [.betweenPartitions], .refused, restarts: true) {
            try $0.linkInstead(of: $0.item, to: $0.outside + "/secret")
        }
        + games("the half item is a second name of a file outside", [.betweenPartitions], .refused) {
            try $0.hardLink($0.item, to: $0.outside + "/secret")
        }
        + games("the half item has a second name", [.betweenPartitions], .refused) {
            try FileManager.default.linkItem(atPath: $0.item, toPath: $0.root + "/second")
        }
        + games("the half item may be read by others", [.betweenPartitions], .refused) {
            try #require(chmod($0.item, 0o644) == 0)
        }
        + games("the half item is cut", [.betweenPartitions], .refused) { try #require(truncate($0.item, 1) == 0) }
        + games("the half item has other bytes", [.betweenPartitions], .refused, restarts: true) {
            let size = try Data(contentsOf: URL(fileURLWithPath: $0.item)).count
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: $0.item))
            try handle.write(contentsOf: Data(repeating: 0x55, count: size))
            try handle.close()
        }

    static let all = rootGames + folderGames + targetGames + spoolGames

    // MARK: - The field

    /// Every name below a folder, with what a link says or a file holds.
    private static func tree(_ path: String) throws -> [String: String] {
        var found: [String: String] = [:]
        // By hand: the enumerator of Foundation stops at the border of a file system.
        var folders = [""]
        while let folder = folders.popLast() {
            let names = try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder)
            for name in names.map({ folder.isEmpty ? $0 : folder + "/" + $0 }) {
                var status = stat()
                try #require(lstat(path + "/" + name, &status) == 0)
                switch status.st_mode & S_IFMT {
                case S_IFREG:
                    found[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)).base64EncodedString()
                case S_IFLNK: found[name] = "link"
                case S_IFDIR:
                    found[name] = "folder"
                    folders.append(name)
                default: found[name] = "other"
                }
            }
        }
        return found
    }

    /// Plays one game; gives the files of the job, if it says that all succeeded.
    @discardableResult
    private func play(_ game: Game?) throws -> [String: String]? {
        let rig = try EngineRig(sliceSeconds: 0)
        let outside = rig.root + "/outside"
        try FileManager.default.createDirectory(atPath: outside + "/Health", withIntermediateDirectories: true)
        try Data("canary".utf8).write(to: URL(fileURLWithPath: outside + "/secret"))
        let before = try FileGamesTests.tree(outside)
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        try #require(partitions.count > 2)
        func when(_ moment: Moment) throws {
            guard let game, game.moment == moment else { return }
            let half = rig.engine.session(phone.session.sessionID)?.machine.journal.partialItems.keys.first
            try game.play(Field(root: rig.root, session: phone.session.sessionID, halfItem: half))
            guard game.restarts else { return }
            // A start that refuses to work over what it finds has done its part.
            try rig.restart()
            rig.connect()
        }
        try when(.beforeTransfer)
        try rig.transfer(partitions[0], of: phone)
        try when(.betweenPartitions)
        if game?.moment == .inTransfer { try transfer(partitions[1], of: phone, rig) { try when(.inTransfer) } }
        for partition in partitions[1...] { try rig.transfer(partition, of: phone) }
        try when(.beforeFinalization)
        rig.send(try phone.finalize(partitions))
        if game?.moment == .inFinalization {
            while (rig.engine.session(phone.session.sessionID)?.frontier ?? 1) < 1 { rig.settle(steps: 1) }
            try when(.inFinalization)
        }
        rig.settle()
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(try FileGamesTests.tree(outside) == before, "written outside of the root")
        let job = try #require(rig.engine.book.jobs[id])
        guard job.state == .completed, job.result?.status == .success else { return nil }
        return try FileGamesTests.tree(rig.destinationPath)
    }

    /// Transfers a partition and does something after its first chunk.
    private func transfer(
        _ partition: FakePhone.Partition, of phone: FakePhone, _ rig: EngineRig, then body: () throws -> Void
    ) throws {
        let start = try rig.begin(partition, of: phone, chunkBytes: 256)
        for sequence in 1...start.totalChunks {
            rig.chunk(sequence, of: partition, start)
            rig.settle()
            if sequence == 1 { try body() }
        }
        rig.send(.transferComplete(TransferComplete(start)))
        rig.settle()
    }

    private static func undisturbed() throws -> [String: String] {
        try #require(try FileGamesTests().play(nil))
    }

    @Test("no game with links, names and kinds writes outside of the root or succeeds silently", arguments: all)
    func game(_ game: Game) throws {
        let files = try play(game)
        switch game.outcome {
        case .refused: #expect(files == nil, "the job says that it succeeded")
        case .unharmed: #expect(try files == FileGamesTests.undisturbed())
        case .either: if let files { #expect(try files == FileGamesTests.undisturbed()) }
        }
    }

    @Test("the table of games has its size")
    func size() { #expect(FileGamesTests.all.count >= 40) }

    // MARK: - Mounts

    static let mounts: [Game] =
        games("another file system over the root", wheneverFilesCome, .refused) { try mountMemory($0.destination) }
        // Who may mount within the root arranges the root: what lies there is in it.
        + games("another file system over the folder", [.beforeFinalization], .unharmed) {
            try $0.makeFolder($0.health)
            try mountMemory($0.health)
        }
        + games("a file outside over the day's file", [.beforeFinalization], .either) {
            try $0.makeFolder($0.health)
            try $0.write("", $0.day)
            try bind($0.outside + "/secret", over: $0.day)
        }
        + games("a folder outside over the items", [.betweenPartitions], .refused, restarts: true) {
            try bind($0.outside, over: $0.folder + "/items")
        }
        + games("another file system over the session", [.betweenPartitions], .refused, restarts: true) {
            try mountMemory($0.folder)
        }

    /// `MS_BIND`, and `MS_REC | MS_PRIVATE`: the macros do not come through the import alike on every system.
    private static let bindFlag: UInt = 4_096
    private static let recursivelyPrivateFlags: UInt = 16_384 | 262_144

    /// `unshare(CLONE_NEWNS)`, which the imported C library does not declare.
    private static func unshareMounts() -> Int32 {
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare") else { return -1 }
        return unsafeBitCast(symbol, to: Unshare.self)(0x0002_0000)
    }

    private static func mountMemory(_ path: String) throws {
        try #require(mount("none", path, "tmpfs", 0, nil) == 0, "errno \(errno)")
    }

    private static func bind(_ source: String, over path: String) throws {
        try #require(mount(source, path, nil, bindFlag, nil) == 0, "errno \(errno)")
    }

    /// Runs something on a thread that has mounts of its own, which end with it; false where that is forbidden.
    private static func withOwnMounts(_ body: @escaping @Sendable () -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        let isPermitted = Flag()
        let thread = Thread {
            defer { done.signal() }
            guard unshareMounts() == 0,
                mount(nil, "/", nil, recursivelyPrivateFlags, nil) == 0
            else { return }
            isPermitted.set()
            body()
        }
        thread.stackSize = 4 << 20
        thread.start()
        done.wait()
        return isPermitted.isSet
    }

    static let mayMount = withOwnMounts {}

    @Test(
        "no game with mounts writes outside of the root or succeeds silently",
        .enabled(if: mayMount, "mounts of one's own are not permitted here"), arguments: mounts)
    func mountGame(_ game: Game) throws {
        let outcome = Box<Result<[String: String]?, any Error>>()
        #expect(
            FileGamesTests.withOwnMounts {
                outcome.set(Result { try FileGamesTests().play(game) })
            })
        let files = try #require(outcome.value).get()
        if game.outcome == .refused { #expect(files == nil, "the job says that it succeeded") }
        if let files { #expect(try files == FileGamesTests.undisturbed()) }
    }
}

/// Set once, from another thread.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// A value from another thread.
private final class Box<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value?
    var value: Value? { lock.withLock { stored } }
    func set(_ value: Value) { lock.withLock { stored = value } }
}
