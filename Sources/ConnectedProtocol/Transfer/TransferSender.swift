import Cryptography
import Foundation

/// The sending end of one chunk transfer (corpus-protocol.md 10.8).
///
///     begin ─▶ starting ─ack 0─▶ sending (window of W) ─all acks─▶ completing ─final ack─▶ finished
///
/// Every message has 15 s and three attempts. The driver performs `.sendChunk` by reading the range from the file,
/// taking its digest, sending it as a frame or as JSON (as negotiated), and reporting `.chunkSent`. After `.finished`
/// the machine takes no more events.
public struct TransferSender: Sendable {
    /// Seconds before a message is sent again (corpus-protocol.md 10.8.2).
    public static let acknowledgementTimeout: Double = 15
    /// Attempts of one message.
    public static let maximumAttemptCount = 3

    /// What happened.
    public enum Event: Sendable {
        /// Start the transfer.
        case begin
        /// A chunk was handed to the connection.
        case chunkSent(sequence: Int, sha256: Digest)
        /// An acknowledgement arrived.
        case ack(TransferAck)
        /// The answer to the completion arrived.
        case finalAck(TransferFinalAck)
        /// An abort arrived.
        case abort(TransferAbort)
        /// The file could not be read.
        case readFailed
        /// The job is cancelled here.
        case cancel
        /// The connection is gone.
        case disconnected
        /// Time passed.
        case tick
    }

    /// What is to be done.
    public enum Action: Sendable, Equatable {
        /// Send a message.
        case send(SyncMessage)
        /// Send a chunk; `range` lies within the payload.
        case sendChunk(sequence: Int, range: Range<Int64>)
        /// The transfer is over.
        case finished(Outcome)
    }

    /// How a transfer ended.
    public enum Outcome: Sendable, Equatable {
        /// The application has the payload.
        case accepted
        /// It ended early; the class of the reason says what to do, the message what the peer said.
        case failed(AbortReason, message: String?)
    }

    private enum Phase: Sendable {
        case idle
        case starting
        case sending
        case completing
        case finished
    }

    private struct InFlight: Sendable {
        /// Nil until the driver has sent it.
        var sha256: Digest?
        var attemptCount = 1
        var deadline: Double?
    }

    /// What is sent.
    public let start: TransferStart
    /// Chunks that may be unacknowledged.
    public let window: Int

    private var phase = Phase.idle
    private var attemptCount = 0
    private var deadline: Double?
    private var nextSequence = 1
    private var inFlight: [Int: InFlight] = [:]
    /// Digests of acknowledged chunks, so that an exact repeat of an acknowledgement can be told from another one.
    private var acknowledged: [Int: Digest] = [:]

    /// A transfer that has not begun.
    public init(start: TransferStart, transport: ChunkTransport) {
        precondition(start.refusal == nil, "a start of ours keeps the rules")
        self.start = start
        window = transport.window
    }

    /// What a peer lacks for partition transfers (corpus-protocol.md 10.8.1).
    public static func missing(at peer: PeerCapabilities) -> MissingCapability? {
        if !peer.supports(.sizeBoundedConnectedTransfers) {
            return MissingCapability(key: PeerCapability.sizeBoundedConnectedTransfers.rawValue)
        }
        if !peer.supports(.partitionedConnectedExports) {
            return MissingCapability(key: PeerCapability.partitionedConnectedExports.rawValue)
        }
        return nil
    }

    /// Whether the transfer is over.
    public var isFinished: Bool { phase == .finished }

    /// Bytes of chunks that were acknowledged.
    public private(set) var acknowledgedByteCount: Int64 = 0

    /// Monotonic second at which a tick is due; nil when nothing waits.
    public var nextDeadline: Double? { ([deadline] + inFlight.values.map(\.deadline)).compactMap { $0 }.min() }

    /// Takes one event.
    public mutating func handle(_ event: Event, at now: Moment) -> [Action] {
        guard phase != .finished else { return [] }
        switch event {
        case .begin:
            precondition(phase == .idle, "a transfer begins once")
            phase = .starting
            return attempt(now)
        case .chunkSent(let sequence, let sha256): return chunkSent(sequence, sha256, now)
        case .ack(let ack): return ack.transferID == start.transferID ? self.ack(ack, now) : []
        case .finalAck(let ack): return ack.transferID == start.transferID ? finalAck(ack) : []
        case .abort(let abort):
            return abort.transferID == start.transferID ? finish(.failed(abort.reason, message: abort.message)) : []
        case .readFailed: return giveUp(.applicationRejected, "The payload cannot be read.")
        case .cancel: return giveUp(.cancelled, "The job was cancelled.")
        case .disconnected: return finish(.failed(.disconnected, message: nil))
        case .tick: return tick(now)
        }
    }

