import CanonicalJSON
import Foundation
import HealthExport
import Sender

/// `phone import`: an Apple Health export becomes a new generation of the phone's day store (extensions.md 4).
enum ImportCommand {
    static let spec = CommandSpec(
        "phone", "import", summary: "Reads an Apple Health export into the phone side's store.",
        examples: [
            Example(
                "healthmd phone import export.zip --time-zone Europe/Berlin",
                "the file that the Health app shared; the zone is named once"),
            Example("healthmd phone import export.zip older.zip", "several exports, merged"),
        ],
        positionals: [
            PositionalSpec(name: "PATH", kind: .file, count: .oneOrMore, summary: "a zip, a folder or the bare XML")
        ],
        options: [
            .value("--time-zone", .text, "ZONE", "IANA name; an export cannot tell it. Needed once"),
            .value("--sources", .text, "LIST", "names of devices, best first, for what several of them count"),
            .flag("--rescue", "take what a truncated archive still gives; the result is marked incomplete"),
            .flag("--replace", "let an export that breaks off take the place of an earlier import with more records"),
        ],
        run: run)

    private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
        let interruption = Interruption.watch()
        let progress = ProgressReporter(invocation, console)
        do {
            let report = try PhoneCommands.client(invocation).importExport(
                paths: try invocation.words.map(AbsolutePath.of), timeZone: invocation.text("--time-zone"),
                sources: invocation.text("--sources").map(SourceList.names), rescue: invocation.has("--rescue"),
                replacesLonger: invocation.has("--replace")
            ) { step in
                if interruption.signal != nil { throw Interrupted() }
                progress.report(
                    phase: step.phase.rawValue, parts: ["\(step.recordCount) records"],
                    members: ["records": .integer(step.recordCount)])
            }
            progress.finish()
            console.print(ImportReportDocument.of(report), invocation)
            for line in ImportNotes.lines(report) { console.note(TerminalText.safe(line)) }
            guard report.isComplete || invocation.has("--rescue") else {
                console.note("incomplete: an export breaks off; what stands before that was imported. Copy it again")
                return .partial
            }
            return .success
        } catch is Interrupted {
            progress.finish()
            console.note("interrupted; the store is as it was")
            return interruption.exitStatus
        } catch {
            progress.finish()
            throw error
        }
    }

    /// A signal came while the export was read.
    private struct Interrupted: Error {}
}

/// `--sources "Robin’s Apple Watch, iPhone"`.
enum SourceList {
    static func names(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}

/// What was read, counted and left out: `healthmd.import_report` v1. Counts, names and dates only.
enum ImportReportDocument {
    static func of(_ report: ImportReport) -> JSONValue {
        var document: JSONObject = [
            "schema": "healthmd.import_report", "schema_version": 1,
            "status": report.isComplete ? "complete" : "incomplete", "generation": .integer(report.generation),
            "exports": .array(report.exports.map(source)), "elements": counts(report.elements),
            "types": .object(
                JSONObject(
                    report.types.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, type($0.value)) })),
            "sources": counts(report.sources), "records_read": .integer(report.recordCount),
            "records_stored": .integer(report.storedRecordCount), "duplicates": .integer(report.duplicateCount),
            "nested_twins": .integer(report.nestedTwinCount), "routes": .integer(report.routeCount),
            "route_points": .integer(report.routePointCount),
            "electrocardiograms": .integer(report.electrocardiogramCount),
            "clinical_resources": .integer(report.clinicalResourceCount), "days": .integer(report.dayCount),
            "left_out": .integer(report.leftOutCount), "problems": .array(report.problems.map(problem)),
        ]
        document.append("first_day", ifPresent: report.firstDay.map(JSONValue.string))
        document.append("last_day", ifPresent: report.lastDay.map(JSONValue.string))
        document.append("replaced", ifPresent: report.replaced.map(replaced))
        document.append("gaps", .array((report.gaps ?? []).map(DayGapDocument.of)))
        if !report.unknownElements.isEmpty { document.append("unknown_elements", counts(report.unknownElements)) }
        if !report.unknownAttributes.isEmpty { document.append("unknown_attributes", counts(report.unknownAttributes)) }
        return .object(document)
    }

    private static func source(_ source: ImportReport.Source) -> JSONValue {
        var document: JSONObject = [
            "path": .string(source.path), "main_file": .string(source.main), "bytes": .integer(source.byteCount),
        ]
        document.append("locale", ifPresent: source.locale.map(JSONValue.string))
        document.append("export_version", ifPresent: source.exportVersion.map(JSONValue.integer))
        document.append("export_date", ifPresent: source.exportDate.flatMap(instant))
        document.append("broken_off_at", ifPresent: source.brokenOffAt.map(JSONValue.string))
        return .object(document)
    }

    private static func type(_ type: ImportReport.TypeCount) -> JSONValue {
        var document: JSONObject = ["count": .integer(type.count), "nested_count": .integer(type.nestedCount)]
        document.append("first", ifPresent: instant(type.first))
        document.append("last", ifPresent: instant(type.last))
        document.append("units", .array(type.units.map(JSONValue.string)))
        return .object(document)
    }

    private static func replaced(_ earlier: ReplacedImport) -> JSONValue {
        guard earlier.isUnreadable != true else {
            return ["generation": .integer(earlier.generation), "readable": false]
        }
        var document: JSONObject = [
            "generation": .integer(earlier.generation), "readable": true, "days": .integer(earlier.dayCount),
            "records": .integer(earlier.recordCount), "paths": .array(earlier.paths.map(JSONValue.string)),
            "lost_days": .integer(earlier.lostDayCount),
            "lost_spans": .array(
                earlier.lostSpans.map {
                    ["from": .string($0.from), "to": .string($0.to), "days": .integer($0.dayCount)]
                }),
        ]
        document.append("first_day", ifPresent: earlier.firstDay.map(JSONValue.string))
        document.append("last_day", ifPresent: earlier.lastDay.map(JSONValue.string))
        return .object(document)
    }

    private static func problem(_ problem: ImportReport.Problem) -> JSONValue {
        [
            "code": .string(problem.code), "count": .integer(problem.count), "leaves_out": .bool(problem.leavesOut),
            "places": .array(problem.places.prefix(shownPlaces).map(JSONValue.string)),
        ]
    }

    /// Places of one kind of problem that are printed; the count is exact.
    private static let shownPlaces = 10

    static func counts(_ counts: [String: Int]) -> JSONValue {
        .object(JSONObject(counts.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, .integer($0.value)) }))
    }

    static func instant(_ secondsSince1970: Double) -> JSONValue? {
        RFC3339.seconds(since2001: secondsSince1970 - Double(RFC3339.referenceSince1970)).map(JSONValue.string)
    }
}
