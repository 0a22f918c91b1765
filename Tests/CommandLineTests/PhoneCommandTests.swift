import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// The phone side's commands, as far as they need no receiver (extensions.md 2.1, 4).
@Suite("Phone commands")
struct PhoneCommandTests {
    @Test(
        "a code that is not twenty digits is refused before anything is sent or stored",
        arguments: ["", "1234", "1234567890123456789a", "123456789012345678901", "1234_5678_9012_3456_7890"])
    func code(text: String) throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(
            ["phone", "pair", "127.0.0.1:1", "--data-dir", folder.appending("s")], input: text + "\n")
        #expect(run.status == 1)
        #expect(try run.document()["error"] == "pairing_code_invalid")
        #expect(!FileManager.default.fileExists(atPath: folder.appending("s")))
    }

    @Test("spaces and hyphens in a code do not matter; it may stand in a file")
    func codeForms() throws {
        let folder = try TemporaryFolder()
        try Data("1234-5678 9012-3456 7890\n".utf8).write(to: URL(fileURLWithPath: folder.appending("code")))
        let words = ["phone", "pair", "127.0.0.1:1", "--data-dir", folder.appending("s")]
        for (words, input) in [
            (words, "1234 5678 9012 3456 7890"), (words + ["--code-file", "-"], "12345678901234567890\n"),
            (words + ["--code-file", folder.appending("code")], ""),
        ] {
            // Nothing listens on port 1: the code was taken, and dialling failed.
            let run = try CommandRun(words, input: input)
            #expect(run.status == 1)
            #expect(try run.document()["error"] != "pairing_code_invalid")
        }
    }

    @Test(
        "a receiver is named by host, port or address",
        arguments: [
            ("host", "host", 17_646), ("host:1", "host", 1), ("192.168.1.5:17646", "192.168.1.5", 17_646),
            ("::1", "::1", 17_646), ("[::1]:5", "::1", 5), ("[fe80::1%eth0]", "fe80::1%eth0", 17_646),
        ] as [(String, String, UInt16)])
    func hosts(text: String, host: String, port: UInt16) throws {
        let found = try #require(HostAndPort(text))
        #expect(found.host == host && found.port == port)
    }

    @Test("what names no receiver is refused", arguments: ["", ":1", "a:0", "a:65536", "a:+1", "[::1", "a b", "a/b"])
    func noHosts(text: String) {
        #expect(HostAndPort(text) == nil)
    }

    @Test("settings are shown as the snapshot, changed together or not at all, taken back as printed, and reset")
    func settings() throws {
        let folder = try TemporaryFolder()
        func phone(_ words: String...) throws -> CommandRun {
            try CommandRun(["phone", "settings"] + words + ["--data-dir", folder.path])
        }
        #expect(try phone("show", "--json").document()["filenameFormat"] == "{date}")
        let set = try phone("set", "filenameFormat={date}-x", "exportFormats=CSV")
        #expect(set.status == 0)
        #expect(try set.document()["exportFormats"] == ["CSV"])
        #expect(try phone("set", "filenameFormat=y", "nothing=1").status == 1)
        #expect(try phone("show").document()["filenameFormat"] == "{date}-x")
        #expect(try phone("reset", "filenameFormat").document()["filenameFormat"] == "{date}")
        #expect(try phone("set", "filenameFormat=").document()["error"] == "invalid_setting")
        #expect(try phone("set", "healthSubfolder=").document()["healthSubfolder"] == "")
        let printed = try phone("show", "--human").text.split(separator: "\n").map(String.init)
        let before = try phone("show").text
        #expect(try CommandRun(["phone", "settings", "set"] + printed + ["--data-dir", folder.path]).status == 0)
        #expect(try phone("show").text == before)
        #expect(try phone("reset", "--all").document()["exportFormats"] == ["JSON", "Markdown"])
        #expect(try phone("reset").document()["status"] == "guidance")
        #expect(try phone("show", "--human").text.contains("filenameFormat=\"{date}\"\n"))
    }

    @Test("status of a fresh phone side, and forgetting where there is no trust")
    func fresh() throws {
        let folder = try TemporaryFolder()
        let status = try CommandRun(["phone", "status", "--data-dir", folder.path])
        #expect(status.status == 0)
        #expect(try status.document()["serving"] == false && status.document()["workstation"] == nil)
        let forget = try CommandRun(["phone", "forget", "--data-dir", folder.path])
        #expect(try forget.document()["forgotten"] == false)
        let serve = try CommandRun(["phone", "serve", "--data-dir", folder.path])
        #expect(serve.status == 1)
        #expect(try serve.document()["error"] == "not_paired")
        let show = try CommandRun(["phone", "show", "2026-03-01", "--data-dir", folder.path])
        #expect(try show.document()["error"] == "nothing_imported")
    }

    @Test("an XML that breaks off is imported up to there, and the exit code says that it is not whole")
    func truncatedExport() throws {
        let folder = try TemporaryFolder()
        let xml = folder.appending("export.xml")
        let text = """
            <HealthData locale="en_US">
             <Record type="HKQuantityTypeIdentifierStepCount" sourceName="a" unit="count" startDate="2026-03-01 10:00:00 \
            +0100" endDate="2026-03-01 10:05:00 +0100" value="1"/>
             <Record type="HKQuantityTy
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: xml))
        let words = ["phone", "import", xml, "--time-zone", "Europe/Berlin", "--data-dir", folder.path]
        let run = try CommandRun(words)
        #expect(run.status == 1 && run.errors.contains("incomplete"))
        #expect(try run.document()["status"] == "incomplete")
        #expect(try CommandRun(words + ["--rescue"]).status == 0)
        let inspected = try CommandRun(["health-export", "inspect", xml])
        #expect(inspected.status == 1 && inspected.errors.contains("incomplete"))
        #expect(try inspected.document()["complete"] == false)
        #expect(try CommandRun(["health-export", "inspect", xml, "--rescue"]).status == 0)
    }

    @Test("an XML that breaks off takes the place of a longer import only with --replace")
    func truncatedAfterWhole() throws {
        let folder = try TemporaryFolder()
        let record = { (hour: Int) in
            """
             <Record type="HKQuantityTypeIdentifierStepCount" sourceName="a" unit="count" value="1" \
            startDate="2026-03-01 \(hour):00:00 +0100" endDate="2026-03-01 \(hour):05:00 +0100"/>

            """
        }
        let start = "<HealthData locale=\"en_US\">\n" + record(10)
        let whole = folder.appending("whole.xml")
        let cut = folder.appending("cut.xml")
        try Data((start + record(11) + "</HealthData>").utf8).write(to: URL(fileURLWithPath: whole))
        try Data(start.utf8).write(to: URL(fileURLWithPath: cut))
        let state = ["--data-dir", folder.path]
        #expect(try CommandRun(["phone", "import", whole, "--time-zone", "Europe/Berlin"] + state).status == 0)
        let refused = try CommandRun(["phone", "import", cut, "--rescue"] + state)
        #expect(refused.status == 1)
        #expect(try refused.document()["error"] == "incomplete_would_replace")
        let taken = try CommandRun(["phone", "import", cut, "--rescue", "--replace"] + state)
        #expect(taken.status == 0)
        #expect(try taken.document()["status"] == "incomplete")
    }

    @Test("an import that takes the place of more days says so and what to type; so do years without data")
    func replacing() throws {
        let folder = try TemporaryFolder()
        func write(_ name: String, _ days: [String]) throws -> String {
            let records = days.map {
                """
                 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="a" unit="count" value="1" \
                startDate="\($0) 10:00:00 +0100" endDate="\($0) 10:05:00 +0100"/>

                """
            }
            let text = "<HealthData locale=\"en_US\">\n" + records.joined() + "</HealthData>\n"
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.appending(name)))
            return folder.appending(name)
        }
        let state = ["--data-dir", folder.appending("state")]
        let old = try write("old.xml", ["1970-01-02", "2026-03-01", "2026-03-02", "2026-03-04"])
        let new = try write("new.xml", ["2026-03-02", "2026-03-05"])
        let first = try CommandRun(["phone", "import", old, "--time-zone", "Europe/Berlin"] + state)
        #expect(first.status == 0 && !first.errors.contains("replaced"))
        #expect(
            first.errors.contains(
                "no data for 56 years between 1970-01-02 and 2026-03-01; before that only 1 day: 1970-01-02"))
        #expect(first.errors.contains("healthmd export --from 2026-03-01 --to DAY"))
        #expect(try first.document()["gaps"]?.array?.first?["dates_before"] == ["1970-01-02"])
        let status = try CommandRun(["phone", "status"] + state)
        #expect(status.errors.contains("before that only 1 day: 1970-01-02"))
        #expect(try status.document()["data"]?["status"] == "complete")
        #expect(try status.document()["data"]?["gaps"]?.array?.count == 1)
        let second = try CommandRun(["phone", "import", new] + state)
        #expect(second.status == 0)
        #expect(
            second.errors.contains(
                "replaced import 1: 1970-01-02 to 2026-03-04, 4 days, 4 records; now 2026-03-02 to 2026-03-05, 2 days, "
                    + "2 records"))
        #expect(second.errors.contains("3 days of it are not in the new import: 1970-01-02 to 2026-03-01 (2 days)"))
        #expect(second.errors.contains("import both together: healthmd phone import '\(new)' '\(old)'"))
        let replaced = try second.document()["replaced"]
        #expect(replaced?["lost_days"] == 3 && replaced?["records"] == 4)
        #expect(replaced?["lost_spans"]?.array?.last == ["days": 1, "from": "2026-03-04", "to": "2026-03-04"])
        let file = try #require(
            FileManager.default.subpaths(atPath: folder.appending("state"))?.first { $0.hasSuffix("/2.sqlite") })
        try FileManager.default.removeItem(atPath: folder.appending("state/" + file))
        let third = try CommandRun(["phone", "import", old] + state)
        #expect(third.status == 0 && third.errors.contains("replaced import 2, which could not be read any more"))
        #expect(try third.document()["replaced"] == ["generation": 2, "readable": false])
    }

    @Test("the state of a store made from a rescued export says that it is incomplete")
    func incompleteStatus() throws {
        let folder = try TemporaryFolder()
        let xml = folder.appending("export.xml")
        let text = """
            <HealthData locale="en_US">
             <Record type="HKQuantityTypeIdentifierStepCount" sourceName="a" unit="count" startDate="2026-03-01 10:00:00 \
            +0100" endDate="2026-03-01 10:05:00 +0100" value="1"/>

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: xml))
        let state = ["--data-dir", folder.appending("state")]
        let words = ["phone", "import", xml, "--time-zone", "Europe/Berlin", "--rescue"]
        #expect(try CommandRun(words + state).status == 0)
        let status = try CommandRun(["phone", "status"] + state)
        #expect(status.status == 0 && status.errors.contains("incomplete"))
        #expect(try status.document()["data"]?["status"] == "incomplete")
        #expect(try status.document()["data"]?["left_out"] == 1)
    }

    @Test(
        "render makes the files of documents and says what it wrote",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func render() throws {
        let folder = try TemporaryFolder()
        let document = folder.appending("day.json")
        try Data(try SharedFixtures.bytes("health-data/summary-day.json")).write(to: URL(fileURLWithPath: document))
        let out = folder.appending("out")
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let run = try CommandRun([
            "render", document, "--format", "json", "--format", "markdown", "--format", "dictionary", "-o", out,
        ])
        #expect(run.status == 0)
        let files = try run.document()["files"]?.array?.compactMap { $0["path"]?.string } ?? []
        #expect(files.count == 3)
        let json = try #require(files.first { $0.hasSuffix(".json") && !$0.hasPrefix("_") })
        let written = [UInt8](try Data(contentsOf: URL(fileURLWithPath: out + "/" + json)))
        #expect(written == (try SharedFixtures.bytes("health-data/summary-day.json")))
        let twice = try CommandRun(["render", document, document, "--format", "rollup", "-o", out])
        #expect(try twice.document()["error"] == "duplicate_day")
    }

    @Test("a setting that does not exist is answered with the one that was meant, and where all of them stand")
    func unknownSetting() throws {
        let folder = try TemporaryFolder()
        let state = ["--data-dir", folder.appending("s")]
        for words in [["set", "exportFormat=JSON"], ["reset", "exportFormat"]] {
            let run = try CommandRun(["phone", "settings"] + words + state)
            #expect(run.status == 1)
            let document = try run.document()
            #expect(document["error"] == "invalid_setting")
            #expect(document["message"] == "there is no setting exportFormat; did you mean exportFormats?")
            #expect(
                document["next_actions"]?.array?.first?["command"]?.string?.hasPrefix("healthmd phone settings") == true
            )
        }
        let value = try CommandRun(["phone", "settings", "set", "exportFormats=PDF"] + state).document()
        #expect(value["message"]?.string?.contains("did you mean") == false, "here the value is wrong, not the name")
    }

    @Test("a push of days without data fails with the code and the next step; one of some days is partial")
    func pushWithoutData() throws {
        let rig = try ProcessRig()
        try rig.pairPhone(days: 1...2)
        let words = ["phone", "push", "--quiet", "--exit-codes", "extended"] + rig.phoneState
        let none = try CommandRun(words + ["--from", "2027-01-01", "--to", "2027-01-02"])
        #expect(none.status == 1)
        let document = try none.document()
        #expect(document["status"] == "failure" && document["error"] == "no_health_data")
        #expect(document["state"] == "partial_success")
        #expect(document["failed_days"]?.array?.first == ["code": "no_health_data", "date": "2027-01-01"])
        #expect(document["next_actions"]?.array?.first?["command"]?.string?.hasPrefix("healthmd phone status") == true)
        let some = try CommandRun(words + ["--from", "2026-03-02", "--to", "2026-03-03"])
        #expect(some.status == 3 && some.errors.contains("1 of the 2 days have files; the others: no_health_data"))
        #expect(try some.document()["status"] == "partial_success")
        let states = try CommandRun(["phone", "status"] + rig.phoneState).document()["jobs"]?.array ?? []
        #expect(states.allSatisfy { $0["state"]?.string?.allSatisfy { !$0.isUppercase } == true })
        let human = try CommandRun(words + ["--from", "2027-01-01", "--to", "2027-01-02", "--human"])
        #expect(human.output.isEmpty && human.errors.contains("(no_health_data)"))
    }
}
