import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

@Suite struct BiomarkerCommandTests {
    private let folder = Result { try TemporaryFolder() }

    /// A bare main file with two readings, whole or cut.
    private func export(isWhole: Bool = true) throws -> String {
        let dates = #"startDate="2026-04-14 08:00:00 +0200" endDate="2026-04-14 08:00:00 +0200""#
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <HealthData locale="en_US">
             <ExportDate value="2026-04-15 10:30:00 +0200"/>
             <Record type="HKQuantityTypeIdentifierRestingHeartRate" sourceName="W\u{1B}[2Jatch" unit="count/min" \(dates) value="62"/>
             <Record type="HKQuantityTypeIdentifierVO2Max" sourceName="Watch" unit="mL/min·kg" \(dates) value="38.5"/>
             <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" \(dates) value="9"/>

            """ + (isWhole ? "</HealthData>\n" : "")
        let path = try folder.get().appending("export.xml")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func run(_ words: [String], input: String = "") throws -> CommandRun {
        try CommandRun(["biomarkers"] + words + ["--data-dir", try folder.get().appending("state")], input: input)
    }

    @Test("propose prints the document, saves nothing, and accept --all saves what it printed")
    func proposeAndAccept() throws {
        let proposed = try run(["propose", try export(), "--json"])
        #expect(proposed.status == 0)
        let document = try proposed.document()
        #expect(document["schema"]?.string == "healthmd.biomarker_proposals")
        #expect(document["source"]?["path_name"]?.string == "export.xml")
        #expect(document["source"]?["export_date"]?.string == "2026-04-15T08:30:00Z")
        #expect(document["proposals"]?.array?.compactMap { $0["display"]?.string } == ["62", "38.5"])
        #expect(document["dropped"]?["HKQuantityTypeIdentifierStepCount"]?.number?.int == 1)
        #expect(try run(["list", "--json"]).document()["entries"]?.array?.isEmpty == true)
        let accepted = try run(["accept", "--all", "--json"])
        #expect(try accepted.document()["schema"]?.string == "healthmd.biomarker_record")
        #expect(try accepted.document()["entries"]?.array?.count == 2)
        let listed = try run(["list", "--json"]).document()
        #expect(listed["entries"]?.array?.compactMap { $0["value"]?.number?.double } == [62, 38.5])
        #expect(
            listed["entries"]?.array?.first?["source"]?["sha256"]?.string == document["source"]?["sha256"]?.string)
    }

    @Test("review shows each value with its readings and takes accept, edit, reject and skip")
    func review() throws {
        let reviewed = try run(["review", try export(), "--json"], input: "what\ne\n12,5\ne\n61.5\ns\n")
        #expect(reviewed.status == 0)
        #expect(reviewed.errors.contains("2026-04-14T06:00:00Z  62"))
        #expect(reviewed.errors.contains("1 record of 1 other type was counted"))
        #expect(reviewed.errors.contains("that is no decimal number"))
        #expect(!reviewed.errors.contains("\u{1B}"))
        #expect(try reviewed.document()["entries"]?.array?.compactMap { $0["decision"]?.string } == ["edited"])
        let rest = try run(["review", "--json"], input: "r\n")
        #expect(try rest.document()["entries"]?.array?.first?["id"]?.string == "vo2_max")
        let history = try run(["history", "--json"]).document()["entries"]?.array ?? []
        #expect(history.compactMap { $0["decision"]?.string } == ["edited", "rejected"])
        #expect(history.first?["value"]?.number?.double == 61.5)
        #expect(history.last?["value"]?.isNull == true)
        #expect(try run(["history", "vo2_max", "--json"]).document()["entries"]?.array?.count == 1)
    }

    @Test("the end of the input decides nothing")
    func endOfInput() throws {
        let reviewed = try run(["review", try export(), "--json"], input: "")
        #expect(try reviewed.document()["entries"]?.array?.isEmpty == true)
        let told = try run(["review", "--human"], input: "")
        #expect(told.text.isEmpty && told.errors.contains("the rest goes on waiting"))
        #expect(try run(["accept", "vo2_max", "--json"]).document()["error"]?.string == "not_shown")
        #expect(try run(["accept", "resting_heart_rate", "--json"]).status == 0)
    }

    @Test("an answer that the end of the input cuts off decides nothing", arguments: ["a", "r", "s\na", "e\n61.5"])
    func cutAnswer(input: String) throws {
        let reviewed = try run(["review", try export(), "--json"], input: input)
        #expect(reviewed.status == 0 && reviewed.errors.contains("the rest goes on waiting"))
        #expect(try reviewed.document()["entries"]?.array?.isEmpty == true)
        #expect(try run(["history", "--json"]).document()["entries"]?.array?.isEmpty == true)
    }

    @Test(
        "what was rejected with the same evidence is not asked or accepted again, and is named with the way to take it")
    func rejected() throws {
        let path = try export()
        _ = try run(["review", path, "--json"], input: "r\ns\n")
        let proposed = try run(["propose", path, "--json"])
        #expect(proposed.errors.contains("to take one: healthmd biomarkers accept"))
        let reviewed = try run(["review", "--json"], input: "s\n")
        #expect(reviewed.errors.contains("1 of 1  Cardio fitness"))
        let all = try run(["accept", "--all", "--json"])
        #expect(try all.document()["entries"]?.array?.compactMap { $0["id"]?.string } == ["vo2_max"])
        #expect(all.errors.contains("left so: resting_heart_rate"))
        let one = try run(["accept", "resting_heart_rate", "--json"])
        #expect(try one.document()["entries"]?.array?.count == 1)
    }

    @Test("an incomplete export is printed, exits 1, and is not accepted all at once")
    func incomplete() throws {
        let proposed = try run(["propose", try export(isWhole: false), "--json"])
        #expect(proposed.status == 1)
        #expect(try proposed.document()["source"]?["complete"]?.bool == false)
        let warnings = try proposed.document()["proposals"]?.array?.first?["warnings"]?.array ?? []
        #expect(warnings.contains { $0["code"]?.string == "incomplete_source" })
        let accepted = try run(["accept", "--all"])
        #expect(accepted.status == 1)
        #expect(try accepted.document()["error"]?.string == "incomplete_source")
    }

    @Test(
        "failures have codes",
        arguments: [
            (["accept", "--all"], "nothing_pending"), (["review"], "nothing_pending"),
            (["history", "steps"], "unknown_biomarker"), (["propose", "/nowhere/export.zip"], "cannot_open"),
            (["propose", "/nowhere/export.zip", "--time-zone", "Mars/Olympus"], "unknown_time_zone"),
        ])
    func failures(words: [String], code: String) throws {
        let outcome = try run(words)
        #expect(outcome.status == 1)
        #expect(try outcome.document()["error"]?.string == code)
    }

    @Test("accept wants ids or --all, not both and not neither")
    func usage() throws {
        #expect(try run(["accept", "--json"]).status == 2)
        #expect(try run(["accept", "--all", "vo2_max", "--json"]).status == 2)
    }

    @Test("a range of the owner's grades the value")
    func bands() throws {
        let path = try folder.get().appending("bands.json")
        try Data(#"{"vo2_max": {"low": 40}}"#.utf8).write(to: URL(fileURLWithPath: path))
        let document = try run(["propose", try export(), "--bands", path, "--json"]).document()
        #expect(document["proposals"]?.array?.last?["band"]?["grade"]?.string == "below")
        #expect(document["proposals"]?.array?.first?["band"] == nil)
    }
}
