import CanonicalJSON
import Cryptography
import DurableStore
import Foundation
import HealthData
import HealthRecords
import TestSupport

@testable import ConnectedProtocol
@testable import Sender

/// A scripted destination: it takes what the engine sends, checks what can be checked, and answers when told to.
final class ScriptedChannel: PeerChannel, @unchecked Sendable {
    private(set) var sent: [SyncMessage] = []
    private(set) var end: ConnectionEnd?
    /// The bytes of each transfer, as received.
    private(set) var received: [UUID: [UInt8]] = [:]
    private(set) var badChunks = 0

    func send(_ message: SyncMessage) {
        sent.append(message)
        if case .transferChunk(let chunk) = message { take(chunk.data, chunk.transferID, chunk.sha256) }
    }

    func send(_ frame: BinaryFrame, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
        var payload = [UInt8](repeating: 0, count: frame.payloadByteCount)
        try payload.withUnsafeMutableBytes { try fill($0) }
        frames.append((frame.transferID, Int(frame.sequence), frame.payloadSHA256))
        take(payload, frame.transferID, frame.payloadSHA256)
    }

    /// Frames that are not answered yet.
    var frames: [(transferID: UUID, sequence: Int, sha256: Digest)] = []

    private func take(_ payload: [UInt8], _ transferID: UUID, _ sha256: Digest) {
        if SHA256.hash(payload) != sha256 { badChunks += 1 }
        received[transferID, default: []] += payload
    }

    func close(_ end: ConnectionEnd) { self.end = end }

    /// What was sent since the last call.
    func drain() -> [SyncMessage] {
        defer { sent = [] }
        return sent
    }
}

/// Holds orders until they are performed by hand or all at once.
final class ManualWorkbench: Workbench {
    var orders: [WorkOrder] = []
    func submit(_ order: WorkOrder) { orders.append(order) }
}

/// Days with made-up steps; some can be told to fail.
final class FakeLibrary: DayLibrary, @unchecked Sendable {
    var generation: Int? = 1
    var range: ClosedRange<CivilDate>? = FakeLibrary.day("2026-01-01")...FakeLibrary.day("2026-12-31")
    var unreadableDays: Set<String> = []
    /// Why no generation can be opened.
    var failure: (any Error)?
    /// Days of which nothing is known.
    var emptyDays: Set<String> = []
    /// Whether records have a heart rate sample.
    var hasSamples = false
    /// The metrics that were asked for last.
    var askedMetricIDs: [String]?
    /// Bytes of padding in each record, to make items large.
    var paddingByteCount = 0
    private(set) var openedGenerations: [Int] = []

    func currentGeneration() throws -> Int? { generation }

    func open(_ generation: Int) throws -> any DaySource {
        if let failure { throw failure }
        openedGenerations.append(generation)
        return FakeGeneration(self, generation)
    }

    static func day(_ text: String) -> CivilDate { CivilDate(text).unsafelyUnwrapped }
}

private final class FakeGeneration: DaySource {
    private let library: FakeLibrary
    private let number: Int
    let zone = CalendarZone.utc

    init(_ library: FakeLibrary, _ number: Int) {
        self.library = library
        self.number = number
    }

    func coverage() throws -> ClosedRange<CivilDate>? { library.range }

    func losslessDay(of day: CivilDate, metricIDs: [String]?, version: DocumentVersion) throws -> LosslessDay {
        try LosslessDay(try record(of: day, metricIDs: metricIDs, includesArchive: true), version: version)
    }

    func record(of day: CivilDate, metricIDs: [String]?, includesArchive: Bool) throws -> DailyRecord {
        if library.unreadableDays.contains(day.description) { throw CocoaError(.fileReadCorruptFile) }
        let instant = Double(day.daysSince1970) * 86_400
        var record = DailyRecord(date: Date(timeIntervalSince1970: instant), calendarTimeZoneIdentifier: "UTC")
        library.askedMetricIDs = metricIDs
        if !library.emptyDays.contains(day.description) { record.activity.steps = number * 1_000 + day.day }
        if library.hasSamples {
            record.heart.heartRateSamples = [.init(timestamp: record.date, value: 61)]
        }
        if includesArchive {
            record.healthKitRecordArchive = RecordArchive(
                captureStatus: .complete,
                dailyOwnership: .init(
                    ownerDate: day.description, intervalStart: record.date,
                    intervalEnd: record.date.addingTimeInterval(86_400), calendarTimeZoneIdentifier: "UTC"))
            record.healthKitRecordCaptureStatus = .complete
        }
        if library.paddingByteCount > 0 {
            record.partialFailures = [
                .init(
                    date: record.date, dataType: String(repeating: "x", count: library.paddingByteCount),
                    dateRangeDescription: "", errorDescription: "")
            ]
        }
        return record
    }
}

