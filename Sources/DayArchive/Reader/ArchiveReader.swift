import CanonicalJSON
import Cryptography
import DurableStore

/// The reader of an archive: a private mirror of opened days, answers from it, and edits (day-archive-reader.md).
///
/// Blocking, and for one thread at a time.
public final class ArchiveReader {
    /// Where keys and mirror lie.
    public let profile: ReaderProfile
    let exchange: any ArchiveExchange
    let clock: ServiceClock
    /// Local milliseconds of the last check that came to its end (day-archive-reader.md 4).
    var lastCheck: Int?

    /// A reader of a connected profile.
    public init(
        profile: ReaderProfile, exchange: any ArchiveExchange = CurlExchange(), clock: ServiceClock = ServiceClock()
    ) {
        self.profile = profile
        self.exchange = exchange
        self.clock = clock
    }

    /// The UTC day of now.
    var today: ArchiveDay {
        guard let day = ArchiveDay(utcSecond: clock.localMilliseconds.floorDivided(by: 1_000)) else {
            preconditionFailure("a clock outside the calendar")
        }
        return day
    }

    /// The service, as the profile names it now.
    func client(_ mirror: Mirror, _ readingKey: ReadingKey) throws -> ArchiveClient {
        guard let endpoint = ServiceEndpoint(mirror.endpoint) else {
            throw ReaderError.noEndpoint(profile: profile.path)
        }
        return ArchiveClient(endpoint: endpoint, bucket: readingKey.bucket, exchange: exchange, clock: clock)
    }

    /// Remembers another address of the service, at once (day-archive-reader.md 2).
    public func useEndpoint(_ text: String) throws {
        guard let endpoint = ServiceEndpoint(text) else { throw ReaderError.badAddress }
        var mirror = try profile.mirror()
        guard mirror.endpoint != endpoint.url else { return }
        mirror.endpoint = endpoint.url
        try profile.save(mirror)
    }

    // MARK: Connecting

    /// What connecting did.
    public struct Connection: Equatable, Sendable {
        /// The archive.
        public let bucket: BucketID
        /// The service.
        public let endpoint: ServiceEndpoint
        /// The files that were written, by name.
        public let files: [String]
    }

    /// Takes a handoff into an empty profile; into one of the same reading key it adds a missing editor key and nothing else
    /// (day-archive-reader.md 2). `mirror.json` is written last: without it a profile was never complete, and the same handoff given
    /// again goes on where it was interrupted.
    ///
    /// - Throws: `bad_handoff`, `bad_key`, `already_connected`.
    public static func connect(_ profile: ReaderProfile, handoff text: String) throws -> Connection {
        let handoff = try Handoff(text: text)
        let held = try KeyFiles.reading(in: profile.folder)
        let heldEditor = try KeyFiles.editor(in: profile.folder)
        let hasMirror = try profile.folder.status(of: ReaderProfile.mirrorName) != nil
        let isSameArchive = held.map { $0.bucket == handoff.bucket } ?? false
        let isEmpty = held == nil && heldEditor == nil && !hasMirror
        let isInterrupted = isSameArchive && !hasMirror && isSameEditor(heldEditor, handoff.editorKey)
        let lacksEditor = isSameArchive && hasMirror && heldEditor == nil && handoff.editorKey != nil
        guard isEmpty || isInterrupted || lacksEditor else {
            throw ReaderError.alreadyConnected(profile: profile.path)
        }
        var files: [String] = []
        if held == nil {
            try KeyFiles.writeReading(handoff.readingKey, in: profile.folder)
            files.append(KeyFiles.readingName)
        }
        if !hasMirror { files.append(ReaderProfile.mirrorName) }
        if heldEditor == nil, let editor = handoff.editorKey {
            try KeyFiles.writeEditor(editor, in: profile.folder)
            files.append(KeyFiles.editorName)
        }
        if !hasMirror { try profile.save(Mirror(endpoint: handoff.endpoint.url)) }
        return Connection(bucket: handoff.bucket, endpoint: handoff.endpoint, files: files)
    }

    /// Whether a held editor key is the one that is handed over; without a held one there is nothing to differ.
    private static func isSameEditor(_ held: EditorKey?, _ handed: EditorKey?) -> Bool {
        guard let held else { return true }
        return handed.map { $0.privateKey.publicKey.bytes == held.privateKey.publicKey.bytes } ?? false
    }
}
