import Cryptography
import Foundation

@testable import ConnectedProtocol

/// A session with its surroundings: time that is moved by hand, and a driver that does at once what a disk would do.
struct SessionFixture {
    static let source = UUID(uuidString: "50000000-0000-4000-8000-000000000001").unsafelyUnwrapped
    static let destination = UUID(uuidString: "D0000000-0000-4000-8000-000000000002").unsafelyUnwrapped
    static let created = ProtocolDate(secondsSince2001: 721_700_000.5)
    /// A partition's payload budget at the smallest target.
    static let budget: Int64 = 33_554_432 - 1_048_576

    var session: SenderSession
    var now = Moment(wall: SessionFixture.created.secondsSince2001, monotonic: 100)
    /// Everything that the session asked for, in order.
    var log: [SenderSession.Action] = []
    /// The journal as it was last stored.
    var stored: SourceJournal?
    /// Whether local work waits for the test instead of being done at once.
    var isManual = false
    /// Sizes of the items that will be made.
    var itemSizes: [Int64]
    private var made: [ProtocolDate: PendingItem] = [:]

    init(
        days: Int = 2, itemSizes: [Int64]? = nil, durability: SenderSession.Durability = .durable,
        origin: SourceJournal.Origin = .macInitiated, mode: CorpusMode = .strictRaw
    ) throws {
        self.itemSizes = itemSizes ?? Array(repeating: 1_000, count: days)
        let journal = try SessionFixture.journal(days: days, durability: durability, origin: origin, mode: mode)
        session = SenderSession(journal: journal, durability: durability)
    }

    /// Goes on from the stored journal, as after a restart: whatever was only in memory is lost.
    mutating func restart() throws {
        let journal = try SessionFixture.restored(try requireStored())
        session = SenderSession(journal: journal)
        log = []
        made = made.filter { date, _ in journal.progress.items.contains { $0.sourceDate == date } }
    }

    func requireStored() throws -> SourceJournal {
        struct NothingStored: Error {}
        guard let stored else { throw NothingStored() }
        return stored
    }

    // MARK: Events

    /// Hands an event in and does the local work that follows; returns the actions of this event alone.
    @discardableResult
    mutating func handle(_ event: SenderSession.Event) -> [SenderSession.Action] {
        let actions = session.handle(event, at: now)
        perform(actions)
        return actions
    }

    mutating func pass(seconds: Double) -> [SenderSession.Action] {
        now.wall += seconds
        now.monotonic += seconds
        return handle(.timer)
    }

    private mutating func perform(_ actions: [SenderSession.Action]) {
        log += actions
        for action in actions {
            switch action {
            case .store(let journal): stored = journal
            case .produceItem, .buildPartition:
                if isManual { break }
                work(action)
            case .send, .beginTransfer, .stopTransfer, .deleteItems, .ended: break
            }
        }
    }

    private mutating func work(_ action: SenderSession.Action) {
        switch action {
        case .produceItem(let date, let isRequested, let kind):
            handle(.itemProduced(item(of: date, isRequested: isRequested, kind: kind)))
        case .buildPartition(let plan): handle(.partitionBuilt(SessionFixture.built(plan)))
        default: break
        }
    }

    /// The item of the next day, as the disk would make it.
    mutating func nextItem() throws -> PendingItem {
        struct NothingLeft: Error {}
        guard let date = session.journal.nextSourceDate else { throw NothingLeft() }
        return item(of: date, isRequested: true, kind: session.journal.manifest.mode.itemKind)
    }

    private mutating func item(of date: ProtocolDate, isRequested: Bool, kind: ItemKind) -> PendingItem {
        if let item = made[date] { return item }
        let index = session.journal.progress.nextItemIndex
        let item = PendingItem(
            itemID: SessionFixture.uuid("17E7", made.count + 1), kind: kind, sourceDate: date,
            isRequestedDate: isRequested, totalBytes: itemSizes[index], sha256: SHA256.hash("item \(date)"))
        made[date] = item
        return item
    }

    /// Answers the partition on its way with the whole exchange: accept, transfer, commit.
    mutating func sendPartition(_ verdict: PartitionDisposition? = nil) throws {
        let index = session.journal.progress.committedPartitionCount
        handle(.disposition(try disposition(verdict ?? (index == 0 ? .accept : .resume))))
        handle(.transferEnded(.accepted))
    }

