import Cryptography
import Foundation

@testable import ConnectedProtocol

/// A driver in memory around the two machines of the destination. Its store survives a crash, the rest does not.
struct LinkedDestination {
    var session: ReceiverSession?
    var transfers = TransferReceiver()
    /// Durable: journal and item files.
    var stored: DestinationJournal?
    var items: [UUID: [UInt8]] = [:]
    /// Not durable: what arrives.
    var spools: [UUID: [UInt8]] = [:]
    var outbox: [LinkPacket] = []
    /// A partition whose application was begun and is not reported; a crash may come before.
    var applying: (transferID: UUID, partition: PartitionDescriptor)?
    var lastStatus: CorpusStatus?
    /// Bytes of verified chunks, repeats included.
    var receivedByteCount: Int64 = 0
    private var chunk: ArraySlice<UInt8> = []

    mutating func crash() throws {
        let journal = stored
        session = try journal.map { try ReceiverSession(restoring: $0) }
        transfers = TransferReceiver()
        spools = [:]
        outbox = []
        applying = nil
        // Files that no row names are removed on load; a prefix that is too long is cut back.
        items = items.filter { id, _ in
            journal?.partialItems[id] != nil || journal?.days.values.contains { $0.itemID == id } == true
        }
    }

    mutating func disconnected(at now: Moment) throws {
        outbox = []
        try perform(transfers.handle(.disconnected, at: now), at: now)
        session?.disconnected()
    }

    mutating func receive(_ packet: LinkPacket, at now: Moment) throws {
        switch packet {
        case .frame(let bytes):
            let header = try BinaryFrame(frame: bytes)
            chunk = bytes[BinaryFrame.headerByteCount...]
            receivedByteCount += Int64(chunk.count)
            let event = TransferReceiver.Event.chunk(
                transferID: header.transferID, sequence: Int(header.sequence), byteCount: header.payloadByteCount,
                stated: header.payloadSHA256, actual: SHA256.hash(chunk))
            try perform(transfers.handle(event, at: now), at: now)
        case .json(let bytes): try receive(SyncMessage.decode(bytes), at: now)
        }
    }

    private mutating func receive(_ message: SyncMessage, at now: Moment) throws {
        switch message {
        case .corpusOpen(let open): try admit(open, at: now)
        case .corpusFinalize(let finalize): self.finalize(finalize)
        case .corpusStatus(let status):
            if let lastStatus, lastStatus.updatedAt > status.updatedAt {
                throw LinkError.unexpected("status goes back")
            }
            lastStatus = status
        case .preparationProgress: break
        case .transferStart(let start):
            try perform(transfers.handle(.start(start, .partitioned), at: now), at: now)
        case .transferComplete(let complete): try perform(transfers.handle(.complete(complete), at: now), at: now)
        case .transferAbort(let abort): try perform(transfers.handle(.abort(abort), at: now), at: now)
        default: throw LinkError.unexpected("\(message.name?.rawValue ?? "unknown") at the destination")
        }
    }

    private mutating func send(_ message: SyncMessage) { outbox.append(.json(message.encode())) }

    private mutating func admit(_ open: CorpusTransferOpen, at now: Moment) throws {
        let facts = AdmissionFacts(
            now: ProtocolDate(secondsSince2001: now.wall), peerInstallationID: DestinationFixture.phone,
            ownInstallationID: DestinationFixture.workstation, negotiation: DestinationFixture.negotiation(),
            destination: .notNeeded, freeStorageBytes: .max)
        let answer = ReceiverSession.admit(open, into: &session, facts: facts)
        let disposition: PartitionDisposition
        switch answer.verdict {
        case .granted(let granted, let isNew):
            disposition = granted
            if isNew { stored = session?.journal }
        case .alreadyCommitted: disposition = .alreadyCommitted
        case .rejected(let refusal): throw LinkError.unexpected("reject: \(refusal.code)")
        }
        send(
            .corpusDisposition(
                try CorpusTransferDisposition(
                    sessionID: open.session.sessionID, jobID: open.session.jobID, partitionIndex: open.partition.index,
                    partitionSHA256: open.partition.sha256, disposition: disposition,
                    nextPartitionIndex: answer.nextPartitionIndex)))
    }