    // MARK: Sending

    /// Sends the message of the phase once more.
    private mutating func attempt(_ now: Moment) -> [Action] {
        attemptCount += 1
        deadline = now.monotonic + TransferSender.acknowledgementTimeout
        return [.send(phase == .starting ? .transferStart(start) : .transferComplete(TransferComplete(start)))]
    }

    /// Fills the window, or completes when everything is acknowledged.
    private mutating func advance(_ now: Moment) -> [Action] {
        if acknowledged.count == start.totalChunks {
            phase = .completing
            attemptCount = 0
            return attempt(now)
        }
        var actions: [Action] = []
        // The oldest unacknowledged chunk holds the window, so chunks leave in order.
        while nextSequence <= start.totalChunks, nextSequence - (inFlight.keys.min() ?? nextSequence) < window {
            inFlight[nextSequence] = InFlight()
            actions.append(.sendChunk(sequence: nextSequence, range: start.range(ofChunk: nextSequence)))
            nextSequence += 1
        }
        return actions
    }

    private mutating func chunkSent(_ sequence: Int, _ sha256: Digest, _ now: Moment) -> [Action] {
        guard inFlight[sequence] != nil else { return [] }
        inFlight[sequence]?.sha256 = sha256
        inFlight[sequence]?.deadline = now.monotonic + TransferSender.acknowledgementTimeout
        return []
    }

    // MARK: Answers

    private mutating func ack(_ ack: TransferAck, _ now: Moment) -> [Action] {
        guard ack.accepted else { return giveUp(.applicationRejected, "The peer refused a message of the transfer.") }
        if ack.sequence == 0 {
            guard ack.sha256 == start.sha256 else {
                return giveUp(.chunkHashMismatch, "An acknowledgement has another digest.")
            }
            guard phase == .starting else { return [] }
            phase = .sending
            deadline = nil
            return advance(now)
        }
        if let known = acknowledged[ack.sequence] {
            return known == ack.sha256 ? [] : giveUp(.chunkHashMismatch, "An acknowledgement has another digest.")
        }
        guard let chunk = inFlight[ack.sequence], let sha256 = chunk.sha256 else {
            return giveUp(.sequenceMismatch, "An acknowledgement names a chunk that was not sent.")
        }
        guard sha256 == ack.sha256 else {
            return giveUp(.chunkHashMismatch, "An acknowledgement has another digest.")
        }
        inFlight[ack.sequence] = nil
        acknowledged[ack.sequence] = sha256
        acknowledgedByteCount += Int64(start.range(ofChunk: ack.sequence).count)
        return advance(now)
    }

    private mutating func finalAck(_ ack: TransferFinalAck) -> [Action] {
        guard phase == .completing else {
            return giveUp(.sequenceMismatch, "An answer came before the completion.")
        }
        // Both ends are done with the transfer, so a refusal needs no abort.
        let isGood = ack.accepted && ack.sha256 == start.sha256
        return finish(isGood ? .accepted : .failed(.applicationRejected, message: ack.message))
    }

    // MARK: Ends

    private mutating func tick(_ now: Moment) -> [Action] {
        if let deadline, deadline <= now.monotonic {
            return attemptCount < TransferSender.maximumAttemptCount ? attempt(now) : exhausted()
        }
        var actions: [Action] = []
        for sequence in inFlight.keys.sorted() {
            guard let chunk = inFlight[sequence], let deadline = chunk.deadline, deadline <= now.monotonic else {
                continue
            }
            guard chunk.attemptCount < TransferSender.maximumAttemptCount else { return exhausted() }
            inFlight[sequence]?.attemptCount += 1
            inFlight[sequence]?.deadline = nil
            actions.append(.sendChunk(sequence: sequence, range: start.range(ofChunk: sequence)))
        }
        return actions
    }

    private mutating func exhausted() -> [Action] {
        giveUp(.retriesExhausted, "The peer did not answer three times.")
    }

    private mutating func giveUp(_ reason: AbortReason, _ message: String) -> [Action] {
        // The peer knows nothing of a transfer that has not begun.
        if phase == .idle { return finish(.failed(reason, message: nil)) }
        let abort = TransferAbort(
            transferID: start.transferID, jobID: start.manifest.jobID, reason: reason, message: message)
        return [.send(.transferAbort(abort))] + finish(.failed(reason, message: nil))
    }

    private mutating func finish(_ outcome: Outcome) -> [Action] {
        phase = .finished
        deadline = nil
        inFlight = [:]
        return [.finished(outcome)]
    }
}