/// An engine with its surroundings in a temporary folder, driven by hand.
final class EngineFixture {
    static let phone = UUID(uuidString: "50000000-0000-4000-8000-000000000001").unsafelyUnwrapped
    static let workstation = UUID(uuidString: "D0000000-0000-4000-8000-000000000002").unsafelyUnwrapped

    let temporary: TemporaryFolder
    let library = FakeLibrary()
    var now = Moment(wall: 800_000_000.25, monotonic: 1_000)
    private(set) lazy var engine = makeEngine()
    private(set) var workbench = ManualWorkbench()
    private(set) var store: PhoneStore
    private var workshop: Workshop
    private(set) var channel = ScriptedChannel()
    private(set) var events: [SenderEvent] = []
    var peer = EngineFixture.destinationCapabilities()

    init(disk: any Disk = PosixDisk()) throws {
        temporary = try TemporaryFolder()
        let parts = try EngineFixture.open(temporary, library, disk)
        store = parts.store
        workshop = parts.workshop
    }

    private static func open(
        _ temporary: TemporaryFolder, _ library: FakeLibrary, _ disk: any Disk
    ) throws -> (store: PhoneStore, workshop: Workshop) {
        let folder = try Directory.openRoot(temporary.path, on: disk, creating: true).createDirectory("phone")
        let store = try PhoneStore(folder: folder)
        return (store, Workshop(items: ItemStore(store.items), library: library))
    }

    private func makeEngine() -> SenderEngine {
        SenderEngine(
            configuration: .init(installationID: EngineFixture.phone, deviceName: "Test"), store: store,
            library: library, workbench: workbench, clock: { [unowned self] in self.now },
            report: { [unowned self] in self.events.append($0) })
    }

    /// Drops everything that is in memory and opens the folder again, as after a crash, on the disk that is left.
    func restart(on disk: any Disk = PosixDisk()) throws {
        workbench = ManualWorkbench()
        let parts = try EngineFixture.open(temporary, library, disk)
        store = parts.store
        workshop = parts.workshop
        engine = makeEngine()
    }

    // MARK: Driving

    static func destinationCapabilities() -> PeerCapabilities {
        PeerCapabilities(
            platform: PeerPlatform.workstation, installationID: workstation, flags: Set(PeerCapability.allCases))
    }

    /// A confirmed connection, with or without secure records.
    func connect(secureRecords: Bool = true, isReady: Bool = true) {
        channel = ScriptedChannel()
        let session = PeerSession<SyncMessage>(
            installationID: peer.installationID ?? EngineFixture.workstation, displayName: "Desk",
            hello: PeerHello(installationID: peer.installationID, platform: peer.platform, extensions: nil),
            message: .hello(peer), secureRecordVersion: secureRecords ? 1 : nil)
        engine.handle(.opened(channel, session))
        receive(
            .macStatus(
                MacStatus(
                    isConnected: true, destinationFolderSelected: isReady, folderAccessHealthy: isReady,
                    capabilities: peer)))
        work()
    }

    func disconnect() { engine.handle(.closed(channel, .peerClosed)) }

    func receive(_ message: SyncMessage) { engine.handle(.message(channel, message)) }

    /// Performs all orders, and those that follow from them.
    func work() {
        while !workbench.orders.isEmpty {
            let order = workbench.orders.removeFirst()
            if let result = workshop.perform(order) { engine.handle(.workDone(result)) }
        }
    }

    func pass(seconds: Double) {
        now.wall += seconds
        now.monotonic += seconds
        engine.handle(.timer)
        work()
    }

    // MARK: The destination's part

