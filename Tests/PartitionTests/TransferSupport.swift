import Cryptography
import Foundation

@testable import ConnectedProtocol

/// A payload with its descriptor and start, in chunks of a few bytes.
struct TransferCase {
    let payload: [UInt8]
    let partition: PartitionDescriptor
    var start: TransferStart

    init(byteCount: Int, chunkBytes: Int = 10, jobID: UUID = UUID()) throws {
        payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        partition = try PartitionDescriptor(
            sessionID: UUID(), jobID: jobID, index: 0, sourceDates: [ProtocolDate(secondsSince2001: 0)],
            byteCount: Int64(byteCount), sha256: SHA256.hash(payload), previousSHA256: nil)
        start = TransferStart(transferID: UUID(), partition: partition, chunkBytes: chunkBytes)
    }

    func data(_ sequence: Int) -> [UInt8] {
        let range = start.range(ofChunk: sequence)
        return Array(payload[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    func digest(_ sequence: Int) -> Digest { SHA256.hash(data(sequence)) }
}

func moment(_ seconds: Double) -> Moment { Moment(wall: seconds, monotonic: seconds) }

/// A driver in memory around `TransferReceiver`, whose disk and application always succeed unless told otherwise.
struct ReceiverRig {
    var machine = TransferReceiver()
    var now = 0.0
    var admits: (PartitionDescriptor) -> Bool = { _ in true }
    var applies: (isAccepted: Bool, message: String?)? = (true, nil)
    var spoolFails = false
    var digestIsWrong = false
    var spools: [UUID: [UInt8]] = [:]
    var delivered: [UUID] = []
    var admissionCount = 0
    private var chunkData: [UInt8] = []

    /// Feeds an event, performs everything that follows, and returns the messages that leave.
    mutating func feed(_ event: TransferReceiver.Event) -> [SyncMessage] {
        var sent: [SyncMessage] = []
        var queue = machine.handle(event, at: moment(now))
        while !queue.isEmpty {
            let action = queue.removeFirst()
            if case .send(let message) = action { sent.append(message) }
            for report in perform(action) { queue += machine.handle(report, at: moment(now)) }
        }
        return sent
    }

    mutating func chunk(_ id: UUID, _ sequence: Int, _ data: [UInt8], stated: Digest? = nil) -> [SyncMessage] {
        chunkData = data
        let actual = SHA256.hash(data)
        return feed(
            .chunk(
                transferID: id, sequence: sequence, byteCount: data.count, stated: stated ?? actual, actual: actual))
    }

    private mutating func perform(_ action: TransferReceiver.Action) -> [TransferReceiver.Event] {
        switch action {
        case .send: return []
        case .askAdmission(let id, let partition):
            admissionCount += 1
            return [.admission(transferID: id, isGranted: admits(partition))]
        case .openSpool(let id, _):
            spools[id] = []
            return spoolFails ? [.spoolFailed(transferID: id)] : [.spoolOpened(transferID: id)]
        case .write(let id, let sequence, let offset):
            precondition(Int(offset) == spools[id]?.count, "chunks are written in order")
            spools[id]? += chunkData
            return spoolFails ? [.spoolFailed(transferID: id)] : [.chunkWritten(transferID: id, sequence: sequence)]
        case .closeSpool(let id):
            let bytes = spools[id] ?? []
            let digest = digestIsWrong ? SHA256.hash("wrong") : SHA256.hash(bytes)
            return [.spoolClosed(transferID: id, byteCount: Int64(bytes.count), sha256: digest)]
        case .deliver(let id, _):
            delivered.append(id)
            guard let applies else { return [] }
            return [.applied(transferID: id, isAccepted: applies.isAccepted, message: applies.message)]
        case .deleteSpool(let id):
            spools[id] = nil
            return []
        }
    }
}

extension [SyncMessage] {
    var abortReasons: [AbortReason] {
        compactMap { if case .transferAbort(let abort) = $0 { abort.reason } else { nil } }
    }
    var ackSequences: [Int] {
        compactMap { if case .transferAck(let ack) = $0 { ack.sequence } else { nil } }
    }
    var finalAcks: [TransferFinalAck] {
        compactMap { if case .transferFinalAck(let ack) = $0 { ack } else { nil } }
    }
}
