import Cryptography
import Foundation
import TestSupport
import Testing

@testable import ConnectedProtocol

private func transport(window: Int) -> ChunkTransport {
    let peer = PeerCapabilities(
        platform: PeerPlatform.phone, installationID: UUID(), flags: [], maximumInFlightChunks: window)
    return ChunkTransport(peer, peer, usesSecureRecords: true)
}

/// Sends what the machine wants and reports it as sent.
private struct SenderRig {
    let sample: TransferCase
    var machine: TransferSender
    var now = 0.0

    init(_ sample: TransferCase, window: Int = 1) {
        self.sample = sample
        machine = TransferSender(start: sample.start, transport: transport(window: window))
    }

    mutating func feed(_ event: TransferSender.Event) -> [TransferSender.Action] {
        let actions = machine.handle(event, at: moment(now))
        for case .sendChunk(let sequence, _) in actions {
            _ = machine.handle(.chunkSent(sequence: sequence, sha256: sample.digest(sequence)), at: moment(now))
        }
        return actions
    }

    mutating func ack(_ sequence: Int, accepted: Bool = true, sha256: Digest? = nil) -> [TransferSender.Action] {
        let digest = sha256 ?? (sequence == 0 ? sample.start.sha256 : sample.digest(sequence))
        return feed(
            .ack(
                TransferAck(transferID: sample.start.transferID, sequence: sequence, accepted: accepted, sha256: digest)
            ))
    }

    mutating func begin(acks: Int = 0) {
        _ = feed(.begin)
        _ = ack(0)
        for sequence in 1..<acks + 1 { _ = ack(sequence) }
    }
}

extension [TransferSender.Action] {
    fileprivate var chunks: [Int] {
        compactMap { if case .sendChunk(let sequence, _) = $0 { sequence } else { nil } }
    }
    fileprivate var outcome: TransferSender.Outcome? {
        if case .finished(let outcome) = last { outcome } else { nil }
    }
    fileprivate var messages: [SyncMessage] {
        compactMap { if case .send(let message) = $0 { message } else { nil } }
    }
}

@Suite("Transfer sender")
struct TransferSenderTests {
    @Test("start, one chunk at a time, completion, final ack")
    func stopAndWait() throws {
        var rig = SenderRig(try TransferCase(byteCount: 25))
        #expect(rig.feed(.begin) == [.send(.transferStart(rig.sample.start))])
        #expect(rig.ack(0) == [.sendChunk(sequence: 1, range: 0..<10)])
        #expect(rig.ack(1) == [.sendChunk(sequence: 2, range: 10..<20)])
        #expect(rig.ack(2) == [.sendChunk(sequence: 3, range: 20..<25)])
        #expect(rig.ack(3) == [.send(.transferComplete(TransferComplete(rig.sample.start)))])
        #expect(rig.machine.acknowledgedByteCount == 25)
        let final = TransferFinalAck(
            transferID: rig.sample.start.transferID, accepted: true, sha256: rig.sample.start.sha256)
        #expect(rig.feed(.finalAck(final)) == [.finished(.accepted)])
        #expect(rig.machine.isFinished && rig.machine.nextDeadline == nil)
    }

    @Test("the oldest unacknowledged chunk holds the window")
    func window() throws {
        var rig = SenderRig(try TransferCase(byteCount: 100), window: 4)
        _ = rig.feed(.begin)
        #expect(rig.ack(0).chunks == [1, 2, 3, 4])
        #expect(rig.ack(2).chunks.isEmpty)
        #expect(rig.ack(3).chunks.isEmpty)
        #expect(rig.ack(1).chunks == [5, 6, 7])
        #expect(rig.ack(4).chunks == [8])
    }

    @Test("each message has three attempts of 15 seconds")
    func attempts() throws {
        let sample = try TransferCase(byteCount: 25)
        var start = SenderRig(sample)
        _ = start.feed(.begin)
        var chunk = SenderRig(sample)
        chunk.begin()
        var complete = SenderRig(sample)
        complete.begin(acks: 3)
        for (var rig, expected) in [
            (start, [TransferSender.Action.send(.transferStart(sample.start))]),
            (chunk, [.sendChunk(sequence: 1, range: 0..<10)]),
            (complete, [.send(.transferComplete(TransferComplete(sample.start)))]),
        ] {
            for attempt in 1...2 {
                rig.now = Double(attempt) * 15 - 0.1
                #expect(rig.feed(.tick).isEmpty)
                rig.now = Double(attempt) * 15
                #expect(rig.machine.nextDeadline == rig.now)
                #expect(rig.feed(.tick) == expected)
            }
            rig.now = 45
            let end = rig.feed(.tick)
            #expect(end.outcome == .failed(.retriesExhausted, message: nil))
            #expect(end.messages.abortReasons == [.retriesExhausted])
        }
    }

