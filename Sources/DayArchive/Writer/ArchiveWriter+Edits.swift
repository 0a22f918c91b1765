import CanonicalJSON
import Cryptography
import HealthRecords

// The queue of edits (day-archive.md 9.4).
extension ArchiveWriter {
    private static let pageLimit = 200
    private static let maximumPageCount = 20
    /// Edits that are taken in one run.
    private static let editsPerRun = 50

    /// One edit that was answered.
    public struct AnsweredEdit: Equatable, Sendable {
        /// Its name.
        public let name: EditName
        /// What the service was told.
        public let outcome: EditOutcome
    }

    /// What a run did.
    public struct EditReport: Equatable, Sendable {
        /// Edits that were answered, in order.
        public var answered: [AnsweredEdit] = []
        /// Why the run stopped early; what was not answered stays in the queue.
        public var stopped: ClientError?
    }

    /// Collects the edits that wait, applies each, and reports what became of it. The days touched are owed afterwards.
    ///
    /// - Throws: what the day source or the ledger throw: such a condition says nothing about an edit, so the run stops and leaves it.
    public func applyEdits() throws -> EditReport {
        let keys = try keys()
        let client = client(keys, try endpoint())
        guard let snapshot = try source.snapshot() else { throw WriterError.noDays }
        try ledger.settle(source)
        var report = EditReport()
        do {
            try register(keys, client)
            for name in try waitingNames(client, keys) {
                guard let fetched = try fetch(name, client, keys) else { continue }
                let outcome = try judge(fetched, name, keys, zone: snapshot.zone)
                try reportOutcome(outcome, name, client, keys)
                if let signedAt = fetched.verifiedAt {
                    var answered = try ledger.answeredEdits()
                    answered.record(.init(digest: fetched.digest, name: name, signedAt: signedAt))
                    try ledger.save(answered)
                }
                report.answered.append(AnsweredEdit(name: name, outcome: outcome))
            }
        } catch let error as ClientError {
            report.stopped = error
        }
        return report
    }

    private func waitingNames(_ client: ArchiveClient, _ keys: Keys) throws(ClientError) -> [EditName] {
        var names: [EditName] = []
        var after: String?
        let target = client.target("/edits")
        for _ in 0..<Self.maximumPageCount {
            let query: [(String, String?)] = [
                ("status", "pending"), ("limit", String(Self.pageLimit)), ("after", after),
            ]
            let page = try client.readObject("/edits", query, key: keys.reading.readKey)
            guard let lines = page["edits"]?.array else { throw .badAnswer(target: target, what: "edits is no list") }
            for line in lines {
                // A name that is none refuses the listing: it would get into a path and a signed text.
                guard let name = line["name"]?.string.flatMap({ try? EditName(text: $0) }),
                    names.last.map({ $0 < name }) ?? true
                else { throw .badAnswer(target: target, what: "a malformed name") }
                names.append(name)
            }
            guard names.count < Self.editsPerRun, let next = page["next"]?.string else { break }
            guard next != after, next == names.last?.text else {
                throw .badAnswer(target: target, what: "next does not move on")
            }
            after = next
        }
        return Array(names.prefix(Self.editsPerRun))
    }

    /// A sealed edit with the headers it came with.
    private struct FetchedEdit {
        let bytes: [UInt8]
        let digest: Digest
        /// The signing moment, when the registered editor signed exactly these bytes.
        let verifiedAt: Int?
    }

    /// Nil when the edit is gone.
    private func fetch(_ name: EditName, _ client: ArchiveClient, _ keys: Keys) throws(ClientError) -> FetchedEdit? {
        let bucket = client.bucket
        let signature = ArchiveClient.Signature(key: keys.writer, signer: .writer) {
            SignedText.fetch(bucket, name: name, timestamp: $0)
        }
        let answer: ExchangeAnswer
        do throws(ClientError) {
            answer = try client.send("GET", client.target("/e/\(name)"), signature)
        } catch {
            switch error {
            case .refused(_, 404, _, _), .refused(_, 410, _, _): return nil
            default: throw error
            }
        }
        return FetchedEdit(
            bytes: answer.body, digest: SHA256.hash(answer.body),
            verifiedAt: Self.verifiedMoment(answer, bucket, editor: keys.editor.privateKey.publicKey))
    }

