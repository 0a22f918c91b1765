import ConnectedProtocol
import Cryptography
import Foundation
import HMDCItem
import HealthData

@testable import Receiver

/// The source's half of one session: builds items and partitions with the real encoders and knows what to send.
struct FakePhone {
    struct Partition {
        var descriptor: PartitionDescriptor
        var bytes: [UInt8]
        var transferID = UUID()
    }

    var mode: CorpusMode
    var session: CorpusSession
    var manifest: ExportManifest
    /// One item for each transfer date.
    var items: [(pending: PendingItem, bytes: [UInt8])]

    static let labels = ["2026-01-01", "2026-01-02", "2026-01-03"]

    static func date(_ label: String) -> ProtocolDate {
        let day = CalendarDay(label)?.daysSince1970 ?? 0
        return ProtocolDate(secondsSince1970: Double(day) * 86_400)
    }

    /// A session for a request that the engine sent, or one that the phone starts itself.
    init(
        jobID: UUID, mode: CorpusMode, labels: [String] = FakePhone.labels, phone: UUID, workstation: UUID,
        createdAt: ProtocolDate, settings: SettingsContent = SettingsContent(), version: Int = 4,
        supporting: [String] = [], selection: ConnectedProtocol.CanonicalSelection? = nil,
        item: (String) throws -> [UInt8]
    ) throws {
        self.mode = mode
        let dates = labels.map(FakePhone.date)
        var content = ManifestContent(
            mode: mode, createdAt: createdAt, sourceDeviceName: "Phone", sourceTimeZoneIdentifier: "UTC",
            requestedDates: dates, requestedDateIdentifiers: labels)
        let all = (labels + supporting).sorted()
        content.transferDates = all.map(FakePhone.date)
        if mode == .strictRaw { content.rawProfile = .canonicalSourceRecords }
        content.canonicalSelection = selection
        manifest = try ExportManifest(content, settings: SettingsSnapshot(settings))
        session = try CorpusSession(
            sessionID: UUID(), jobID: jobID, requestFingerprint: manifest.fingerprint, protocolVersion: version,
            partitionTargetBytes: 50_331_648, createdAt: createdAt,
            peerBinding: version < 2
                ? nil : PeerBinding(sourceInstallationID: phone, destinationInstallationID: workstation))
        items = try all.map { label in
            let bytes = try item(label)
            return (
                PendingItem(
                    itemID: UUID(), kind: mode.itemKind, sourceDate: FakePhone.date(label),
                    isRequestedDate: labels.contains(label),
                    totalBytes: Int64(bytes.count), sha256: SHA256.hash(bytes)), bytes
            )
        }
    }

    // MARK: - Items

    static func rawDay(_ label: String, padding: Int = 0, version: Int = 10) throws -> [UInt8] {
        let document =
            #"{ "schema" : "healthmd.health_data", "schema_version" : \#(version), "date" : "\#(label)", "#
            + #""healthkit_record_archive" : { "schema" : "healthmd.healthkit_records", "schema_version" : 1 }, "#
            + #""note" : "\#(String(repeating: "x", count: padding))" }"#
        let day = StrictRawDay(
            date: label, status: .complete, captureStatus: .complete, canonicalDailyJSON: .inMemory(document),
            recordCount: 1, sampleCount: 1)
        return try ItemEncoder().encode(
            StrictRawDayEnvelope(
                day: day, sourceDate: Date(timeIntervalSinceReferenceDate: date(label).secondsSince2001)),
            kind: .strictRawDay)
    }

    static func missingDay(_ label: String) throws -> [UInt8] {
        let day = StrictRawDay(date: label, status: .missing, failureCode: "missing_day")
        return try ItemEncoder().encode(
            StrictRawDayEnvelope(
                day: day, sourceDate: Date(timeIntervalSinceReferenceDate: date(label).secondsSince2001)),
            kind: .strictRawDay)
    }

    static func healthDay(
        _ label: String, steps: Int? = 4_711, failure: DayFailure.Reason? = nil, isRequested: Bool = true,
        external: [ExternalDailyRecord] = []
    ) throws -> [UInt8] {
        let instant = Date(timeIntervalSinceReferenceDate: date(label).secondsSince2001)
        var record: DailyRecord?
        if let steps {
            var day = DailyRecord(date: instant, calendarTimeZoneIdentifier: "UTC")
            day.activity.steps = steps
            record = day
        }
        return try ItemEncoder().encode(
            HealthDayEnvelope(
                sourceDate: instant, isRequestedDate: isRequested, record: record,
                failure: failure.map { DayFailure(date: instant, reason: $0) }, externalDailyRecords: external),
            kind: .macHealthDay)
    }

    // MARK: - Partitions