    func disposition(
        _ verdict: PartitionDisposition, index: Int? = nil, sha256: Digest? = nil
    ) throws -> CorpusTransferDisposition {
        let pending = session.journal.progress.pendingPartition
        let index = index ?? pending?.descriptor.index ?? 0
        return try CorpusTransferDisposition(
            sessionID: session.journal.session.sessionID, jobID: session.journal.session.jobID, partitionIndex: index,
            partitionSHA256: sha256 ?? pending?.descriptor.sha256 ?? SHA256.hash("none"), disposition: verdict,
            nextPartitionIndex: verdict == .alreadyCommitted ? index + 1 : index,
            message: verdict == .reject ? "busy" : nil)
    }

    func finalAck(
        accepted: Bool = true, sha256: Digest? = nil, successCount: Int? = nil
    ) throws -> CorpusTransferFinalAck {
        let journal = session.journal
        return try CorpusTransferFinalAck(
            sessionID: journal.session.sessionID, jobID: journal.session.jobID, accepted: accepted,
            requestFingerprint: journal.session.requestFingerprint,
            finalPartitionSHA256: sha256 ?? journal.progress.lastCommittedPartitionSHA256,
            successCount: successCount, totalCount: journal.manifest.requestedDates.count)
    }

    // MARK: Values

    static func journal(
        days: Int, durability: SenderSession.Durability = .durable, origin: SourceJournal.Origin = .macInitiated,
        mode: CorpusMode = .strictRaw
    ) throws -> SourceJournal {
        let dates = (0..<days).map { ProtocolDate(secondsSince2001: 721_692_800 + Double($0) * 86_400) }
        var content = ManifestContent(
            mode: mode, createdAt: created, sourceDeviceName: "Test", sourceTimeZoneIdentifier: "UTC",
            requestedDates: dates, requestedDateIdentifiers: (0..<days).map { "2023-11-\($0 + 10)" })
        if mode == .strictRaw { content.rawProfile = .canonicalSourceRecords }
        let manifest = try ExportManifest(content, settings: SettingsSnapshot(SettingsContent()))
        let session = try CorpusSession(
            sessionID: uuid("5E55", 1), jobID: uuid("10B0", 1), requestFingerprint: manifest.fingerprint,
            protocolVersion: durability == .durable ? 4 : 1, partitionTargetBytes: 33_554_432, createdAt: created,
            peerBinding: durability == .durable
                ? PeerBinding(sourceInstallationID: source, destinationInstallationID: destination) : nil)
        return SourceJournal(origin: origin, session: session, manifest: manifest, createdAt: created)
    }

    /// The journal as reading it back gives it.
    static func restored(_ journal: SourceJournal) throws -> SourceJournal {
        try SourceJournal(
            restoring: journal.origin, session: journal.session, manifest: journal.manifest,
            createdAt: journal.createdAt, progress: journal.progress)
    }

    static func uuid(_ prefix: String, _ number: Int) -> UUID {
        let digits = String(number, radix: 16)
        let tail = String(repeating: "0", count: 12 - digits.count) + digits
        return UUID(uuidString: "\(prefix)0000-0000-4000-8000-\(tail)").unsafelyUnwrapped
    }

    static func built(_ plan: PartitionPlan) -> SourceJournal.PendingPartition {
        let index = plan.file.manifest.partitionIndex
        return wellFormed {
            SourceJournal.PendingPartition(
                transferID: uuid("7FA4", index + 1),
                descriptor: try plan.descriptor(sha256: SHA256.hash(plan.file.manifest.text)),
                manifest: plan.file.manifest)
        }
    }
}

extension [SenderSession.Action] {
    /// The names of the actions, for comparing sequences: `store:transferring`, `send:connectedCorpusTransferOpen`.
    var names: [String] {
        map { action in
            switch action {
            case .store(let journal): "store:\(journal.progress.state.rawValue)"
            case .send(let message): "send:\(message.name?.rawValue ?? "unknown")"
            case .produceItem: "produce"
            case .buildPartition(let plan): "build:\(plan.file.manifest.partitionIndex)"
            case .beginTransfer(let partition): "begin:\(partition.descriptor.index)"
            case .stopTransfer(let reason): "stop:\(reason?.rawValue ?? "silently")"
            case .deleteItems(let items): "delete:\(items.count)"
            case .ended(let journal): "ended:\(journal.progress.state.rawValue)"
            }
        }
    }

    /// The names of the messages alone.
    var messages: [String] { names.filter { $0.hasPrefix("send:") }.map { String($0.dropFirst(5)) } }

    /// The last status that was sent.
    var lastStatus: CorpusStatus? {
        for case .send(.corpusStatus(let status)) in reversed() { return status }
        return nil
    }

    /// How often a message of a name was sent.
    func count(of name: MessageName) -> Int { messages.count { $0 == name.rawValue } }
}
