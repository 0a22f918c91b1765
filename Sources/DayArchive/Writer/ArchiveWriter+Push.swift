import CanonicalJSON
import Cryptography
import HealthData

// Sending days (day-archive.md 10).
extension ArchiveWriter {
    /// Days of one piece of work, and of one request.
    private static let daysPerRequest = 31
    /// Sealed bytes of one request; a heavier day travels alone.
    private static let bytesPerRequest = 4 << 20
    /// Requests in flight.
    private static let requestsInFlight = 4
    /// Days that are looked at again on every push: a watch syncs late.
    private static let recentDays = 7
    /// The daily check, at most once in this many milliseconds.
    private static let checkInterval = 86_400_000

    /// What a push did.
    public struct PushReport: Equatable, Sendable {
        /// Days that were rebuilt.
        public var lookedAt = 0
        /// Days that came out as they had been sent.
        public var unchanged = 0
        /// Days that the service stored.
        public var sent = 0
        /// Days that the service refused.
        public var refused = 0
        /// Days that the daily check owed again; nil when it was not due or did not come to its end.
        public var missing: Int?
        /// Why the push stopped early; everything not sent stays owed.
        public var stopped: ClientError?
    }

    /// Sends every day that is owed and has changed.
    public func push() throws -> PushReport {
        let keys = try keys()
        let client = client(keys, try endpoint())
        guard let snapshot = try source.snapshot() else { throw WriterError.noDays }
        try ledger.settle(source)
        var report = PushReport()
        do {
            try register(keys, client)
        } catch let error as ClientError {
            report.stopped = error
            return report
        }
        let events = try dayEvents(snapshot)
        try markOwed(snapshot)
        report.missing = try dailyCheckIfDue(snapshot, client, keys)
        try send(try ledger.dirtyDays(), client, keys, events, &report)
        return report
    }

    func dayEvents(_ snapshot: DaySourceSnapshot) throws -> DayEvents {
        let installed = try ledger.setting(.installationDay).flatMap { CivilDate($0) }
        return DayEvents(
            zone: snapshot.zone, sources: SourcePriority(snapshot.sources),
            hourlyFrom: installed ?? today(in: snapshot.zone).date)
    }

    /// The first day that should exist: the first with data, as far back as the service takes.
    private func firstDay(_ snapshot: DaySourceSnapshot) throws -> ArchiveDay {
        let earliest = try ArchiveDay(text: ServiceLimits.firstDay)
        return max(snapshot.firstDay.flatMap { ArchiveDay($0) } ?? today(in: snapshot.zone), earliest)
    }

    private func markOwed(_ snapshot: DaySourceSnapshot) throws {
        let today = today(in: snapshot.zone)
        try ledger.know(from: try firstDay(snapshot), to: today)
        if try ledger.setting(.generation) != String(snapshot.generation) {
            try ledger.markAll(generation: snapshot.generation)
        }
        let first = try firstDay(snapshot)
        try ledger.mark((0..<Self.recentDays).compactMap { today.adding(days: -$0) }.filter { $0 >= first })
    }

    // MARK: Batches

    /// What became of one batch.
    private struct BatchResult: Sendable {
        var lookedAt = 0
        var unchanged: [ArchiveDay] = []
        var stored: [(day: ArchiveDay, digest: Digest, byteCount: Int)] = []
        var refused: [ArchiveDay] = []
        /// Nothing after this was tried.
        var stopped: ClientError?
    }

    /// A rebuilt day that is to be sent.
    private struct SealedBuild: Sendable {
        let sealed: SealedDay
        let digest: Digest
    }

    private func send(
        _ days: [ArchiveDay], _ client: ArchiveClient, _ keys: Keys, _ events: DayEvents, _ report: inout PushReport
    ) throws {
        let batches = stride(from: 0, to: days.count, by: Self.daysPerRequest).map { start in
            Array(days[start..<min(start + Self.daysPerRequest, days.count)])
        }
        // Nothing of the writer itself goes to other threads.
        let (source, ledger, writer, reading) = (source, ledger, keys.writer, keys.reading)
        do {
            try OrderedWork.run(batches, workerCount: Self.requestsInFlight) { days in
                try Self.run(days, source, ledger, client, writer, reading, events)
            } consume: { result in
                report.lookedAt += result.lookedAt
                report.unchanged += result.unchanged.count
                report.sent += result.stored.count
                report.refused += result.refused.count
                try ledger.markClean(result.unchanged)
                try ledger.accept(result.stored)
                try ledger.refuse(result.refused)
                if let stopped = result.stopped { throw stopped }
            }
        } catch let error as ClientError {
            report.stopped = error
        }
    }