    /// The writer checks the signature itself: a service that decided alone what is written could write.
    private static func verifiedMoment(
        _ answer: ExchangeAnswer, _ bucket: BucketID, editor: Ed25519.PublicKey
    ) -> Int? {
        guard let key = answer.headers[SignedHeaders.Signer.editor.rawValue],
            let signatureText = answer.headers[SignedHeaders.signatureName],
            let timestamp = answer.headers[SignedHeaders.timestampName], let moment = Int(timestamp),
            // What is not base64url is not a signature.
            let signature = try? Base64.decode(signatureText, as: .urlSafe),
            key == Base64.encode(editor.bytes, as: .urlSafe),
            editor.isValid(
                signature: signature, for: SignedText.edit(bucket, timestamp: timestamp, body: answer.body))
        else { return nil }
        return moment
    }

    private func judge(
        _ fetched: FetchedEdit, _ name: EditName, _ keys: Keys, zone: CalendarZone
    ) throws -> EditOutcome {
        guard let signedAt = fetched.verifiedAt else { return .whole(.badSignature) }
        guard try !ledger.answeredEdits().isReplay(digest: fetched.digest, signedAt: signedAt) else {
            return .whole(.replayed)
        }
        let deflated: [UInt8]
        do throws(WireError) {
            deflated = try SealedEnvelope.open(
                fetched.bytes, with: keys.reading.privateKey, for: .edit(keys.reading.bucket))
        } catch {
            return .whole(.cannotOpen)
        }
        let edit: EditPlaintext
        do throws(WireError) {
            edit = try EditPlaintext(bytes: try RawDeflate.inflate(deflated, ceiling: RawDeflate.editCeiling))
        } catch {
            return .whole(.malformed)
        }
        return try apply(edit, fetched.digest, name, zone)
    }

    private func apply(
        _ edit: EditPlaintext, _ digest: Digest, _ name: EditName, _ zone: CalendarZone
    ) throws -> EditOutcome {
        var failed: [EditOutcome.Failure] = []
        let days = Self.touchedDays(zone)
        for (index, item) in edit.items.enumerated() {
            if let code = EditJudge.failure(item, now: clock.seconds) {
                failed.append(.init(item: index, code: code))
            } else if try ledger.plan(item, index: index, digest: digest, name: name, touching: days) {
                try ledger.settle(source)
            } else {
                failed.append(.init(item: index, code: .notFound))
            }
        }
        return EditOutcome(applied: edit.items.count - failed.count, failed: failed)
    }

    /// The day that an entry lands on.
    private static func touchedDays(_ zone: CalendarZone) -> (EditItem) -> [ArchiveDay] {
        { item in
            guard case .put(_, _, let start, _, _) = item else { return [] }
            return [CivilDate(daysSince1970: zone.dayNumber(atSecond: start)).flatMap { ArchiveDay($0) }].compactMap {
                $0
            }
        }
    }

    private func reportOutcome(
        _ outcome: EditOutcome, _ name: EditName, _ client: ArchiveClient, _ keys: Keys
    ) throws(ClientError) {
        let body = outcome.body
        let bucket = client.bucket
        let signature = ArchiveClient.Signature(key: keys.writer, signer: .writer) {
            SignedText.outcome(bucket, name: name, timestamp: $0, body: body)
        }
        _ = try client.send(
            "PUT", client.target("/e/\(name)/outcome"), signature, body: body, contentType: "application/json")
    }

    // MARK: Taking back

    /// Takes back what an edit changed and what still stands of it; the days touched are owed afterwards.
    ///
    /// - Returns: how many entries were taken back.
    /// - Throws: `unknown_edit` when nothing of it stands.
    public func undo(_ name: EditName) throws -> Int {
        guard let zone = try source.snapshot()?.zone else { throw WriterError.noDays }
        let count = try ledger.undo(name, touching: Self.touchedDays(zone))
        guard count > 0 else { throw WriterError.unknownEdit(name.text) }
        try ledger.settle(source)
        return count
    }
}
