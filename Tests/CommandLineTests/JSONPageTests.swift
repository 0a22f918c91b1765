import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// `docs/JSON.md` and what commands print. Every document that any test of this target sees is compared with the page too:
/// ``CommandRun`` does it.
@Suite("JSON page")
struct JSONPageTests {
    @Test("every command has its place on the page, and every link leads to a section")
    func complete() throws {
        let page = try JSONPage.current.get()
        for command in CommandLineTool.commands {
            #expect(page.sections.contains { $0.commands.contains(command.path) }, "\(command.spelled)")
        }
        for section in page.sections {
            for member in section.members {
                guard let link = member.link else { continue }
                #expect(page.section(link) != nil, "\(section.title): \(member.path) leads to #\(link)")
            }
            let paths = section.members.map(\.path)
            #expect(Set(paths).count == paths.count, "\(section.title) has a member twice")
        }
    }

    @Test("every schema that the sources name stands on the page, and none that they do not know")
    func schemas() throws {
        let page = try JSONPage.current.get()
        var written: Set<String> = []
        for room in [
            "healthmd", "Biomarkers/Proposal", "Biomarkers/Record", "HealthExport/Read", "Receiver/ControlAPI",
        ] {
            for (_, text) in try SourceText.files(room) {
                written.formUnion(
                    text.matches(of: /"?schema"?:? ?=? ?"(healthmd\.[a-z_]+)"/).map { String($0.output.1) })
            }
        }
        // Routes of the control API that no command prints as they are.
        let others: Set = [
            "healthmd.query_error", "healthmd.receiver_version", "healthmd.local_capabilities",
            "healthmd.local_readiness",
        ]
        let documented = Set(page.sections.compactMap(\.schema))
        for schema in written.subtracting(others) {
            #expect(documented.contains(schema), "\(schema) is not on the page")
        }
        let data: Set = ["healthmd.extract_result", "healthmd.extract_receipt", "healthmd.health_data"]
        for schema in documented.subtracting(data) {
            #expect(written.contains(schema), "\(schema) stands in no source")
        }
    }

    @Test("the page is strict: a member that it does not have is found, wherever it stands")
    func strict() throws {
        let page = try JSONPage.current.get()
        func found(_ text: String, _ command: String) throws -> [String] {
            page.undocumented(
                try JSONParser.parse(Array(text.utf8)), of: command.split(separator: " ").map(String.init))
        }
        #expect(try found(#"{"selected":true,"new":1}"#, "destination") == ["new"])
        #expect(try found(#"{"status":"failure","error":"x","message":"y","detail":1}"#, "status") == ["detail"])
        #expect(
            try found(#"{"schema":"healthmd.job_list","jobs":[{"state":"x","partial_failures":[{"why":1}]}]}"#, "jobs")
                == ["jobs.partial_failures.why"])
        #expect(
            try found(#"{"schema":"healthmd.import_report","types":{"HK":{"count":1,"mean":2}}}"#, "phone import") == [
                "types.HK.mean"
            ])
        #expect(try found(#"{"schema":"healthmd.nothing"}"#, "serve") == ["no section is of serve"])
        #expect(
            try found(#"{"root":{"entries":[{"value":{"tag":"object","x":1}}]}}"#, "item inspect") == [
                "root.entries.value.x"
            ])
        let status = try JSONParser.parse(Array(#"{"selected":true}"#.utf8))
        #expect(page.absent(status, of: ["destination"]) == ["writable"])
    }

    @Test("what is said to be always there is there, in the documents of a receiver and a phone side that work")
    func present() throws {
        let rig = try ProcessRig()
        try rig.pairPhone()
        try rig.servePhone()
        let days = ["--from", "2026-03-01", "--to", "2026-03-04"]
        let exported = try CommandRun(
            ["export", "--database", rig.folder.appending("d.sqlite"), "--progress-json"] + days + rig.state)
        let job = try #require(try exported.document()["job_id"]?.string)
        let document = rig.folder.appending("files/Health/2026-03-01.json")
        try FileManager.default.createDirectory(atPath: rig.folder.appending("out"), withIntermediateDirectories: true)
        let export = rig.folder.appending("export.xml")
        let receiver: [[String]] = [
            ["status"], ["status", "--job", job], ["doctor"], ["jobs"], ["jobs", "show", job], ["jobs", "verify", job],
            ["resume", job], ["destination"], ["destination", "set", rig.destination], ["devices"],
            ["extract", "--all-metrics", "--allow-partial"] + days,
            ["extract", "--metric", "steps", "--object", "activity", "--allow-partial"] + days,
            ["export", "--raw", "--allow-partial"] + days, ["pair", "--no-wait"], ["pair", "--close"],
        ]
        let phone: [[String]] = [
            ["phone", "status"], ["phone", "settings"], ["phone", "settings", "set", "exportFormats=JSON"],
            ["phone", "settings", "reset", "--all"], ["phone", "import", export], ["phone", "show", "2026-03-01"],
            ["biomarkers", "propose", export], ["biomarkers", "list"], ["biomarkers", "history"],
        ]
        let others: [[String]] = [
            ["metrics"], ["health-export", "inspect", export],
            ["database", "update", rig.destination, "-o", rig.folder.appending("e.sqlite")],
            ["render", document, "--format", "csv", "-o", rig.folder.appending("out")],
        ]
        let lines = receiver.map { $0 + rig.state } + phone.map { $0 + rig.phoneState } + others
        let page = try JSONPage.current.get()
        #expect(page.absent(try exported.document(), of: ["export"]).isEmpty)
        for line in lines {
            let run = try CommandRun(line + ["--json"])
            #expect(
                run.status == 0 || line[0] == "doctor" || line[1] == "propose", "\(line): \(run.text) \(run.errors)")
            let command = try #require(CommandRun.command(line))
            #expect(page.absent(try run.document(), of: command).isEmpty, "\(line): \(run.text)")
        }
        try progress(exported.errors, page)
    }

    /// Lines of `--progress-json` are documents too.
    private func progress(_ errors: String, _ page: JSONPage) throws {
        let lines = errors.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(lines.count > 1)
        for line in lines {
            let document = try JSONParser.parse(Array(line.utf8))
            #expect(
                page.undocumented(document, of: ["export"]).isEmpty && page.absent(document, of: ["export"]).isEmpty,
                "\(line)")
        }
    }
}
