import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// `database update`, and `--database` of an export (extensions.md 11, docs/DATABASE.md).
@Suite("Database command")
struct DatabaseCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func put(_ name: String, _ text: String) throws {
        let url = URL(fileURLWithPath: folder.appending(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("a folder without a day leaves nothing behind, neither a file nor a changed one", arguments: [false, true])
    func nothingToDo(hasEmptyFile: Bool) throws {
        try put("days/other.json", "{}")
        if hasEmptyFile { try put("h.sqlite", "") }
        let before = try names()
        let run = try CommandRun(["database", "update", folder.appending("days"), "-o", folder.appending("h.sqlite")])
        #expect(run.status == 1)
        #expect(try run.document()["error"] == "no_documents")
        #expect(try names() == before)
        #expect(!hasEmptyFile || FileManager.default.contents(atPath: folder.appending("h.sqlite"))?.isEmpty == true)
    }

    @Test("the answer names what was done, and no folder that could not be read where all could")
    func update() throws {
        try put(
            "days/2026-03-01.json",
            #"{"schema":"healthmd.health_data","schema_version":8,"type":"health-data","date":"2026-03-01","#
                + #""time_context":{"calendar_timezone":"Europe/Berlin","timestamp_timezone":"UTC"},"activity":{"steps":7}}"#
        )
        let run = try CommandRun(["database", "update", folder.appending("days"), "-o", folder.appending("h.sqlite")])
        #expect(run.status == 0)
        let document = try run.document()
        #expect(document["status"] == "success" && document["days"]?["added"] == 1)
        #expect(document["unreadable_folder_count"] == 0 && document["unreadable_folders"] == [])
        #expect(try names() == ["days", "h.sqlite"])
    }

    @Test(
        "a database that could not be written is refused before the export begins",
        arguments: [("nowhere/h.sqlite", "not_found"), ("note.txt", "not_a_health_database"), ("days", "wrong_type")])
    func checkedBefore(path: String, code: String) throws {
        try put("note.txt", "a note of more than nothing")
        try put("days/x.txt", "")
        // Nothing listens there: an export that began would say so.
        let run = try CommandRun([
            "export", "--yesterday", "--database", folder.appending(path), "--base-url", "http://127.0.0.1:1",
            "--data-dir", folder.appending("state"),
        ])
        #expect(run.status == 1)
        #expect(try run.document()["error"] == .string(code))
        #expect(try String(contentsOfFile: folder.appending("note.txt"), encoding: .utf8).hasPrefix("a note"))
    }
}
