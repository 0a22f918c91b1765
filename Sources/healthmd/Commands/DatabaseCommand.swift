import CanonicalJSON
import DurableStore
import Foundation
import HealthDatabase

/// `healthmd database update`: one SQLite database made from written day documents (extensions.md 11).
enum DatabaseCommand {
    static let spec = CommandSpec(
        "database", "update",
        summary: "Makes or updates a SQLite database from the JSON day documents of a folder, for analysis.",
        examples: [
            Example("healthmd database update ~/Health -o health.sqlite", "then: datasette health.sqlite"),
            Example("healthmd database update ~/Health -o health.sqlite --strict", "exit 1 when a document failed"),
        ],
        positionals: [
            PositionalSpec(
                name: "DIR", kind: .folder, count: .one, summary: "folder with day documents, searched below")
        ],
        options: [
            .output("the database; made when it is not there, else only changed days are written").required,
            .flag("--remove-missing", "drop days whose document is gone; without it they stay and are reported"),
            .flag("--strict", "exit 1 when a document could not be read"),
        ],
        run: { invocation, console in
            guard let folder = invocation.words.first, let file = invocation.text("--output") else { return .usage }
            let interruption = Interruption.watch()
            let update = try DatabaseUpdate.run(
                folder: folder, file: file, removingMissing: invocation.has("--remove-missing"), interruption)
            if interruption.signal != nil {
                console.note("interrupted; what was written stays. Run the same command again to go on.")
                return interruption.exitStatus
            }
            console.print(.object(update.document), invocation)
            return update.hasFailures && invocation.has("--strict") ? .partial : .success
        })
}

/// One update of a database, as a command of its own or after an export.
struct DatabaseUpdate {
    /// What is printed.
    let document: JSONObject
    /// Whether documents could not be read.
    let hasFailures: Bool

    /// Updates the database `file` from the documents below `folder`.
    static func run(
        folder: String, file: String, removingMissing: Bool = false, _ interruption: Interruption
    ) throws -> DatabaseUpdate {
        let documents = try openFolder(try AbsolutePath.of(folder))
        let target = URL(fileURLWithPath: try AbsolutePath.of(file))
        let database = try HealthDatabase(
            target.lastPathComponent, in: openFolder(target.deletingLastPathComponent().path),
            now: { Date().timeIntervalSince1970 })
        let report = try database.update(
            from: documents, named: folder, removingMissing: removingMissing,
            shouldStop: { interruption.signal != nil })
        try database.finish()
        return DatabaseUpdate(document: document(report, file), hasFailures: report.failedCount > 0)
    }

    private static func openFolder(_ path: String) throws -> Directory {
        try Directory.openRoot(URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
    }

    private static func document(_ report: UpdateReport, _ file: String) -> JSONObject {
        let days: JSONObject = [
            "total": .integer(report.totalDays), "added": .integer(report.addedDays),
            "changed": .integer(report.changedDays), "unchanged": .integer(report.unchangedDays),
            "removed": .integer(report.removedDays),
        ]
        return [
            "status": report.failedCount > 0 ? "partial_success" : "success", "database": .string(file),
            "schema_version": .integer(HealthDatabase.schemaVersion), "days": .object(days),
            "failed_count": .integer(report.failedCount), "failed": .array(report.failed.map(entry)),
            "missing_count": .integer(report.missingCount), "missing": .array(report.missing.map(entry)),
            "other_files": .integer(report.otherFiles), "skipped_elements": .integer(report.skippedElements),
        ]
    }

    private static func entry(_ document: UpdateReport.Document) -> JSONValue {
        var object: JSONObject = ["path": .string(document.path)]
        object.append("date", ifPresent: document.date.map { .string($0) })
        object.append("code", ifPresent: document.code.map { .string($0) })
        return .object(object)
    }
}