    /// Accepts the open that was sent last and takes the whole partition; returns its bytes.
    @discardableResult
    func takePartition(finalAck: Bool = true) throws -> [UInt8] {
        struct Missing: Error { let what: String }
        guard let open = lastOpen() else { throw Missing(what: "open") }
        receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, partitionIndex: open.partition.index,
                    partitionSHA256: open.partition.sha256, disposition: open.partition.index == 0 ? .accept : .resume,
                    nextPartitionIndex: open.partition.index)))
        return try takeTransfer(finalAck: finalAck)
    }

    /// Takes the partition of the open that was drained already.
    func takePartitionIgnoringOpen() throws {
        struct Missing: Error {}
        guard let pending = engine.jobs.values.first?.session.journal.progress.pendingPartition else { throw Missing() }
        receive(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: pending.descriptor.sessionID, jobID: pending.descriptor.jobID, partitionIndex: 0,
                    partitionSHA256: pending.descriptor.sha256, disposition: .accept, nextPartitionIndex: 0)))
        try takeTransfer()
    }

    @discardableResult
    func takeTransfer(finalAck: Bool = true) throws -> [UInt8] {
        struct Missing: Error { let what: String }
        let start = channel.sent.reversed().compactMap { message -> TransferStart? in
            if case .transferStart(let start) = message { start } else { nil }
        }.first
        guard let start else { throw Missing(what: "start") }
        receive(.transferAck(TransferAck(transferID: start.transferID, sequence: 0, sha256: start.sha256)))
        acknowledgeChunks()
        guard finalAck else { return channel.received[start.transferID] ?? [] }
        receive(
            .transferFinalAck(TransferFinalAck(transferID: start.transferID, accepted: true, sha256: start.sha256)))
        work()
        return channel.received[start.transferID] ?? []
    }

    private func acknowledgeChunks() {
        while !channel.frames.isEmpty {
            let frame = channel.frames.removeFirst()
            receive(
                .transferAck(
                    TransferAck(transferID: frame.transferID, sequence: frame.sequence, sha256: frame.sha256)))
        }
        var answered = Set<Int>()
        while let chunk = lastChunk(), answered.insert(chunk.sequence).inserted {
            receive(
                .transferAck(
                    TransferAck(transferID: chunk.transferID, sequence: chunk.sequence, sha256: chunk.sha256)))
        }
    }

    private func lastChunk() -> TransferChunk? {
        if case .transferChunk(let chunk)? = channel.sent.last { return chunk }
        return nil
    }

    func lastOpen() -> CorpusTransferOpen? {
        for case .corpusOpen(let open) in channel.sent.reversed() { return open }
        return nil
    }

    /// Confirms the finalization that was sent last.
    func confirmEnd(successCount: Int? = nil) throws {
        struct Missing: Error {}
        let finalize = channel.sent.reversed().compactMap { message -> CorpusTransferFinalize? in
            if case .corpusFinalize(let finalize) = message { finalize } else { nil }
        }.first
        guard let finalize else { throw Missing() }
        receive(
            .corpusFinalAck(
                try CorpusTransferFinalAck(
                    sessionID: finalize.sessionID, jobID: finalize.jobID, accepted: true,
                    requestFingerprint: finalize.requestFingerprint,
                    finalPartitionSHA256: finalize.finalPartitionSHA256, successCount: successCount)))
        work()
    }

    static let jobID = UUID(uuidString: "10B00000-0000-4000-8000-000000000001").unsafelyUnwrapped

    func request(
        _ days: [String] = ["2026-03-01", "2026-03-02"], jobID: UUID = EngineFixture.jobID,
        profile: RawProfile? = .canonicalSourceRecords
    ) -> ExportRequest {
        ExportRequest(
            jobID: jobID, createdAt: ProtocolDate(secondsSince2001: 799_999_999),
            dateRangeStart: ProtocolDate(secondsSince2001: 0), dateRangeEnd: ProtocolDate(secondsSince2001: 86_400),
            requestedDateIdentifiers: days, requestedBy: .cli, settingsPolicy: .requestedDatesOnly,
            responseMode: profile == nil ? .writeFiles : .rawJSON, rawProfile: profile)
    }

    func stored(_ jobID: UUID = EngineFixture.jobID) throws -> StoredJob? { try store.job(jobID) }

    var names: [String] { channel.sent.compactMap { $0.name?.rawValue } }

    var itemFileCount: Int { (try? store.items.entries().count) ?? -1 }
}
