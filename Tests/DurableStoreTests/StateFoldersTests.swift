import Foundation
import Testing

@testable import DurableStore

@Suite("State folders")
struct StateFoldersTests {
    @Test("the option is stronger than HEALTHMD_DATA_DIR, that than XDG_DATA_HOME, that than HOME")
    func resolution() throws {
        func path(_ option: String?, _ environment: [String: String]) throws -> String {
            try StateFolders.resolvePath(option: option, environment: environment, workingDirectory: "/work")
        }
        let all = ["HEALTHMD_DATA_DIR": "/data", "XDG_DATA_HOME": "/xdg", "HOME": "/home/a"]
        #expect(try path("/option", all) == "/option")
        #expect(try path("option", all) == "/work/option")
        #expect(try path("", all) == "/data")
        #expect(try path(nil, all) == "/data")
        #expect(try path(nil, all.filter { $0.key != "HEALTHMD_DATA_DIR" }) == "/xdg/healthmd")
        #expect(try path(nil, ["XDG_DATA_HOME": "relative", "HOME": "/home/a"]) == "/home/a/.local/share/healthmd")
        #expect(try path(nil, ["XDG_DATA_HOME": "", "HOME": "/home/a"]) == "/home/a/.local/share/healthmd")
        #expect(storeCode { _ = try path(nil, [:]) } == "not_found")
    }

    @Test("folders are 0700 and files 0600, whatever the umask", arguments: ["000", "077"])
    func modes(_ umask: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let mask = mode_t(umask, radix: 8) ?? 0
        try withUmask(mask) {
            let state = try StateFolders(path: path + "/new/state")
            let receiver = try state.folder(.receiver)
            try receiver.durableReplace("file", with: [1])
            _ = try receiver.createDirectory("jobs/one")
            _ = try receiver.createFile("plain")
            _ = try FolderLock.take(in: receiver)
            let schema = DatabaseSchema(applicationID: "test", migrations: [.sql("CREATE TABLE t (a INTEGER) STRICT")])
            let database = try Database.open("journal.sqlite", in: receiver, schema: schema)
            try database.transaction { try $0.run("INSERT INTO t VALUES (1)") }
            #expect(try receiver.status(of: "journal.sqlite-wal")?.permissions == 0o600)
            #expect(try receiver.status(of: "journal.sqlite-shm")?.permissions == 0o600)
        }
        for name in ["new", "new/state", "new/state/receiver", "new/state/receiver/jobs/one"] {
            #expect(try folder.mode(name) == 0o700, "\(name)")
        }
        for name in ["file", "plain", "lock", "journal.sqlite"] {
            #expect(try folder.mode("new/state/receiver/\(name)") == 0o600, "\(name)")
        }
    }

    @Test("a state folder that others may write is refused, one of ours that others may read is too")
    func looseFolders() throws {
        let folder = try TemporaryFolder()
        mkdir(folder.path + "/state", 0o700)
        chmod(folder.path + "/state", 0o777)
        #expect(storeCode { _ = try StateFolders(path: folder.path + "/state") } == "not_private")
        chmod(folder.path + "/state", 0o755)
        let state = try StateFolders(path: folder.path + "/state")
        _ = try state.folder(.phone)
        chmod(folder.path + "/state/phone", 0o750)
        #expect(storeCode { _ = try state.folder(.phone) } == "not_private")
        #expect(try folder.mode("state") == 0o755)
    }

    private func withUmask(_ mask: mode_t, _ body: () throws -> Void) throws {
        let before = umask(mask)
        defer { umask(before) }
        try body()
    }
}