    private mutating func perform(_ actions: [TransferReceiver.Action], at now: Moment) throws {
        for action in actions {
            switch action {
            case .send(let message): send(message)
            case .askAdmission(let id, let partition):
                let isGranted = session?.useAdmission(for: partition) ?? false
                try report(.admission(transferID: id, isGranted: isGranted), at: now)
            case .openSpool(let id, _):
                spools[id] = []
                try report(.spoolOpened(transferID: id), at: now)
            case .write(let id, let sequence, let offset):
                guard spools[id]?.count == Int(offset) else { throw LinkError.unexpected("a write out of order") }
                spools[id]? += chunk
                try report(.chunkWritten(transferID: id, sequence: sequence), at: now)
            case .closeSpool(let id):
                let bytes = spools[id] ?? []
                try report(
                    .spoolClosed(transferID: id, byteCount: Int64(bytes.count), sha256: SHA256.hash(bytes)), at: now)
            case .deliver(let id, let partition): applying = (id, partition)
            case .deleteSpool(let id): spools[id] = nil
            }
        }
    }

    private mutating func report(_ event: TransferReceiver.Event, at now: Moment) throws {
        try perform(transfers.handle(event, at: now), at: now)
    }

    /// Does the work of a delivered partition: items, journal, then the answer.
    mutating func apply(at now: Moment) throws {
        guard let (transferID, partition) = applying, var changed = session, let bytes = spools[transferID] else {
            throw LinkError.unexpected("nothing to apply")
        }
        applying = nil
        if try changed.beginApplication(of: partition) {
            let count = try PartitionFile.manifestByteCount(prefix: bytes)
            let file = try PartitionFile(manifestText: Array(bytes[12..<12 + count]), fileByteCount: Int64(bytes.count))
            let plans = try changed.plan(file, sha256: SHA256.hash(bytes))
            let results = try plans.map { try write($0, from: bytes, changed) }
            _ = try changed.commit(plans, results)
            session = changed
            stored = changed.journal
        }
        try report(.applied(transferID: transferID, isAccepted: true, message: nil), at: now)
    }

    private mutating func write(
        _ plan: SegmentPlan, from file: [UInt8], _ session: ReceiverSession
    ) throws -> SegmentResult {
        let segment = plan.segment
        var item = items[segment.itemID] ?? []
        guard item.count >= Int(segment.itemOffset) else { throw LinkError.unexpected("a prefix is missing") }
        item.removeSubrange(Int(segment.itemOffset)...)
        if let prefix = plan.prefixSHA256, SHA256.hash(item) != prefix {
            throw LinkError.unexpected("a prefix changed")
        }
        item += file[Int(plan.fileRange.lowerBound)..<Int(plan.fileRange.upperBound)]
        items[segment.itemID] = item
        guard segment.isFinalSegment else { return .partial(prefixSHA256: SHA256.hash(item)) }
        guard SHA256.hash(item) == segment.itemSHA256 else { throw LinkError.unexpected("an item is wrong") }
        return .complete(
            .rawDay(
                ItemFacts.RawDay(
                    sourceDate: segment.sourceDate,
                    label: session.journal.manifest.identifier(of: segment.sourceDate) ?? "", status: "complete",
                    document: nil)))
    }

    private mutating func finalize(_ message: CorpusTransferFinalize) {
        guard var changed = session else {
            send(.corpusFinalAck(ReceiverSession.refusal(of: message, "There is no such session.")))
            return
        }
        switch changed.finalize(message) {
        case .refused(let ack), .replayed(let ack): send(.corpusFinalAck(ack))
        case .ignored: break
        case .begun:
            let dates = changed.journal.manifest.requestedDates
            let counts = FinalizationCounts(completedDates: dates, successCount: dates.count)
            let ack = changed.complete(counts, message: nil)
            session = changed
            stored = changed.journal
            send(.corpusFinalAck(ack))
        }
    }
}
