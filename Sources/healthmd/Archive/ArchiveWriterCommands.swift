import CanonicalJSON
import DayArchive
import DurableStore
import Foundation
import HealthExport

/// `archive writer init|push|status|handoff|edits|undo` (extensions.md 7).
enum ArchiveWriterCommands {
    static let all = [setUp, push, status, handoff, edits, undo]

    private static func writer(_ invocation: Invocation) throws -> ArchiveWriter {
        let folders = try StateFolders(path: try StateRoot.path(invocation))
        let store = try DayStore.open(in: try folders.folder(.phone))
        return try ArchiveWriter(
            folder: try folders.folder(.archive).createDirectory("writer"), source: StoredDays(store))
    }

    static let setUp = CommandSpec(
        "archive", "writer", "init",
        summary: "Makes the archive's keys on first use, and claims the archive at a service.",
        examples: [
            Example(
                "healthmd archive writer init --url http://127.0.0.1:17648 --claim-token-file token",
                "the token is the service's archive/service/claim-token")
        ],
        options: [
            .value("--url", .text, "URL", "the service").required,
            .value("--claim-token-file", .file, "FILE", "the operator's token; - is standard input"),
        ],
        validate: { invocation in
            guard invocation.text("--url").flatMap({ ServiceEndpoint($0) }) != nil else {
                throw UsageError(
                    .valueValidation, "--url takes the address of a service, http:// or https://",
                    command: ["archive", "writer", "init"])
            }
        },
        run: { invocation, console in
            let token = try invocation.text("--claim-token-file").map { path in
                String(
                    decoding: try ArchiveFolders.contents(path, option: "--claim-token-file", console), as: UTF8.self
                )
                .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let done = try writer(invocation).setUp(url: invocation.text("--url") ?? "", claimToken: token)
            console.print(
                [
                    "bucket": .string(done.bucket.text), "url": .string(done.endpoint.url),
                    "keys": done.madeKeys ? "made" : "kept", "archive": done.isNew ? "created" : "known",
                ], invocation)
            return .success
        })

    static let push = CommandSpec(
        "archive", "writer", "push", summary: "Applies waiting edits, then seals and sends every day that changed.",
        examples: [
            Example("healthmd archive writer push", "after an import, or from a timer"),
            Example("healthmd archive writer push --no-edits", "sends only"),
        ],
        options: [.flag("--no-edits", "leave waiting edits in the queue")],
        run: { invocation, console in
            let writer = try writer(invocation)
            var document = JSONObject()
            var failure: ClientError?
            if !invocation.has("--no-edits") {
                let edits = try writer.applyEdits()
                document.append("edits", Self.document(edits.answered))
                failure = edits.stopped
            }
            if failure == nil {
                let report = try writer.push()
                document.append("looked_at", .integer(report.lookedAt))
                document.append("unchanged", .integer(report.unchanged))
                document.append("sent", .integer(report.sent))
                document.append("refused", .integer(report.refused))
                document.append("missing_in_archive", report.missing.map { .integer($0) } ?? .null)
                failure = report.stopped
            }
            document.append("owed", .integer(try writer.status().owedDays))
            return finish(document, failure, invocation, console)
        })

    /// Prints what was done, and as a failure what stopped it: everything not sent stays owed.
    private static func finish(
        _ document: JSONObject, _ failure: ClientError?, _ invocation: Invocation, _ console: Console
    ) -> ExitCode {
        var document = document
        document.append("status", failure == nil ? "success" : "failure")
        if let failure {
            document.append("error", .string(failure.code))
            document.append("message", .string(failure.description))
        }
        console.print(.object(document), invocation)
        guard let failure else { return .success }
        if case .unreachable = failure { return .peerUnavailable }
        return .failure
    }

    private static func document(_ answered: [ArchiveWriter.AnsweredEdit]) -> JSONValue {
        .array(
            answered.map { edit in
                [
                    "name": .string(edit.name.text), "status": .string(edit.outcome.status),
                    "applied": .integer(edit.outcome.applied),
                    "failed": .array(
                        edit.outcome.failed.map { ["item": .integer($0.item), "code": .string($0.code.rawValue)] }),
                ]
            })
    }

    static let status = CommandSpec(
        "archive", "writer", "status", summary: "Shows which days are owed, without asking the service.",
        examples: [Example("healthmd archive writer status", "days known, owed, set aside")],
        run: { invocation, console in
            let status = try writer(invocation).status()
            console.print(
                [
                    "bucket": .string(status.bucket.text), "url": .string(status.endpoint.url),
                    "days": .integer(status.knownDays), "owed": .integer(status.owedDays),
                    "set_aside": .integer(status.setAsideDays),
                    "last_check_ms": status.lastCheck.map { .integer($0) } ?? .null,
                ], invocation)
            return .success
        })

    static let handoff = CommandSpec(
        "archive", "writer", "handoff",
        summary: "Gives the text that connects a reader. It holds keys: whoever has it can read the archive.",
        examples: [
            Example("healthmd archive writer handoff -o handoff.txt", "a new private file; delete it after use"),
            Example("healthmd archive writer handoff --read-only", "without the key that sends edits"),
        ],
        options: [
            .output("a new file, 0600; else standard output"),
            .flag("--read-only", "leave the editor key out"),
        ],
        run: { invocation, console in
            let writer = try writer(invocation)
            let withEditor = !invocation.has("--read-only")
            guard let path = invocation.text("--output") else {
                console.print(text: try writer.handoff(withEditor: withEditor))
                return .success
            }
            let target = URL(fileURLWithPath: try AbsolutePath.of(path))
            let folder = try Directory.openRoot(target.deletingLastPathComponent().resolvingSymlinksInPath().path)
            try writer.writeHandoff(to: target.lastPathComponent, in: folder, withEditor: withEditor)
            console.note("written; whoever has this file can read the archive. Connect the reader, then delete it.")
            return .success
        })

    static let edits = CommandSpec(
        "archive", "writer", "edits", summary: "Applies waiting edits and lists everything that edits changed here.",
        examples: [
            Example("healthmd archive writer edits", "collects, applies, answers, lists"),
            Example("healthmd archive writer edits --list", "lists only, without asking the service"),
        ],
        options: [.flag("--list", "only list")],
        run: { invocation, console in
            let writer = try writer(invocation)
            var document = JSONObject()
            var failure: ClientError?
            if !invocation.has("--list") {
                let report = try writer.applyEdits()
                document.append("answered", Self.document(report.answered))
                failure = report.stopped
            }
            document.append(
                "changes",
                .array(
                    try writer.changes().map { change in
                        [
                            "name": .string(change.name.text), "item": .integer(change.item),
                            "id": .string(change.id), "metric": change.metric.map { .string($0) } ?? .null,
                            "kind": .string(change.kind), "stands": .bool(change.stands),
                        ]
                    }))
            return finish(document, failure, invocation, console)
        })

    static let undo = CommandSpec(
        "archive", "writer", "undo",
        summary: "Takes back what one edit changed: additions go, what was displaced comes back.",
        examples: [Example("healthmd archive writer undo 1791633650000-aebagbaf", "a name that edits lists")],
        positionals: [PositionalSpec(name: "NAME", kind: .text, count: .one, summary: "the name of an edit")],
        run: { invocation, console in
            let name = try EditName(text: invocation.words.first ?? "")
            let count = try writer(invocation).undo(name)
            console.print(["name": .string(name.text), "taken_back": .integer(count)], invocation)
            return .success
        })
}
