import CanonicalJSON
import HealthExport

/// `health-export inspect`: what an Apple Health export holds, without keeping anything (extensions.md 7).
enum HealthExportCommand {
    static let spec = CommandSpec(
        "health-export", "inspect", summary: "Counts what an Apple Health export holds; keeps nothing.",
        examples: [
            Example("healthmd health-export inspect export.zip", "types, sources, spans, problems; no values")
        ],
        positionals: [
            PositionalSpec(name: "PATH", kind: .file, count: .one, summary: "a zip, a folder or the bare XML")
        ],
        options: [.flag("--rescue", "take what a truncated archive still gives")],
        run: { invocation, console in
            guard let path = invocation.words.first else { return .usage }
            var options = ExportOptions()
            options.rescue = invocation.has("--rescue")
            let archive = try ExportArchive.open(path: try AbsolutePath.of(path), options: options)
            let main = try archive.mainFile()
            final class Counter: ExportVisitor {}
            let summary = try ExportReader.read(
                try archive.streamAhead(main), entry: main.name, visitor: Counter())
            console.print(document(archive, summary))
            return .success
        })

    private static func document(_ archive: ExportArchive, _ summary: ExportSummary) -> JSONValue {
        var problems = archive.problems
        problems.merge(summary.problems)
        var document: JSONObject = [
            "schema": "healthmd.health_export_summary", "schema_version": 1,
            "status": summary.isComplete && !archive.isRescued ? "complete" : "incomplete",
            "main_file": .string(summary.entry), "bytes": .integer(summary.byteCount),
            "files": .integer(archive.files.count), "elements": ImportReportDocument.counts(summary.elements),
            "types": .object(
                JSONObject(
                    summary.types.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, type($0.value)) })),
            "sources": ImportReportDocument.counts(summary.sources), "records": .integer(summary.recordCount),
            "nested_records": .integer(summary.nestedRecordCount), "left_out": .integer(problems.leftOut),
            "problems": .array(problems.all.map(problem)),
        ]
        document.append("locale", ifPresent: summary.locale.map(JSONValue.string))
        document.append("export_version", ifPresent: summary.exportVersion.map(JSONValue.integer))
        document.append(
            "export_date", ifPresent: summary.exportDate.flatMap { ImportReportDocument.instant($0.secondsSince1970) })
        document.append("broken_off_at", ifPresent: summary.brokenOffAt.map { .string($0.description) })
        if !problems.unknownElements.isEmpty {
            document.append("unknown_elements", ImportReportDocument.counts(problems.unknownElements))
        }
        if !problems.unknownAttributes.isEmpty {
            document.append("unknown_attributes", ImportReportDocument.counts(problems.unknownAttributes))
        }
        return .object(document)
    }

    private static func type(_ type: ExportSummary.TypeSummary) -> JSONValue {
        var document: JSONObject = ["count": .integer(type.count), "nested_count": .integer(type.nestedCount)]
        document.append(
            "first", ifPresent: type.first.flatMap { ImportReportDocument.instant($0.secondsSince1970) })
        document.append("last", ifPresent: type.last.flatMap { ImportReportDocument.instant($0.secondsSince1970) })
        document.append("units", .array(type.units.map(JSONValue.string)))
        return .object(document)
    }

    private static func problem(_ problem: ExportProblem) -> JSONValue {
        [
            "code": .string(problem.code.rawValue), "count": .integer(problem.count),
            "leaves_out": .bool(problem.code.leavesOut),
            "places": .array(problem.places.prefix(10).map { .string($0.description) }),
        ]
    }
}
