import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite("Transfer receiver")
struct TransferReceiverTests {
    private func begun(_ sample: TransferCase, chunks: Int = 0) -> ReceiverRig {
        var rig = ReceiverRig()
        #expect(rig.feed(.start(sample.start, .partitioned)).ackSequences == [0])
        for sequence in 1..<chunks + 1 {
            #expect(rig.chunk(sample.start.transferID, sequence, sample.data(sequence)).ackSequences == [sequence])
        }
        return rig
    }

    @Test("start, chunks and completion deliver the payload once, and the spool is gone afterwards")
    func wholeTransfer() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 3)
        #expect(rig.spools[sample.start.transferID] == sample.payload)
        let answer = rig.feed(.complete(TransferComplete(sample.start)))
        #expect(
            answer.finalAcks == [
                TransferFinalAck(transferID: sample.start.transferID, accepted: true, sha256: sample.start.sha256)
            ])
        #expect(rig.delivered == [sample.start.transferID])
        #expect(rig.spools.isEmpty && rig.machine.transferCount == 0 && rig.machine.nextDeadline == nil)
    }

    @Test("a start without bounded transfers is unsupported, one without partitions an invalid manifest")
    func unsupported() throws {
        var rig = ReceiverRig()
        #expect(
            rig.feed(.start(try TransferCase(byteCount: 1).start, .none)).abortReasons == [.unsupported])
        #expect(
            rig.feed(.start(try TransferCase(byteCount: 1).start, .boundedOnly)).abortReasons == [.invalidManifest])
        #expect(rig.machine.transferCount == 0 && rig.admissionCount == 0)
    }

    @Test("every start that breaks a rule is refused by its reason, before the grant is used up")
    func startRules() throws {
        let sample = try TransferCase(byteCount: 25)
        let changes: [(AbortReason, (inout TransferStart) -> Void)] = [
            (.sizeLimit, { $0.protocolVersion = 1 }), (.sizeLimit, { $0.protocolVersion = 3 }),
            (.sizeLimit, { $0.transferID = $0.manifest.jobID }), (.sizeLimit, { $0.manifest.jobID = UUID() }),
            (.sizeLimit, { $0.totalBytes = 24 }), (.sizeLimit, { $0.totalBytes = -1 }),
            (.sizeLimit, { $0.totalChunks = 2 }), (.sizeLimit, { $0.totalChunks = 0 }),
            (.sizeLimit, { $0.chunkBytes = 0 }), (.sizeLimit, { $0.chunkBytes = -5 }),
            (
                .sizeLimit,
                {
                    $0.chunkBytes = 524_289; $0.totalChunks = 1
                }
            ), (.sizeLimit, { $0.sha256 = SHA256.hash("x") }),
            (.invalidManifest, { $0.manifest.kind = .canonicalRawResult }),
            (.invalidManifest, { $0.manifest.kind = .macExportJob }),
            (.invalidManifest, { $0.manifest.payloadSchemaVersion = 2 }),
            (.invalidManifest, { $0.manifest.corpusPartition = nil }),
        ]
        for (reason, change) in changes {
            var start = sample.start
            change(&start)
            var rig = ReceiverRig()
            #expect(rig.feed(.start(start, .partitioned)).abortReasons == [reason])
            #expect(rig.admissionCount == 0 && rig.machine.transferCount == 0)
        }
        var many = try TransferCase(byteCount: 8_193, chunkBytes: 1)
        var rig = ReceiverRig()
        #expect(rig.feed(.start(many.start, .partitioned)).abortReasons == [.sizeLimit])
        many = try TransferCase(byteCount: 8_192, chunkBytes: 1)
        #expect(rig.feed(.start(many.start, .partitioned)).ackSequences == [0])
        #expect(rig.feed(.malformedStart(transferID: UUID(), jobID: nil)).abortReasons == [.sizeLimit])
    }

    @Test("a start without a grant is an invalid manifest")
    func noGrant() throws {
        var rig = ReceiverRig()
        rig.admits = { _ in false }
        #expect(
            rig.feed(.start(try TransferCase(byteCount: 5).start, .partitioned)).abortReasons == [.invalidManifest]
        )
        #expect(rig.machine.transferCount == 0 && rig.spools.isEmpty)
    }

    @Test("an identical start re-acks without a second grant, a different one keeps the running transfer")
    func repeatedStart() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 2)
        #expect(rig.feed(.start(sample.start, .partitioned)).ackSequences == [0])
        #expect(rig.admissionCount == 1)
        var other = sample.start
        other.chunkBytes = 5
        other.totalChunks = 5
        #expect(rig.feed(.start(other, .partitioned)).abortReasons == [.invalidManifest])
        #expect(rig.chunk(sample.start.transferID, 3, sample.data(3)).ackSequences == [3])
    }

    @Test("the fifth transfer at a time is refused")
    func transferLimit() throws {
        var rig = ReceiverRig()
        for _ in 0..<4 {
            #expect(rig.feed(.start(try TransferCase(byteCount: 5).start, .partitioned)).ackSequences == [0])
        }
        #expect(
            rig.feed(.start(try TransferCase(byteCount: 5).start, .partitioned)).abortReasons == [
                .applicationRejected
            ])
        #expect(rig.machine.transferCount == 4)
    }

    @Test("a spool that fails ends the transfer and not the job, at the start and later")
    func spoolFailure() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = ReceiverRig()
        rig.spoolFails = true
        #expect(rig.feed(.start(sample.start, .partitioned)).abortReasons == [.timedOut])
        #expect(rig.spools.isEmpty)
        rig = begun(sample, chunks: 1)
        rig.spoolFails = true
        #expect(rig.chunk(sample.start.transferID, 2, sample.data(2)).abortReasons == [.timedOut])
        #expect(rig.spools.isEmpty && rig.machine.transferCount == 0)
    }

    @Test("a chunk below the expected sequence re-sends the stored ack")
    func repeatedChunk() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 3)
        for sequence in 1...3 {
            #expect(rig.chunk(sample.start.transferID, sequence, sample.data(sequence)).ackSequences == [sequence])
        }
        #expect(rig.spools[sample.start.transferID] == sample.payload)
    }

    @Test("a repeated chunk with other content, or a wrong digest, drops the transfer")
    func changedChunk() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 2)
        #expect(rig.chunk(sample.start.transferID, 1, sample.data(2)).abortReasons == [.chunkHashMismatch])
        #expect(rig.machine.transferCount == 0 && rig.spools.isEmpty)
        rig = begun(sample, chunks: 2)
        #expect(
            rig.chunk(sample.start.transferID, 1, sample.data(1), stated: SHA256.hash("x")).abortReasons == [
                .chunkHashMismatch
            ])
        rig = begun(sample, chunks: 2)
        #expect(
            rig.chunk(sample.start.transferID, 3, sample.data(3), stated: SHA256.hash("x")).abortReasons == [
                .chunkHashMismatch
            ])
        #expect(rig.machine.transferCount == 0 && rig.spools.isEmpty)
    }

    @Test("chunks that are ahead, behind the end, below 1 or of no transfer are out of sequence")
    func sequenceMismatch() throws {
        let sample = try TransferCase(byteCount: 25)
        for sequence in [3, 0, -1, 99] {
            var rig = begun(sample, chunks: 1)
            #expect(rig.chunk(sample.start.transferID, sequence, sample.data(2)).abortReasons == [.sequenceMismatch])
            #expect(rig.machine.transferCount == 0)
        }
        var rig = begun(sample, chunks: 3)
        #expect(rig.chunk(sample.start.transferID, 4, []).abortReasons == [.sequenceMismatch])
        let unknown = rig.chunk(UUID(), 1, [1])
        #expect(unknown.abortReasons == [.sequenceMismatch])
        if case .transferAbort(let abort) = unknown[0] { #expect(abort.jobID == nil) }
    }

    @Test("a chunk of the wrong length drops the transfer")
    func chunkLength() throws {
        let sample = try TransferCase(byteCount: 25)
        for (done, data) in [(0, 9), (0, 11), (2, 6), (2, 4), (2, 10)] {
            var rig = begun(sample, chunks: done)
            let chunk = [UInt8](repeating: 0, count: data)
            #expect(rig.chunk(sample.start.transferID, done + 1, chunk).abortReasons == [.sizeLimit])
            #expect(rig.machine.transferCount == 0)
        }
    }

    @Test("the ack follows the write, and a repeat meanwhile is silent")
    func ackAfterWrite() throws {
        let sample = try TransferCase(byteCount: 25)
        let id = sample.start.transferID
        var machine = TransferReceiver()
        _ = machine.handle(.start(sample.start, .partitioned), at: moment(0))
        _ = machine.handle(.admission(transferID: id, isGranted: true), at: moment(0))
        _ = machine.handle(.spoolOpened(transferID: id), at: moment(0))
        func chunk(_ sequence: Int) -> TransferReceiver.Event {
            let digest = sample.digest(sequence)
            return .chunk(
                transferID: id, sequence: sequence, byteCount: sample.data(sequence).count, stated: digest,
                actual: digest)
        }
        #expect(machine.handle(chunk(1), at: moment(0)) == [.write(transferID: id, sequence: 1, offset: 0)])
        #expect(machine.handle(chunk(2), at: moment(0)) == [.write(transferID: id, sequence: 2, offset: 10)])
        #expect(machine.handle(chunk(1), at: moment(0)).isEmpty)
        let ack = TransferAck(transferID: id, sequence: 1, sha256: sample.digest(1))
        #expect(machine.handle(.chunkWritten(transferID: id, sequence: 1), at: moment(0)) == [.send(.transferAck(ack))])
        #expect(machine.handle(chunk(1), at: moment(0)) == [.send(.transferAck(ack))])
        #expect(machine.handle(.chunkWritten(transferID: id, sequence: 3), at: moment(0)).isEmpty)
    }

    @Test("a completion whose totals differ, or that comes early, drops the transfer")
    func completionTotals() throws {
        let sample = try TransferCase(byteCount: 25)
        let changes: [(inout TransferComplete) -> Void] = [
            { $0.totalBytes = 24 }, { $0.totalChunks = 4 }, { $0.sha256 = SHA256.hash("x") },
        ]
        for change in changes {
            var rig = begun(sample, chunks: 3)
            var complete = TransferComplete(sample.start)
            change(&complete)
            #expect(rig.feed(.complete(complete)).abortReasons == [.sizeLimit])
            #expect(rig.machine.transferCount == 0 && rig.spools.isEmpty)
        }
        var rig = begun(sample, chunks: 2)
        #expect(rig.feed(.complete(TransferComplete(sample.start))).abortReasons == [.sizeLimit])
        #expect(rig.feed(.complete(TransferComplete(sample.start))).abortReasons == [.sequenceMismatch])
    }

    @Test("a wrong digest of the whole drops the transfer")
    func wholeDigest() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 3)
        rig.digestIsWrong = true
        #expect(rig.feed(.complete(TransferComplete(sample.start))).abortReasons == [.finalHashMismatch])
        #expect(rig.delivered.isEmpty && rig.spools.isEmpty)
    }

    @Test("a duplicate completion is silent while the application works and replayed afterwards")
    func duplicateCompletion() throws {
        let sample = try TransferCase(byteCount: 25)
        let id = sample.start.transferID
        var rig = begun(sample, chunks: 3)
        rig.applies = nil
        #expect(rig.feed(.complete(TransferComplete(sample.start))).isEmpty)
        #expect(rig.feed(.complete(TransferComplete(sample.start))).isEmpty)
        #expect(rig.machine.nextDeadline == nil)
        let first = rig.feed(.applied(transferID: id, isAccepted: true, message: nil))
        #expect(first.finalAcks.count == 1)
        #expect(rig.feed(.complete(TransferComplete(sample.start))) == first)
        #expect(rig.delivered == [id])
    }

    @Test("a refusal of the application carries a text, at least its reason code, and frees the transfer")
    func refusal() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 3)
        rig.applies = (false, nil)
        let answer = rig.feed(.complete(TransferComplete(sample.start))).finalAcks
        #expect(answer.first?.accepted == false && answer.first?.message == "application_rejected")
        #expect(rig.machine.transferCount == 0 && rig.spools.isEmpty)
        #expect(rig.feed(.start(sample.start, .partitioned)).ackSequences == [0])
        // The earlier answer belongs to the earlier life of the identifier.
        #expect(rig.feed(.complete(TransferComplete(sample.start))).abortReasons == [.sizeLimit])
    }

    @Test("the last 32 final acks are remembered")
    func rememberedAcks() throws {
        var rig = ReceiverRig()
        var samples: [TransferCase] = []
        for _ in 0..<33 {
            let sample = try TransferCase(byteCount: 5)
            samples.append(sample)
            _ = rig.feed(.start(sample.start, .partitioned))
            _ = rig.chunk(sample.start.transferID, 1, sample.data(1))
            _ = rig.feed(.complete(TransferComplete(sample.start)))
        }
        #expect(rig.feed(.complete(TransferComplete(samples[0].start))).abortReasons == [.sequenceMismatch])
        for sample in samples[1...] {
            #expect(rig.feed(.complete(TransferComplete(sample.start))).finalAcks.count == 1)
        }
    }

    @Test("120 seconds without a valid start or chunk end the transfer, but not one that the application has")
    func inactivity() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample)
        rig.now = 100
        _ = rig.chunk(sample.start.transferID, 1, sample.data(1))
        #expect(rig.machine.nextDeadline == 220)
        rig.now = 219.9
        #expect(rig.feed(.tick).isEmpty)
        rig.now = 220
        #expect(rig.feed(.tick).abortReasons == [.timedOut])
        #expect(rig.spools.isEmpty && rig.machine.transferCount == 0)
        rig = begun(sample, chunks: 3)
        rig.applies = nil
        _ = rig.feed(.complete(TransferComplete(sample.start)))
        rig.now = 1_000
        #expect(rig.feed(.tick).isEmpty)
        #expect(rig.machine.transferCount == 1)
    }

    @Test("a disconnect drops transfers without messages, but lets the application finish unheard")
    func disconnect() throws {
        let sample = try TransferCase(byteCount: 25)
        let other = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 3)
        rig.applies = nil
        _ = rig.feed(.complete(TransferComplete(sample.start)))
        _ = rig.feed(.start(other.start, .partitioned))
        #expect(rig.feed(.disconnected).isEmpty)
        #expect(rig.machine.transferCount == 1 && rig.spools.keys.elementsEqual([sample.start.transferID]))
        #expect(rig.feed(.applied(transferID: sample.start.transferID, isAccepted: true, message: nil)).isEmpty)
        #expect(rig.spools.isEmpty)
        #expect(rig.feed(.complete(TransferComplete(sample.start))).finalAcks.count == 1)
    }

    @Test("an abort drops the transfer and its spool, silently; late reports are ignored")
    func abort() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 1)
        let id = sample.start.transferID
        #expect(rig.feed(.abort(TransferAbort(transferID: id, jobID: nil, reason: .cancelled, message: ""))).isEmpty)
        #expect(rig.machine.transferCount == 0 && rig.spools.isEmpty)
        for late: TransferReceiver.Event in [
            .chunkWritten(transferID: id, sequence: 2), .spoolFailed(transferID: id), .spoolOpened(transferID: id),
            .spoolClosed(transferID: id, byteCount: 25, sha256: sample.start.sha256),
            .admission(transferID: id, isGranted: true),
            .applied(transferID: id, isAccepted: true, message: nil),
            .abort(TransferAbort(transferID: UUID(), jobID: nil, reason: .cancelled, message: "")),
        ] { #expect(rig.feed(late).isEmpty) }
    }

    @Test("dropping a job drops its transfers only")
    func dropJob() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample)
        _ = rig.feed(.start(try TransferCase(byteCount: 5).start, .partitioned))
        #expect(rig.feed(.dropJob(jobID: sample.start.manifest.jobID, telling: nil)).isEmpty)
        #expect(rig.machine.transferCount == 1 && rig.spools[sample.start.transferID] == nil)
    }

    @Test("a job that the receiver cancels aborts its transfers, so that the peer waits for nothing")
    func dropJobTells() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 1)
        _ = rig.feed(.start(try TransferCase(byteCount: 5).start, .partitioned))
        let sent = rig.feed(.dropJob(jobID: sample.start.manifest.jobID, telling: .cancelled))
        guard case .transferAbort(let abort)? = sent.first else {
            Issue.record("no abort")
            return
        }
        #expect(sent.count == 1 && abort.transferID == sample.start.transferID && abort.reason == .cancelled)
        #expect(abort.jobID == sample.start.manifest.jobID && rig.machine.transferCount == 1)
    }

    @Test("a partition that our own disk could not keep is not refused: the peer is told to open it again")
    func applicationFailure() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = begun(sample, chunks: 3)
        rig.applies = nil
        #expect(rig.feed(.complete(TransferComplete(sample.start))).isEmpty)
        let sent = rig.feed(.applicationFailed(transferID: sample.start.transferID))
        #expect(sent.abortReasons == [.timedOut] && sent.finalAcks.isEmpty)
        #expect(AbortReason.timedOut.retryClass == .retryable)
        #expect(rig.machine.transferCount == 0 && rig.spools.isEmpty)
        // Nothing is remembered of it: a late completion is not answered with an old refusal.
        #expect(rig.feed(.complete(TransferComplete(sample.start))).abortReasons == [.sequenceMismatch])
        // Nobody waits for the answer of one that was given up meanwhile.
        rig = begun(sample, chunks: 3)
        rig.applies = nil
        _ = rig.feed(.complete(TransferComplete(sample.start)))
        _ = rig.feed(.disconnected)
        #expect(rig.feed(.applicationFailed(transferID: sample.start.transferID)).isEmpty && rig.spools.isEmpty)
    }
}