    /// All items in as many partitions as their payloads of at most `payloadBytes` need.
    func partitions(payloadBytes: Int64 = 1 << 20) throws -> [Partition] {
        var pending = items.map(\.pending)
        var result: [Partition] = []
        var previous: Digest?
        while !pending.isEmpty {
            var room = payloadBytes
            var segments: [PartitionSegment] = []
            var bytes: [UInt8] = []
            for (index, item) in pending.enumerated() where room > 0 {
                let count = min(room, item.remainingBytes)
                segments.append(try PartitionSegment(of: item, byteCount: count))
                guard let source = items.first(where: { $0.pending.itemID == item.itemID }) else { continue }
                bytes += source.bytes[Int(item.nextOffset)..<Int(item.nextOffset + count)]
                pending[index].nextOffset += count
                room -= count
            }
            pending.removeAll { $0.remainingBytes == 0 }
            let manifest = try PartitionManifest(
                text: FakePhone.manifestText(session, result.count, previous, segments))
            let text = manifest.text
            let file =
                PartitionFile.magic + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: text.count >> $0) } + text
                + bytes
            let descriptor = try PartitionDescriptor(
                sessionID: session.sessionID, jobID: session.jobID, index: result.count,
                sourceDates: manifest.sourceDates, byteCount: Int64(file.count), sha256: SHA256.hash(file),
                previousSHA256: previous)
            previous = descriptor.sha256
            result.append(Partition(descriptor: descriptor, bytes: file))
        }
        return result
    }

    private static func manifestText(
        _ session: CorpusSession, _ index: Int, _ previous: Digest?, _ segments: [PartitionSegment]
    ) throws -> [UInt8] {
        struct Manifest: Encodable {
            var version = 1
            var sessionID: UUID
            var jobID: UUID
            var partitionIndex: Int
            var previousPartitionSHA256: Digest?
            var segments: [PartitionSegment]
        }
        return [UInt8](
            try JSONEncoder().encode(
                Manifest(
                    sessionID: session.sessionID, jobID: session.jobID, partitionIndex: index,
                    previousPartitionSHA256: previous, segments: segments)))
    }

    func open(_ partition: Partition) throws -> SyncMessage {
        .corpusOpen(
            try CorpusTransferOpen(session: session, partition: partition.descriptor, exportManifest: manifest))
    }

    func finalize(_ partitions: [Partition]) throws -> SyncMessage {
        .corpusFinalize(
            try CorpusTransferFinalize(
                sessionID: session.sessionID, jobID: session.jobID, requestFingerprint: manifest.fingerprint,
                partitionCount: partitions.count,
                totalByteCount: partitions.reduce(0) { $0 + $1.descriptor.byteCount },
                finalPartitionSHA256: partitions.last?.descriptor.sha256))
    }
}

extension EngineRig {
    /// Opens and transfers one partition; gives the disposition and, if it was transferred, the final ack.
    @discardableResult
    func transfer(
        _ partition: FakePhone.Partition, of phone: FakePhone, chunkBytes: Int = 512
    ) throws -> (disposition: PartitionDisposition?, finalAck: TransferFinalAck?) {
        send(try phone.open(partition))
        settle()
        let disposition = channel.take().compactMap { message -> PartitionDisposition? in
            if case .corpusDisposition(let answer) = message { return answer.disposition }
            return nil
        }.first
        guard disposition == .accept || disposition == .resume else { return (disposition, nil) }
        let start = self.start(partition, chunkBytes: chunkBytes)
        for sequence in 1...start.totalChunks { chunk(sequence, of: partition, start) }
        send(.transferComplete(TransferComplete(start)))
        settle()
        let ack = channel.take().compactMap { message -> TransferFinalAck? in
            if case .transferFinalAck(let ack) = message { return ack }
            return nil
        }.first
        return (disposition, ack)
    }

    /// Opens a partition and starts its transfer. No chunk of it is sent.
    @discardableResult
    func begin(
        _ partition: FakePhone.Partition, of phone: FakePhone, chunkBytes: Int = TransferStart.maximumChunkByteCount
    ) throws -> TransferStart {
        send(try phone.open(partition))
        settle()
        return start(partition, chunkBytes: chunkBytes)
    }

    private func start(_ partition: FakePhone.Partition, chunkBytes: Int) -> TransferStart {
        let start = TransferStart(
            transferID: partition.transferID, partition: partition.descriptor, chunkBytes: chunkBytes)
        send(.transferStart(start))
        settle()
        return start
    }

    /// Sends one chunk of a partition whose transfer was started.
    func chunk(_ sequence: Int, of partition: FakePhone.Partition, _ start: TransferStart) {
        let range = start.range(ofChunk: sequence)
        chunk(partition.transferID, sequence, Array(partition.bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }

    /// Makes a request one for the strict raw document, for ``createJob(_:)``.
    static func raw(_ request: inout JobRequest) {
        request.responseMode = .rawJSON
        request.rawProfile = .canonicalSourceRecords
    }

    /// A raw or file job for the fake days, created and sent.
    func createJob(_ change: (inout JobRequest) -> Void = { _ in }) -> (id: UUID, answers: AnswerBox) {
        let id = UUID()
        guard let first = CalendarDay(FakePhone.labels[0]), let last = CalendarDay(FakePhone.labels[2]) else {
            preconditionFailure("labels of the test")
        }
        var request = JobRequest(jobID: id, dateSelection: .explicitRange(first: first, last: last))
        change(&request)
        return (id, create(request).answers)
    }

    func rawPhone(_ jobID: UUID, padding: Int = 0) throws -> FakePhone {
        try FakePhone(
            jobID: jobID, mode: .strictRaw, phone: phoneID, workstation: engine.store.installationID,
            createdAt: ProtocolDate(secondsSince2001: now.wall)
        ) { try FakePhone.rawDay($0, padding: padding) }
    }

    func filePhone(
        _ jobID: UUID, settings: SettingsContent = SettingsContent(), supporting: [String] = [],
        selection: ConnectedProtocol.CanonicalSelection? = nil,
        item: (String) throws -> [UInt8] = { try FakePhone.healthDay($0) }
    ) throws -> FakePhone {
        try FakePhone(
            jobID: jobID, mode: .writeFiles, phone: phoneID, workstation: engine.store.installationID,
            createdAt: ProtocolDate(secondsSince2001: now.wall), settings: settings, supporting: supporting,
            selection: selection, item: item)
    }
}

extension [SyncMessage] {
    /// The transfers that were aborted, in order.
    var aborts: [TransferAbort] {
        compactMap { if case .transferAbort(let abort) = $0 { abort } else { nil } }
    }
}
