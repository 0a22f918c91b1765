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
            console.print(.object(update.document), invocation)
            if update.isInterrupted {
                console.note("interrupted; what was written stays. Run the same command again to go on.")
                return interruption.exitStatus
            }
            update.tellUnreadable(console)
            return update.exit(strict: invocation.has("--strict"))
        })
}

/// One update of a database, as a command of its own or after an export.
struct DatabaseUpdate {
    /// What is printed.
    let document: JSONObject
    /// What was done.
    private let report: UpdateReport

    /// Whether it was stopped before its end.
    var isInterrupted: Bool { report.isInterrupted }

    /// Documents that cannot be read fail the command only with `--strict`; folders always, since nobody knows what lies in
    /// them.
    func exit(strict: Bool) -> ExitCode {
        report.unreadableCount > 0 || (strict && report.failedCount > 0) ? .partial : .success
    }

    /// Names the folders that were passed over.
    func tellUnreadable(_ console: Console) {
        for folder in report.unreadable.prefix(Self.shownFolders) {
            console.note(TerminalText.safe("passed over: \(folder.path) cannot be read (\(folder.code ?? ""))"))
        }
        if report.unreadableCount > Self.shownFolders {
            console.note("and \(report.unreadableCount - Self.shownFolders) further folders")
        }
        if report.unreadableCount > 0 {
            console.note("their days keep what the database has; make the folders readable and run the command again")
        }
    }

    private static let shownFolders = 10

    /// Updates the database `file` from the documents below `folder`.
    static func run(
        folder: String, file: String, removingMissing: Bool = false, _ interruption: Interruption
    ) throws -> DatabaseUpdate {
        let documents = try openFolder(try AbsolutePath.of(folder))
        let (parent, name) = try place(file)
        // Nothing to make a database of leaves nothing behind.
        if try HealthDatabase.isAbsent(name, in: parent), try !HealthDatabase.holdsDays(documents) {
            throw HealthDatabaseError.noDocuments(folder: folder)
        }
        let database = try HealthDatabase(name, in: parent, now: { Date().timeIntervalSince1970 })
        let report = try database.update(
            from: documents, named: folder, removingMissing: removingMissing,
            shouldStop: { interruption.signal != nil })
        try database.finish()
        return DatabaseUpdate(document: document(report, file), report: report)
    }

    /// Refuses a database file that could not be written, before the work whose result should go there.
    static func requireUsable(_ file: String) throws {
        let (parent, name) = try place(file)
        try HealthDatabase.requireUsable(name, in: parent)
        let path = try AbsolutePath.of(file)
        if access(path, F_OK) == 0, access(path, W_OK) != 0 { throw StoreError.readOnly(path: file) }
    }

    /// The folder and the name of a database file.
    private static func place(_ file: String) throws -> (folder: Directory, name: String) {
        let target = URL(fileURLWithPath: try AbsolutePath.of(file))
        return (try openFolder(target.deletingLastPathComponent().path), target.lastPathComponent)
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
        let isPartial = report.failedCount + report.unreadableCount > 0
        return [
            "status": report.isInterrupted ? "interrupted" : isPartial ? "partial_success" : "success",
            "database": .string(file),
            "schema_version": .integer(HealthDatabase.schemaVersion), "days": .object(days),
            "failed_count": .integer(report.failedCount), "failed": .array(report.failed.map(entry)),
            "unreadable_folder_count": .integer(report.unreadableCount),
            "unreadable_folders": .array(report.unreadable.map(entry)),
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
