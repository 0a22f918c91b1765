import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

@testable import Receiver
@testable import Sender

/// What must hold after every step, whatever goes wrong.
final class Invariants {
    private unowned let simulation: Simulation
    /// Own choices, so that looking does not change what happens.
    private var random: SimulationRandom
    private var receiverJob: Job?
    private var sessionIDs: Set<UUID> = []
    /// Days that were applied, by session, with the item that brought them.
    private var appliedDays: [UUID: [ProtocolDate: UUID]] = [:]
    private var sessionStates: [UUID: DestinationJournal.State] = [:]
    private var phoneProgress: SourceJournal.Progress?
    /// What the phone announced, by transfer.
    private var announced: [UUID: PartitionDescriptor] = [:]

    init(_ simulation: Simulation) {
        self.simulation = simulation
        random = SimulationRandom(seed: simulation.seed ^ 0xA0D1)
    }

    private func fail(_ text: String) { simulation.fail(text) }

    // MARK: - After every step

    func checkReceiver(_ receiver: ReceiverProcess) {
        let engine = receiver.engine
        if let job = engine.book.jobs[simulation.jobID] {
            check(job)
        } else if let receiverJob {
            fail("the receiver forgot a job that was \(receiverJob.state.rawValue)")
        }
        for session in engine.sessions.values { check(session.machine.journal) }
    }

    private func check(_ job: Job) {
        defer { receiverJob = job }
        if let id = job.sessionID { sessionIDs.insert(id) }
        guard let before = receiverJob, before != job else { return }
        if before.state.isTerminal, before.state != job.state || before.result != job.result {
            fail("a job that was \(before.state.rawValue) became \(job.state.rawValue), or its result changed")
        }
        if job.committedPartitions < before.committedPartitions || job.committedBytes < before.committedBytes
            || job.processedDays < before.processedDays
        {
            fail("a counter of the receiver's job fell")
        }
        if let id = before.sessionID, job.sessionID != id { fail("the job got another session") }
    }

    private func check(_ journal: DestinationJournal) {
        let id = journal.session.sessionID
        let state = sessionStates[id] ?? .open
        if state.isTerminal, journal.state != state {
            fail("a session that was \(state.rawValue) is \(journal.state.rawValue)")
        }
        sessionStates[id] = journal.state
        let known = appliedDays[id, default: [:]]
        guard known.count != journal.days.count else { return }
        for (date, itemID) in known where journal.days[date]?.itemID != itemID {
            fail("an applied day vanished, or was applied again")
        }
        appliedDays[id] = journal.days.mapValues(\.itemID)
    }

    func checkPhone(_ phone: PhoneProcess) {
        guard let progress = phone.engine.jobs[simulation.jobID]?.session.journal.progress else { return }
        check(progress)
    }

    private func check(_ progress: SourceJournal.Progress) {
        defer { phoneProgress = progress }
        guard let before = phoneProgress, before != progress else { return }
        if before.state.isTerminal, before.state != progress.state {
            fail("the phone's job was \(before.state.rawValue) and is \(progress.state.rawValue)")
        }
        if progress.committedPartitionCount < before.committedPartitionCount
            || progress.committedByteCount < before.committedByteCount
            || progress.completedItemCount < before.completedItemCount
        {
            fail("a counter of the phone's job fell")
        }
    }

    /// What was only in memory is gone: the next process starts from what was durable.
    func receiverDied() {}

    func phoneDied() {}

    // MARK: - What is said

    /// The receiver says something: what it promises must be on its disk, come what may.
    func receiverSays(_ document: [UInt8], _ receiver: ReceiverProcess) {
        let message: SyncMessage
        do {
            message = try SyncMessage.decode(document)
        } catch {
            return fail("the receiver sends what cannot be read")
        }
        switch message {
        case .transferFinalAck(let ack):
            guard ack.accepted, let partition = announced[ack.transferID] else { return }
            audit("an acknowledged partition") { try self.requireCommitted(partition, in: $0) }
        case .corpusDisposition(let answer):
            guard answer.disposition == .alreadyCommitted,
                let partition = announced.values.first(where: {
                    $0.sessionID == answer.sessionID && $0.index == answer.partitionIndex
                })
            else { return }
            audit("an already committed partition") { try self.requireCommitted(partition, in: $0) }
        case .corpusFinalAck(let ack):
            guard ack.accepted else {
                if !simulation.client.hasCancelled { fail("a negative final ack: \(ack.message ?? "-")") }
                return
            }
            audit("a final acknowledgement") { store in
                guard let session = try store.session(ack.sessionID)?.journal, session.state == .completed,
                    session.terminalAcknowledgement == ack
                else { throw Missing("the completed session") }
                try self.requireResult(in: store)
            }
        case .corpusCancelAck(let ack):
            guard ack.accepted else { return }
            audit("an accepted cancel") { store in
                guard try store.session(ack.sessionID)?.journal.state == .cancelled else {
                    throw Missing("the cancelled session")
                }
            }
        default: break
        }
    }

