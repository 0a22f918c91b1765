import CanonicalJSON
import HTTPService

// The queue of edits (day-archive.md 9.2).
extension ServiceCore {
    func submitEdit(_ bucket: BucketID, _ context: Context, random: (Int) -> [UInt8]) throws -> ServiceDecision {
        let body = context.request.body
        guard let version = body.first else { throw ServiceFault(.emptyBody) }
        guard version == SealedEnvelope.version2 else { throw ServiceFault(.badEnvelope) }
        let signed = try SignedHeaders(context.request.headers, signer: .editor, now: context.now)
        guard let record = try context.view.bucket(bucket), let editor = record.editor else {
            throw ServiceFault(.noEditor)
        }
        guard editor == signed.key.bytes else { throw ServiceFault(.otherEditor) }
        let text = SignedText.edit(bucket, timestamp: signed.timestampText, body: body)
        try signed.verify(text)
        let mark = signed.mark(text)
        if let decision = try repeated(mark, context.view) { return decision }
        guard try context.view.waitingEditCount(bucket) < limits.pendingEdits else { throw ServiceFault(.queueFull) }
        try requireRoom(for: body.count, in: record, context.view)
        let edit = WaitingEdit(
            name: try nextName(bucket, context, random: random), bytes: body, takenAt: context.now.milliseconds,
            editorText: signed.keyText, signatureText: signed.signatureText, timestampText: signed.timestampText)
        let answer = ServiceAnswer.json(
            201,
            [
                "name": .string(edit.name.text), "at": .string(UTCText.milliseconds(edit.takenAt)),
                "bytes": .integer(body.count),
            ])
        return .change(.takeEdit(bucket, edit), mark, answer)
    }

    /// The clock, but at least one millisecond more than the bucket's newest name, so that names never collide and sort in
    /// arrival order whatever the clock does (extensions.md 10.7).
    private func nextName(
        _ bucket: BucketID, _ context: Context, random: (Int) -> [UInt8]
    ) throws -> EditName {
        let newest = try context.view.newestEditName(bucket)?.milliseconds ?? -1
        let milliseconds = max(context.now.milliseconds, newest + 1)
        guard milliseconds <= EditName.maximumMilliseconds else { throw ServiceFault(.queueFull) }
        return EditName(milliseconds: milliseconds, random: random(EditName.randomByteCount))
    }

    func listEdits(_ bucket: BucketID, _ context: Context) throws -> ServiceAnswer {
        try authorizeRead(bucket, context)
        let status = context.target.parameter("status") ?? "pending"
        guard status == "pending" || status == "all" else { throw ServiceFault(.badStatus) }
        return .json(
            200,
            try editListing(
                bucket, after: try context.target.editName("after"),
                limit: try context.target.limit(ceiling: limits.editsPerPage), isAll: status == "all", context.view))
    }

    func editListing(
        _ bucket: BucketID, after: EditName?, limit: Int, isAll: Bool, _ view: any ArchiveView
    ) throws -> JSONValue {
        let found = try view.edits(bucket, after: after, includingAnswered: isAll, limit: limit + 1)
        let page = found.prefix(limit)
        let next: JSONValue = found.count > page.count ? page.last.map { .string($0.name.text) } ?? .null : .null
        return ["edits": .array(page.map { .object(Self.line($0)) }), "next": next]
    }

    private static func line(_ edit: EditListing) -> JSONObject {
        var line: JSONObject = [
            "name": .string(edit.name.text), "bytes": .integer(edit.byteCount),
            "at": .string(UTCText.milliseconds(edit.takenAt)),
        ]
        if let (applied, failed) = edit.outcome {
            line.append("status", .string(EditOutcome.status(applied: applied, failed: failed)))
            line.append("applied", .integer(applied))
            line.append("failed", .integer(failed))
        } else {
            line.append("status", "pending")
        }
        return line
    }

    func fetchEdit(_ bucket: BucketID, _ name: EditName, _ context: Context) throws -> ServiceAnswer {
        let signed = try SignedHeaders(context.request.headers, signer: .writer, now: context.now)
        let text = SignedText.fetch(bucket, name: name, timestamp: signed.timestampText)
        _ = try requireOwner(bucket, signed, text, context.view)
        guard let edit = try context.view.waitingEdit(bucket, name) else {
            throw ServiceFault(try context.view.outcome(bucket, name) == nil ? .noEdit : .answered)
        }
        return .sealed(
            edit.bytes,
            headers: [
                (name: SignedHeaders.Signer.editor.rawValue, value: edit.editorText),
                (name: SignedHeaders.signatureName, value: edit.signatureText),
                (name: SignedHeaders.timestampName, value: edit.timestampText),
            ])
    }

    func reportOutcome(_ bucket: BucketID, _ name: EditName, _ context: Context) throws -> ServiceDecision {
        let body = context.request.body
        let outcome: EditOutcome
        do {
            outcome = try EditOutcome(body: body)
        } catch {
            throw ServiceFault(.badOutcome)
        }
        let signed = try SignedHeaders(context.request.headers, signer: .writer, now: context.now)
        let text = SignedText.outcome(bucket, name: name, timestamp: signed.timestampText, body: body)
        _ = try requireOwner(bucket, signed, text, context.view)
        let mark = signed.mark(text)
        if let decision = try repeated(mark, context.view) { return decision }
        let stored: StoredOutcome
        if let edit = try context.view.waitingEdit(bucket, name) {
            stored = StoredOutcome(outcome: outcome, byteCount: edit.bytes.count, takenAt: edit.takenAt)
        } else if let earlier = try context.view.outcome(bucket, name) {
            stored = StoredOutcome(outcome: outcome, byteCount: earlier.byteCount, takenAt: earlier.takenAt)
        } else {
            throw ServiceFault(.noEdit)
        }
        let answer = ServiceAnswer.json(
            200,
            [
                "name": .string(name.text), "applied": .integer(outcome.applied),
                "failed": .integer(outcome.failed.count),
            ])
        return .change(.answerEdit(bucket, name, stored), mark, answer)
    }

    func outcome(_ bucket: BucketID, _ name: EditName, _ context: Context) throws -> ServiceAnswer {
        try authorizeRead(bucket, context)
        guard let stored = try context.view.outcome(bucket, name) else { throw ServiceFault(.noOutcome) }
        var document = stored.outcome.object
        document.append("bytes", .integer(stored.byteCount))
        document.append("at", .string(UTCText.milliseconds(stored.takenAt)))
        return .json(200, .object(document))
    }
}