    private static func run(
        _ days: [ArchiveDay], _ source: any DaySource, _ ledger: WriterLedger, _ client: ArchiveClient,
        _ writer: Ed25519.PrivateKey, _ reading: ReadingKey, _ events: DayEvents
    ) throws -> BatchResult {
        var result = BatchResult()
        var builds: [SealedBuild] = []
        for day in days.sorted() {
            result.lookedAt += 1
            let canonical = ColumnarDay.pack(try events.events(of: day.date, from: try source.sourceDay(day.date)))
            let digest = SHA256.hash(canonical)
            if try ledger.accepted(day).digest == digest {
                result.unchanged.append(day)
                continue
            }
            let sealed = try SealedEnvelope.seal(
                RawDeflate.compress(canonical), to: reading.privateKey.publicKey, for: .day(client.bucket, day))
            builds.append(SealedBuild(sealed: SealedDay(day: day, bytes: sealed), digest: digest))
        }
        for request in requests(builds) where result.stopped == nil {
            upload(request, client, writer, &result)
        }
        return result
    }

    /// Cuts at the size of a request; days keep their order.
    private static func requests(_ builds: [SealedBuild]) -> [[SealedBuild]] {
        var requests: [[SealedBuild]] = []
        var byteCount = 0
        for build in builds {
            let size = build.sealed.bytes.count
            if requests.isEmpty || byteCount + size > bytesPerRequest {
                requests.append([])
                byteCount = 0
            }
            requests[requests.count - 1].append(build)
            byteCount += size
        }
        return requests
    }

    private static func upload(
        _ builds: [SealedBuild], _ client: ArchiveClient, _ writer: Ed25519.PrivateKey, _ result: inout BatchResult
    ) {
        let body = DayFrame.encode(builds.map(\.sealed))
        let days = builds.map(\.sealed.day)
        let bucket = client.bucket
        let signature = ArchiveClient.Signature(key: writer, signer: .writer) {
            SignedText.upload(bucket, days: days, timestamp: $0, body: body)
        }
        do throws(ClientError) {
            let answer = try client.send("PUT", client.target("/days"), signature, body: body)
            // Only the days that the service names have landed; without a list, or by another name, none has.
            let named = (try? JSONParser.parse(answer.body))?["stored"]?.array ?? []
            let stored = Set(named.compactMap { value in value.string.flatMap { try? ArchiveDay(text: $0) } })
            for build in builds where stored.contains(build.sealed.day) {
                result.stored.append(
                    (day: build.sealed.day, digest: build.digest, byteCount: build.sealed.bytes.count))
            }
        } catch {
            switch error {
            case .refused(_, 400, _, nil), .refused(_, 413, _, _):
                guard builds.count > 1 else { return result.refused += days }
                // One day may be to blame for all: sent by halves, the others land.
                let middle = builds.count / 2
                for half in [builds[..<middle], builds[middle...]] where result.stopped == nil {
                    upload(Array(half), client, writer, &result)
                }
            // The clock, the rate, a full or foreign archive, a service in trouble: none says anything about the days.
            default: result.stopped = error
            }
        }
    }

    // MARK: Daily check

    /// Compares the listing with the days that ought to exist, not with those that the ledger believes it sent: the ledger is
    /// the thing under suspicion. A check that cannot finish acts on nothing and does not count.
    private func dailyCheckIfDue(
        _ snapshot: DaySourceSnapshot, _ client: ArchiveClient, _ keys: Keys
    ) throws -> Int? {
        let now = clock.localMilliseconds
        if let last = try ledger.setting(.lastCheck).flatMap({ Int($0) }), (0..<Self.checkInterval).contains(now - last)
        {
            return nil
        }
        let listed: [ListedDay]
        do throws(ClientError) {
            listed = try client.listDays(limit: ServiceLimits().daysPerPage, key: keys.reading.readKey)
        } catch {
            // The sending that follows is not stopped by it, and the next push checks again.
            return nil
        }
        let held = Dictionary(uniqueKeysWithValues: listed.map { ($0.day, $0.byteCount) })
        let sizes = try ledger.acceptedSizes()
        let first = try firstDay(snapshot)
        let today = today(in: snapshot.zone)
        let expected = (0...max(0, today.number - first.number)).compactMap { first.adding(days: $0) }
        let missing = expected.filter { day in
            guard let size = held[day] else { return true }
            return sizes[day].map { $0 != size } ?? false
        }
        try ledger.mark(missing, forgettingDigest: true)
        try ledger.oweSetAside()
        try ledger.set(.lastCheck, String(now))
        return missing.count
    }
}

extension WriterLedger {
    /// Days that were set aside get another chance.
    fileprivate func oweSetAside() throws {
        try database.transaction { try $0.run("UPDATE days SET refusals = 0 WHERE is_dirty = 1") }
    }
}
