import CanonicalJSON
import Cryptography

// The mirror and how it is kept in step (day-archive-reader.md 4).
extension ArchiveReader {
    /// Days after which what was reached is written down.
    private static let saveInterval = 8
    /// A check that came to its end holds for this long, in milliseconds.
    private static let freshFor = 5 * 60_000
    /// The ordinary check looks this many days back.
    private static let ordinaryDays = 14

    /// What a sync did.
    public struct SyncReport: Equatable, Sendable {
        /// Days that were copied.
        public let copied: Int
        /// Days that are recorded now.
        public let mirrored: Int
    }

    /// Copies every day of a range that changed since it was copied. Interrupting it loses only what it had not reached.
    public func sync(since: ArchiveDay? = nil, until: ArchiveDay? = nil) throws -> SyncReport {
        let key = try profile.readingKey()
        var (mirror, _) = try profile.heldMirror()
        let client = try client(mirror, key)
        let listed = try client.listDays(from: since?.previous, to: until, key: key.readKey)
        let copied = try copyChanged(listed, &mirror, client, key)
        mirror.syncedAt = UTCText.milliseconds(clock.localMilliseconds)
        try profile.save(mirror)
        return SyncReport(copied: copied, mirrored: mirror.days.count)
    }

    /// What the archive holds and what is held here.
    public struct Status: Equatable, Sendable {
        /// The archive.
        public let bucket: BucketID
        /// What the service says of itself.
        public let archive: ArchiveNumbers
        /// Recorded days whose files are there.
        public let mirrored: Int
        /// The first of them.
        public let firstMirrored: ArchiveDay?
        /// The last of them.
        public let lastMirrored: ArchiveDay?
        /// Days that were copied and whose files are gone since.
        public let missingFiles: Int

        /// How many days the mirror lacks.
        public var behind: Int { max(0, archive.days - mirrored) }

        /// Three lines for a person.
        public var lines: [String] {
            let size = String(Rounding.tenths(Double(archive.bytes) / 1_048_576))
            let span = archive.firstDay.flatMap { first in archive.lastDay.map { ", \(first) to \($0)" } } ?? ""
            var held =
                firstMirrored.flatMap { first in lastMirrored.map { "\(mirrored) days, \(first) to \($0)" } } ?? "empty"
            if behind > 0 { held += ", \(behind) behind" }
            if missingFiles > 0 {
                held +=
                    "; the files of \(missingFiles) copied days are gone, healthmd archive reader sync fetches them again"
            }
            return [
                "Bucket:  \(bucket)",
                "Archive: \(archive.isComplete ? "" : "at least ")\(archive.days) days, \(size) MiB\(span)",
                "Mirror:  \(held)",
            ]
        }
    }

    /// Asks the service and looks at the mirror.
    public func status() throws -> Status {
        let key = try profile.readingKey()
        let (mirror, missing) = try profile.heldMirror()
        let numbers = try client(mirror, key).numbers(key: key.readKey)
        return Status(
            bucket: key.bucket, archive: numbers, mirrored: mirror.days.count, firstMirrored: mirror.days.keys.min(),
            lastMirrored: mirror.days.keys.max(), missingFiles: missing)
    }

    /// How many copied days of a range have no file any more: answers from the mirror lack them.
    public func missingFiles(since: ArchiveDay? = nil, until: ArchiveDay? = nil) throws -> Int {
        let filter = EventFilter(since: since, until: until)
        let files = Set(try profile.mirroredDays())
        return try profile.mirror().days.keys.count { !files.contains($0) && filter.covers($0) }
    }

    /// Fetches what is listed and not held, writes each day, and records it.
    func copyChanged(
        _ listed: [ListedDay], _ mirror: inout Mirror, _ client: ArchiveClient, _ key: ReadingKey
    ) throws -> Int {
        let files = Set(try profile.mirroredDays())
        var wanted: [ArchiveDay: String] = [:]
        for line in listed where mirror.days[line.day] != line.uploaded || !files.contains(line.day) {
            wanted[line.day] = line.uploaded
        }
        guard !wanted.isEmpty else { return 0 }
        var copied = 0
        do {
            try client.fetch(wanted.keys, readingKey: key) { opened in
                try profile.writeDay(opened)
                mirror.days[opened.day] = wanted[opened.day]
                copied += 1
                if copied.isMultiple(of: Self.saveInterval) { try profile.save(mirror) }
            }
        } catch {
            // What was reached is kept; the error that stopped it is the one to report.
            try? profile.save(mirror)
            throw error
        }
        try profile.save(mirror)
        return copied
    }

    // MARK: Freshness

    /// How an answer stands to the archive.
    struct Freshness {
        /// What the service said; nil when it was not asked or did not answer.
        var numbers: ArchiveNumbers?
        /// Set when the answer may be behind.
        var warning: String?
    }

    /// Brings the mirror up to date as far as needed; whatever fails becomes a warning, never an error.
    ///
    /// - Parameters:
    ///   - isForced: does the whole check now.
    ///   - asksAlways: asks for the numbers even when a check still holds.
    func refresh(isForced: Bool = false, asksAlways: Bool = false) throws -> Freshness {
        let isFresh =
            !isForced && lastCheck.map { (0..<Self.freshFor).contains(clock.localMilliseconds - $0) } ?? false
        guard !isFresh || asksAlways else { return Freshness() }
        let key = try profile.readingKey()
        let mirror: Mirror
        do {
            mirror = try profile.heldMirror().mirror
        } catch ReaderError.badProfileFile {
            return Freshness(warning: "mirror.json cannot be read; the answer comes from the days held here")
        }
        var freshness = Freshness()
        do {
            let client = try client(mirror, key)
            freshness.numbers = try client.numbers(key: key.readKey)
            guard !isFresh, let numbers = freshness.numbers else { return freshness }
            do {
                try check(mirror, numbers, isForced: isForced, client, key)
                lastCheck = clock.localMilliseconds
            } catch {
                freshness.warning = "the mirror could not be brought up to date (\(error)); the answer may be behind"
            }
        } catch {
            freshness.warning = "the service could not be asked (\(error)); the answer may be behind"
        }
        return freshness
    }

    private func check(
        _ mirror: Mirror, _ numbers: ArchiveNumbers, isForced: Bool, _ client: ArchiveClient, _ key: ReadingKey
    ) throws {
        var mirror = mirror
        var isWhole = isForced
        if !isWhole {
            let listed = try client.listDays(from: today.adding(days: -Self.ordinaryDays), key: key.readKey)
            _ = try copyChanged(listed, &mirror, client, key)
            isWhole =
                numbers.isComplete ? numbers.days != mirror.days.count : numbers.days > mirror.days.count
        }
        if isWhole {
            let listed = try client.listDays(key: key.readKey)
            let names = Set(listed.map(\.day))
            // A day that the archive lost keeps its file here: it may be the last copy.
            mirror.days = mirror.days.filter { names.contains($0.key) }
            _ = try copyChanged(listed, &mirror, client, key)
        }
        mirror.syncedAt = UTCText.milliseconds(clock.localMilliseconds)
        try profile.save(mirror)
    }
}