    /// The client hears the end of its job.
    func clientHears(_ response: ControlResponse) {
        guard response.status == .success || response.status == .partialSuccess else { return }
        audit("success") { try self.requireResult(in: $0) }
    }

    private struct Missing: Error {
        let what: String
        init(_ what: String) { self.what = what }
    }

    /// Looks at what the receiver's disk would hold if the power went now.
    private func audit(_ occasion: String, _ look: (ReceiverStore) throws -> Void) {
        guard random.chance(0.6) else { return }
        do {
            let disk = simulation.receiverMachine.durableDisk()
            let folder = try Directory.openRoot(ReceiverProcess.statePath, on: disk)
            auditedDestination = try Directory.openRoot(ReceiverProcess.destinationPath, on: disk)
            defer { auditedDestination = nil }
            try look(try ReceiverStore(folder: folder, now: simulation.receiverMachine.now))
        } catch let missing as Missing {
            fail("\(occasion) was told before it was durable: \(missing.what)")
        } catch {
            fail("\(occasion): the disk cannot be read as it would be after a loss of power: \(error)")
        }
    }

    private var auditedDestination: Directory?

    /// The partition is in the journal, and every byte that the journal speaks of is there.
    private func requireCommitted(_ partition: PartitionDescriptor, in store: ReceiverStore) throws {
        guard let stored = try store.session(partition.sessionID) else { throw Missing("the session") }
        let journal = stored.journal
        guard journal.committedPartitions.count > partition.index,
            journal.committedPartitions[partition.index].sha256 == partition.sha256
        else { throw Missing("partition \(partition.index) in the journal") }
        guard journal.state == .open else { return }
        let folder = try SessionFolder.open(partition.sessionID, identity: stored.directory, in: store.sessions)
        for item in journal.partialItems.values {
            try require(item.itemID, item.nextOffset, item.prefixSHA256, in: folder.items)
        }
        for day in journal.days.values where day.content.isItemNeeded {
            try require(day.itemID, day.itemByteCount, day.itemSHA256, in: folder.items)
        }
    }

    private func require(_ itemID: UUID, _ count: Int64, _ sha256: Digest, in items: Directory) throws {
        let file = try items.file(SessionFolder.itemName(itemID))
        guard try file.size() >= UInt64(count) else { throw Missing("bytes of an item") }
        guard SHA256.hash(try file.bytes(at: 0, count: Int(count))) == sha256 else {
            throw Missing("the bytes of an item")
        }
    }

    /// The whole result is there.
    private func requireResult(in store: ReceiverStore) throws {
        guard let destination = auditedDestination else { return }
        let found = try SimulatedResult(
            scenario: simulation.scenario, jobID: simulation.jobID, destination: destination, jobs: store.jobs)
        guard let expected = try SimulatedResult.undisturbed(simulation) else { return }
        if found != expected { throw Missing("the result (\(found.difference(from: expected)))") }
    }

    // MARK: - What the phone says

    func phoneSays(_ message: SyncMessage) {
        switch message {
        case .transferStart(let start):
            guard let partition = start.manifest.corpusPartition else { return fail("a transfer without a partition") }
            announced[start.transferID] = partition
            auditPhone("a started transfer") { job, _ in
                guard job.journal.progress.pendingPartition?.transferID == start.transferID else {
                    throw Missing("the pending partition")
                }
            }
        case .corpusOpen(let open):
            auditPhone("an opened partition") { job, store in
                guard job.journal.progress.pendingPartition?.descriptor == open.partition else {
                    throw Missing("the pending partition")
                }
                let items = ItemStore(store.items)
                for item in job.journal.progress.items { try items.verify(item, protocolVersion: 4) }
            }
        case .corpusFinalize(let finalize):
            auditPhone("a finalize") { job, _ in
                guard job.journal.progress.committedPartitionCount == finalize.partitionCount,
                    job.journal.progress.items.isEmpty
                else { throw Missing("the last partition") }
            }
        case .corpusStatus(let status):
            auditPhone("a status") { job, _ in
                guard job.journal.progress.committedPartitionCount >= status.committedPartitionCount,
                    job.journal.status.state == status.state
                else { throw Missing("the state \(status.state.rawValue)") }
            }
        case .exportAccepted:
            auditPhone("an acceptance") { _, _ in }
        default: break
        }
    }