    @Test("a chunk that waits to be sent has no deadline yet")
    func deadlineStartsWithSending() throws {
        let sample = try TransferCase(byteCount: 25)
        var machine = TransferSender(start: sample.start, transport: .plain)
        _ = machine.handle(.begin, at: moment(0))
        _ = machine.handle(
            .ack(TransferAck(transferID: sample.start.transferID, sequence: 0, sha256: sample.start.sha256)),
            at: moment(1))
        #expect(machine.nextDeadline == nil)
        _ = machine.handle(.chunkSent(sequence: 1, sha256: sample.digest(1)), at: moment(50))
        #expect(machine.nextDeadline == 65)
    }

    @Test("an exact repeat of an ack is ignored, another digest is a failure")
    func repeatedAcks() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = SenderRig(sample)
        rig.begin(acks: 2)
        #expect(rig.ack(0).isEmpty && rig.ack(1).isEmpty && rig.ack(2).isEmpty)
        for (sequence, digest) in [(0, "x"), (1, "x"), (3, "x")] {
            var copy = rig
            let end = copy.ack(sequence, sha256: SHA256.hash(digest))
            #expect(end.outcome == .failed(.chunkHashMismatch, message: nil))
            #expect(end.messages.abortReasons == [.chunkHashMismatch])
        }
    }

    @Test("acks that refuse, or of chunks that were not sent, are failures")
    func badAcks() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = SenderRig(sample)
        rig.begin()
        var copy = rig
        #expect(copy.ack(1, accepted: false).outcome == .failed(.applicationRejected, message: nil))
        copy = rig
        #expect(copy.ack(2).outcome == .failed(.sequenceMismatch, message: nil))
        copy = rig
        #expect(copy.feed(.ack(TransferAck(transferID: UUID(), sequence: 9, sha256: sample.start.sha256))).isEmpty)
    }

    @Test("a final ack that refuses or has another digest is an application refusal")
    func finalAcks() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = SenderRig(sample)
        rig.begin(acks: 3)
        let id = sample.start.transferID
        for ack in [
            TransferFinalAck(transferID: id, accepted: false, sha256: sample.start.sha256),
            TransferFinalAck(transferID: id, accepted: true, sha256: SHA256.hash("x")),
        ] {
            var copy = rig
            #expect(copy.feed(.finalAck(ack)) == [.finished(.failed(.applicationRejected, message: nil))])
        }
        var early = SenderRig(sample)
        early.begin(acks: 1)
        #expect(
            early.feed(.finalAck(TransferFinalAck(transferID: id, accepted: true, sha256: sample.start.sha256))).outcome
                == .failed(.sequenceMismatch, message: nil))
    }

    @Test("an abort, a lost connection, a cancellation and a broken file each end it in their own way")
    func ends() throws {
        let sample = try TransferCase(byteCount: 25)
        var rig = SenderRig(sample)
        rig.begin()
        var copy = rig
        let abort = TransferAbort(transferID: sample.start.transferID, jobID: nil, reason: .timedOut, message: "")
        #expect(copy.feed(.abort(abort)) == [.finished(.failed(.timedOut, message: abort.message))])
        copy = rig
        #expect(copy.feed(.disconnected) == [.finished(.failed(.disconnected, message: nil))])
        copy = rig
        let end = copy.feed(.cancel)
        #expect(end.messages.abortReasons == [.cancelled] && end.outcome == .failed(.cancelled, message: nil))
        #expect(copy.feed(.tick).isEmpty && copy.ack(1).isEmpty)
        copy = rig
        #expect(copy.feed(.readFailed).outcome == .failed(.applicationRejected, message: nil))
    }

    @Test("the retry class of every abort reason")
    func retryClasses() {
        let fatal: Set<AbortReason> = [
            .unsupported, .invalidManifest, .sizeLimit, .decodeFailure, .applicationRejected,
        ]
        for reason in AbortReason.allCases {
            switch reason.retryClass {
            case .fatal: #expect(fatal.contains(reason))
            case .cancellation: #expect(reason == .cancelled)
            case .retryable: #expect(!fatal.contains(reason) && reason != .cancelled)
            }
        }
    }

    @Test("a peer without bounded or partitioned transfers is refused by name")
    func missing() {
        func peer(_ flags: Set<PeerCapability>) -> PeerCapabilities {
            PeerCapabilities(platform: PeerPlatform.workstation, installationID: nil, flags: flags)
        }
        #expect(TransferSender.missing(at: peer([]))?.key == "supportsSizeBoundedConnectedTransfers")
        #expect(
            TransferSender.missing(at: peer([.sizeBoundedConnectedTransfers]))?.key
                == "supportsPartitionedConnectedExports")
        #expect(
            TransferSender.missing(at: peer([.sizeBoundedConnectedTransfers, .partitionedConnectedExports])) == nil)
    }
}

