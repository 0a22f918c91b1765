import ConnectedProtocol
import Cryptography
import Foundation
import Transport

@testable import Receiver

/// A phone on a real socket: the dialler's machine with one thread, that of the test.
final class LoopbackPhone {
    struct Closed: Error {}

    let installationID: UUID
    private let connection: Connection
    private var machine: DiallerConnection<SyncMessage>
    private var inbox: [SyncMessage] = []
    private(set) var secret: SecretBytes?
    private(set) var receiverID: UUID?
    private(set) var usesRecords = false

    /// Dials, pairs or reconnects, and returns when the receiver's hello is there.
    init(
        port: UInt16, installationID: UUID = UUID(), credential: DiallerConnection<SyncMessage>.Credential,
        records: Bool = true
    ) throws {
        self.installationID = installationID
        connection = try Dialler.dial(host: "127.0.0.1", port: port, timeout: .seconds(5))
        var capabilities = EngineRig.phoneCapabilities(installationID)
        if records {
            capabilities.extensions = .wellFormed(
                try HealthmdExtensions(secureRecords: [1], deviceName: "Loopback"))
        }
        machine = DiallerConnection(
            installationID: installationID, credential: credential, hello: OwnHello(capabilities),
            material: .init(privateKey: X25519.PrivateKey(), nonce: SecureRandom.bytes(32)),
            services: LinkServices(nonce: { SecureRandom.bytes(12) }), at: SystemClock.now())
        try step(.connected)
        while receiverID == nil { try readMore() }
        // The status is the engine's first word: from then on it knows this phone.
        try receive { message -> Bool? in
            if case .macStatus = message { return true }
            return nil
        }
    }

    deinit { connection.abort() }

    func close() { connection.abort() }

    func send(_ message: SyncMessage) throws { try step(.send(message.encode())) }

    /// Sends one chunk: as a frame where records are in force, else as JSON.
    func send(chunk bytes: ArraySlice<UInt8>, _ sequence: Int, of transferID: UUID) throws {
        let digest = SHA256.hash(bytes)
        guard usesRecords else {
            return try send(
                .transferChunk(
                    TransferChunk(transferID: transferID, sequence: sequence, data: Array(bytes), sha256: digest)))
        }
        let frame = BinaryFrame(
            transferID: transferID, sequence: UInt32(sequence), payloadByteCount: bytes.count, payloadSHA256: digest)
        var header: [UInt8] = []
        frame.appendHeader(to: &header)
        var buffer = RecordChannel.buffer(forPlaintextOf: header.count + bytes.count)
        let range = RecordChannel.plaintextRange(in: buffer)
        buffer.replaceSubrange(range.lowerBound..<range.lowerBound + header.count, with: header)
        buffer.replaceSubrange(range.lowerBound + header.count..<range.upperBound, with: bytes)
        try step(.sendFrame(buffer))
    }

    /// Waits, at most 20 seconds, for a message that `take` accepts; others are dropped.
    @discardableResult
    func receive<Value>(_ take: (SyncMessage) -> Value?) throws -> Value {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            while !inbox.isEmpty {
                if let value = take(inbox.removeFirst()) { return value }
            }
            try readMore()
        }
        throw Closed()
    }

    private func readMore() throws {
        var buffer = [UInt8](repeating: 0, count: machine.readByteCount)
        let count = try buffer.withUnsafeMutableBytes {
            try connection.receive(into: $0, until: .now + .seconds(20))
        }
        try step(count == 0 ? .peerClosed : .received(Array(buffer[..<count])))
    }

    private func step(_ event: DiallerConnection<SyncMessage>.Event) throws {
        var events = [event]
        while !events.isEmpty {
            for action in machine.handle(events.removeFirst(), at: SystemClock.now()) {
                switch action {
                case .send(let bytes): try connection.send(bytes, stall: .seconds(20))
                case .storeProvisional(let listener):
                    secret = listener.reconnectSecret
                    events.append(.provisionalStored)
                case .confirm(let listener):
                    secret = listener.reconnectSecret
                    events.append(.confirmed)
                case .opened(let session):
                    receiverID = session.installationID
                    usesRecords = session.secureRecordVersion != nil
                case .deliver(let message): inbox.append(message)
                case .deliverFrame, .dropped: break
                case .close: throw Closed()
                }
            }
        }
    }

    // MARK: - Conversations

    /// Opens and transfers a partition, up to `window` chunks unacknowledged.
    func transfer(_ partition: FakePhone.Partition, of phone: FakePhone, window: Int = 4) throws -> Bool {
        try send(phone.open(partition))
        let disposition = try receive { message -> PartitionDisposition? in
            if case .corpusDisposition(let answer) = message { return answer.disposition }
            return nil
        }
        guard disposition == .accept || disposition == .resume else { return disposition == .alreadyCommitted }
        let start = TransferStart(transferID: partition.transferID, partition: partition.descriptor)
        try send(.transferStart(start))
        try acknowledged(0)
        var next = 1
        for acknowledgedCount in 1...start.totalChunks {
            while next <= start.totalChunks, next < acknowledgedCount + (usesRecords ? window : 1) {
                let range = start.range(ofChunk: next)
                try send(
                    chunk: partition.bytes[Int(range.lowerBound)..<Int(range.upperBound)], next,
                    of: partition.transferID)
                next += 1
            }
            try acknowledged(acknowledgedCount)
        }
        try send(.transferComplete(TransferComplete(start)))
        return try receive { message -> Bool? in
            if case .transferFinalAck(let ack) = message { return ack.accepted }
            return nil
        }
    }

    private func acknowledged(_ sequence: Int) throws {
        let isAccepted = try receive { message -> Bool? in
            if case .transferAck(let ack) = message, ack.sequence == sequence { return ack.accepted }
            if case .transferAbort = message { return false }
            return nil
        }
        guard isAccepted else { throw Closed() }
    }

    func finalize(_ phone: FakePhone, _ partitions: [FakePhone.Partition]) throws -> CorpusTransferFinalAck {
        try send(phone.finalize(partitions))
        return try receive { message -> CorpusTransferFinalAck? in
            if case .corpusFinalAck(let ack) = message { return ack }
            return nil
        }
    }

    func request() throws -> ExportRequest {
        try receive { message -> ExportRequest? in
            if case .exportRequest(let request) = message { return request }
            return nil
        }
    }
}