    private func auditPhone(_ occasion: String, _ look: (StoredJob, PhoneStore) throws -> Void) {
        guard random.chance(0.3) else { return }
        do {
            let disk = simulation.phoneMachine.durableDisk()
            let store = try PhoneStore(folder: Directory.openRoot(PhoneProcess.statePath, on: disk))
            guard let job = try store.job(simulation.jobID) else { throw Missing("the job") }
            try look(job, store)
        } catch let missing as Missing {
            fail("\(occasion) was told by the phone before it was durable: \(missing.what)")
        } catch {
            fail("\(occasion): the phone's disk cannot be read as it would be after a loss of power: \(error)")
        }
    }

    // MARK: - At the end

    /// Both sides agree, the result is that of an undisturbed run, and nothing is left behind.
    func checkEnd() throws -> SimulatedResult {
        guard let receiver = simulation.receiver, let phone = simulation.phone else {
            throw Simulation.Violation(description: "no end to look at")
        }
        let store = receiver.engine.store
        let result = try SimulatedResult(
            scenario: simulation.scenario, jobID: simulation.jobID,
            destination: Directory.openRoot(ReceiverProcess.destinationPath, on: simulation.receiverMachine.disk),
            jobs: store.jobs)
        guard let job = receiver.engine.book.jobs[simulation.jobID] else {
            guard simulation.isUnknownPush() else { throw violation("no end to look at") }
            guard result.files.isEmpty else { throw violation("a push that the receiver never knew left files") }
            try checkLeftovers(store)
            return result
        }
        let source = try phone.store.job(simulation.jobID)?.journal.progress.state
        if sessionIDs.count > 1 { throw violation("the job had \(sessionIDs.count) sessions") }
        switch job.state {
        case .completed:
            // A person may cancel at a phone that has sent everything and is away when the last word comes: the phone ends as
            // cancelled, its person was not promised that nothing arrives (corpus-protocol.md 15).
            guard source == .completed || source == .cancelled && simulation.client.hasCancelledAtPhone else {
                throw violation("completed at the receiver, \(source?.rawValue ?? "unknown") at the phone")
            }
            if let expected = try SimulatedResult.undisturbed(simulation), result != expected {
                throw violation("the result differs: \(result.difference(from: expected))")
            }
            try checkCounts(job)
        case .cancelled:
            guard simulation.client.hasCancelled else { throw violation("cancelled, and nobody cancelled") }
            // A phone whose disk did not keep its own cancellation learns from the refused finalize that the session is
            // cancelled, and ends as failed: an end on both sides, and nobody was told of days that are not there.
            guard source == .cancelled || source == .failed || source == nil else {
                throw violation("cancelled at the receiver, \(source?.rawValue ?? "-") at the phone")
            }
            if let expected = try SimulatedResult.undisturbed(simulation) {
                try result.requirePart(of: expected, counted: job.result?.filesWritten)
            }
        default:
            throw violation("the receiver's job ended \(job.state.rawValue): \(job.message)")
        }
        try checkLeftovers(store)
        return result
    }

    private func violation(_ text: String) -> Simulation.Violation { Simulation.Violation(description: text) }

    private func checkCounts(_ job: Job) throws {
        guard let response = job.result else { throw violation("a completed job without a response") }
        if let answer = simulation.client.answer, answer.successCount != response.successCount {
            throw violation("the client was told other counts")
        }
        if let expected = try SimulatedResult.undisturbedResponse(simulation) {
            guard response.status == expected.status, response.successCount == expected.successCount,
                response.totalCount == expected.totalCount, response.filesWritten == expected.filesWritten
            else {
                throw violation(
                    "the counts differ: \(response.successCount ?? -1)/\(response.totalCount ?? -1), "
                        + "\(response.filesWritten ?? -1) files, not \(expected.filesWritten ?? -1)")
            }
        }
    }

    /// No payload and no temporary stays.
    private func checkLeftovers(_ store: ReceiverStore) throws {
        for name in try SimulatedResult.files(in: Directory.openRoot("/", on: simulation.receiverMachine.disk)).keys {
            if name.contains("/items/") || name.contains("spool-") { throw violation("left behind: \(name)") }
            if name.hasPrefix("destination/"), name.contains(".tmp") { throw violation("left behind: \(name)") }
        }
        for name in try SimulatedResult.files(in: Directory.openRoot("/", on: simulation.phoneMachine.disk)).keys
        where name.contains("/items/") {
            throw violation("left behind at the phone: \(name)")
        }
    }
}