@Suite("Transfer, both ends")
struct TransferLinkTests {
    /// Runs both machines over a link that loses, repeats and delays whole messages, until the transfer is over.
    private func run(seed: UInt64, byteCount: Int, window: Int, faults: Bool) throws -> (TransferSender.Outcome, Bool) {
        let sample = try TransferCase(byteCount: byteCount)
        var random = SplitMix64(seed: seed)
        var sender = TransferSender(start: sample.start, transport: transport(window: window))
        var receiver = ReceiverRig()
        var now = 0.0
        var toReceiver: [(message: SyncMessage?, chunk: Int)] = []
        var toSender: [SyncMessage] = []
        var outcome: TransferSender.Outcome?

        func perform(_ actions: [TransferSender.Action]) {
            for action in actions {
                switch action {
                case .send(let message): toReceiver.append((message, 0))
                case .sendChunk(let sequence, _):
                    toReceiver.append((nil, sequence))
                    perform(
                        sender.handle(.chunkSent(sequence: sequence, sha256: sample.digest(sequence)), at: moment(now)))
                case .finished(let result): outcome = result
                }
            }
        }
        perform(sender.handle(.begin, at: moment(now)))
        while outcome == nil {
            if !toReceiver.isEmpty, random.next() % 2 == 0 || toSender.isEmpty {
                let next = toReceiver.removeFirst()
                let copies = faults && random.next() % 8 == 0 ? 2 : 1
                for _ in 0..<copies {
                    switch next.message {
                    case .transferStart(let start): toSender += receiver.feed(.start(start, .partitioned))
                    case .transferComplete(let complete): toSender += receiver.feed(.complete(complete))
                    case .transferAbort(let abort): toSender += receiver.feed(.abort(abort))
                    case nil: toSender += receiver.chunk(sample.start.transferID, next.chunk, sample.data(next.chunk))
                    default: Issue.record("seed \(seed): unexpected message")
                    }
                }
            } else if !toSender.isEmpty {
                let message = toSender.removeFirst()
                // Only answers are lost: the stream to the receiver is in order by contract.
                if faults, random.next() % 16 == 0 { continue }
                switch message {
                case .transferAck(let ack): perform(sender.handle(.ack(ack), at: moment(now)))
                case .transferFinalAck(let ack): perform(sender.handle(.finalAck(ack), at: moment(now)))
                case .transferAbort(let abort): perform(sender.handle(.abort(abort), at: moment(now)))
                default: Issue.record("seed \(seed): unexpected message")
                }
            } else {
                guard let deadline = sender.nextDeadline else {
                    Issue.record("seed \(seed): nothing waits and nothing moves")
                    break
                }
                now = deadline
                receiver.now = now
                perform(sender.handle(.tick, at: moment(now)))
            }
        }
        let arrived = receiver.delivered == [sample.start.transferID]
        return (outcome ?? .failed(.timedOut, message: nil), arrived)
    }

    @Test("over a lossless link every size and window arrives", arguments: [1, 10, 11, 100, 995], [1, 4, 8])
    func lossless(byteCount: Int, window: Int) throws {
        let (outcome, arrived) = try run(seed: 1, byteCount: byteCount, window: window, faults: false)
        #expect(outcome == .accepted && arrived)
    }

    @Test("with lost answers and repeated messages it arrives once or fails in a way that may be tried again")
    func faulty() throws {
        var acceptedCount = 0
        for seed in 0..<200 as Range<UInt64> {
            let (outcome, arrived) = try run(seed: seed, byteCount: 95, window: Int(seed % 8) + 1, faults: true)
            switch outcome {
            case .accepted:
                acceptedCount += 1
                #expect(arrived, "seed \(seed)")
            case .failed(let reason, _): #expect(reason.retryClass == .retryable, "seed \(seed): \(reason)")
            }
        }
        #expect(acceptedCount > 150)
    }
}
