import CanonicalJSON
import Cryptography
import DurableStore
import HealthData
import HealthRecords

/// The writer of an archive: holds the keys, sends days, collects and answers edits (day-archive.md 9.4, 10).
///
/// Blocking. One process per folder; one call at a time.
public final class ArchiveWriter {
    /// The keys of one archive.
    struct Keys {
        let reading: ReadingKey
        let writer: Ed25519.PrivateKey
        let editor: EditorKey
    }

    let folder: Directory
    let source: any DaySource
    let ledger: WriterLedger
    let exchange: any ArchiveExchange
    let clock: ServiceClock
    private let lock: FolderLock

    /// Opens the writer's private folder, `archive/writer`, and takes its lock.
    ///
    /// - Throws: `locked_by` while another process works in it.
    public init(
        folder: Directory, source: any DaySource, exchange: any ArchiveExchange = CurlExchange(),
        clock: ServiceClock = ServiceClock()
    ) throws {
        lock = try FolderLock.take(in: folder)
        self.folder = folder
        self.source = source
        self.exchange = exchange
        self.clock = clock
        ledger = try WriterLedger(folder: folder)
    }

    // MARK: Setting up

    /// What setting up did.
    public struct SetUp: Equatable, Sendable {
        /// The archive.
        public let bucket: BucketID
        /// The service.
        public let endpoint: ServiceEndpoint
        /// Whether keys were made now.
        public let madeKeys: Bool
        /// Whether the service took the archive as a new one.
        public let isNew: Bool
    }

    /// Makes keys on first use, claims the archive at a service, and registers editor and read key.
    ///
    /// Keys are made once and never replaced; another address means the same archive at another service, where everything is owed
    /// again.
    ///
    /// - Parameter claimToken: what the operator asks of new archives.
    public func setUp(url: String, claimToken: String? = nil) throws -> SetUp {
        guard let endpoint = ServiceEndpoint(url) else { throw WriterError.badAddress }
        let (keys, madeKeys) = try makeKeys()
        let isNew = try claim(keys, endpoint, claimToken)
        if try ledger.setting(.endpoint) != endpoint.url { try ledger.changeEndpoint(endpoint.url) }
        if try ledger.setting(.installationDay) == nil {
            try ledger.set(.installationDay, today(in: try source.snapshot()?.zone ?? .utc).description)
        }
        try register(keys, client(keys, endpoint))
        return SetUp(bucket: keys.reading.bucket, endpoint: endpoint, madeKeys: madeKeys, isNew: isNew)
    }

    private func makeKeys() throws -> (keys: Keys, madeNew: Bool) {
        var madeNew = false
        // Each file is durable before the next is made; an interrupted first run goes on with what there is.
        if try KeyFiles.reading(in: folder) == nil {
            try KeyFiles.writeReading(ReadingKey(), in: folder)
            madeNew = true
        }
        if try KeyFiles.writer(in: folder) == nil { try KeyFiles.writeWriter(Ed25519.PrivateKey(), in: folder) }
        if try KeyFiles.editor(in: folder) == nil { try KeyFiles.writeEditor(EditorKey(), in: folder) }
        return (try keys(), madeNew)
    }

    func keys() throws -> Keys {
        guard let reading = try KeyFiles.reading(in: folder), let writer = try KeyFiles.writer(in: folder),
            let editor = try KeyFiles.editor(in: folder)
        else { throw WriterError.notSetUp }
        return Keys(reading: reading, writer: writer, editor: editor)
    }

    func endpoint() throws -> ServiceEndpoint {
        guard let endpoint = try ledger.setting(.endpoint).flatMap({ ServiceEndpoint($0) }) else {
            throw WriterError.notSetUp
        }
        return endpoint
    }

    func client(_ keys: Keys, _ endpoint: ServiceEndpoint) -> ArchiveClient {
        ArchiveClient(endpoint: endpoint, bucket: keys.reading.bucket, exchange: exchange, clock: clock)
    }

    private func claim(_ keys: Keys, _ endpoint: ServiceEndpoint, _ token: String?) throws -> Bool {
        let client = client(keys, endpoint)
        let bucket = client.bucket
        let signature = ArchiveClient.Signature(key: keys.writer, signer: .writer) {
            SignedText.claim(bucket, timestamp: $0)
        }
        let headers = token.map { [(ClaimPolicy.tokenName, $0)] } ?? []
        return try client.send("PUT", client.target(""), signature, body: [], headers: headers).status == 201
    }

    /// Registers editor and read key once per bucket; retried until accepted (day-archive.md 10).
    func register(_ keys: Keys, _ client: ArchiveClient) throws {
        let bucket = client.bucket
        let wanted: [(WriterLedger.Setting, SignedText.Registration, [UInt8])] = [
            (.registeredEditor, .editor, keys.editor.privateKey.publicKey.bytes),
            (.registeredReader, .reader, keys.reading.readKey.publicKey.bytes),
        ]
        for (setting, what, body) in wanted where try ledger.setting(setting) != bucket.text {
            let signature = ArchiveClient.Signature(key: keys.writer, signer: .writer) {
                SignedText.register(what, bucket, timestamp: $0, body: body)
            }
            _ = try client.send("PUT", client.target("/\(what.rawValue)"), signature, body: body)
            try ledger.set(setting, bucket.text)
        }
    }

    // MARK: Handing over

    /// The handoff for a reader. Holds secrets: a private file or standard output, nothing else.
    public func handoff(withEditor: Bool = true) throws -> String {
        let keys = try keys()
        return Handoff(
            endpoint: try endpoint(), readingKey: keys.reading, editorKey: withEditor ? keys.editor : nil
        ).text
    }

    /// Writes the handoff into a new private file, 0600.
    public func writeHandoff(to name: String, in folder: Directory, withEditor: Bool = true) throws {
        try folder.durableReplace(name, mode: .noReplace, with: Array(try handoff(withEditor: withEditor).utf8))
    }

    // MARK: Looking

    /// How the writer stands.
    public struct Status: Equatable, Sendable {
        /// The archive.
        public let bucket: BucketID
        /// The service.
        public let endpoint: ServiceEndpoint
        /// Days that should exist in the archive.
        public let knownDays: Int
        /// Days that have to be looked at or sent.
        public let owedDays: Int
        /// Days that the service refused too often; the daily check owes them again.
        public let setAsideDays: Int
        /// Unix milliseconds of the last daily check that came to its end.
        public let lastCheck: Int?
    }

    /// Looks at the ledger, without the network.
    public func status() throws -> Status {
        let counts = try ledger.counts()
        return Status(
            bucket: try keys().reading.bucket, endpoint: try endpoint(), knownDays: counts.known,
            owedDays: counts.dirty, setAsideDays: counts.setAside,
            lastCheck: try ledger.setting(.lastCheck).flatMap { Int($0) })
    }

    /// Everything that edits changed here, oldest first.
    public func changes() throws -> [AppliedChange] { try ledger.changes() }

    /// The day of now in a zone.
    func today(in zone: CalendarZone) -> ArchiveDay {
        let number = zone.dayNumber(atSecond: clock.localMilliseconds.floorDivided(by: 1_000))
        guard let day = CivilDate(daysSince1970: number).flatMap({ ArchiveDay($0) }) else {
            preconditionFailure("a clock outside the calendar")
        }
        return day
    }
}
