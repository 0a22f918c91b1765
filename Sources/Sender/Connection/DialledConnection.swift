import ConnectedProtocol
import Cryptography
import Foundation
import Transport

/// One connection to a workstation: a socket, the pure machine that secures it, and the order between the two.
///
/// The thread that calls ``run()`` reads until the connection ends. Any thread sends: a packet is sealed and queued under one lock, so
/// that the order of sealing, which the peer checks, is the order on the wire.
final class DialledConnection: PeerChannel, @unchecked Sendable {
    typealias Machine = DiallerConnection<SyncMessage>

    /// Where a connection reports what happened. Called on the reading thread.
    struct Handlers: Sendable {
        /// Stores provisional trust, durably.
        var storeProvisional: @Sendable (Machine.Listener) throws -> Void
        /// Stores confirmed trust, durably.
        var confirm: @Sendable (Machine.Listener) throws -> Void
        /// The connection may be used.
        var opened: @Sendable (DialledConnection, PeerSession<SyncMessage>) -> Void
        /// A message arrived; the number is that of the bytes on the wire since the one before.
        var message: @Sendable (DialledConnection, SyncMessage, Int) -> Void
    }

    /// Time that the last packets have to leave when the connection ends.
    private static let flushTime: Duration = .seconds(1)
    /// Time without the peer taking a byte after which sending fails: the silence that ends a connection anyway.
    private static let stall: Duration = .seconds(SecureTransportLimits.silenceSeconds)
    /// Bytes that may wait to be sent: the largest window of frames, and as much again for messages, so that a window cannot fill it.
    private static let queueByteLimit = 16 * (RecordChannel.packetHeadByteCount + BinaryFrame.maximumByteCount + 16)

    private let connection: Connection
    private let queue: SendQueue
    private let clock: SystemClock
    private let handlers: Handlers
    private let lock = NSLock()
    // Both belong to the lock.
    private var machine: Machine
    private var end: ConnectionEnd?
    /// Bytes that arrived since the last message was handed over. Belongs to the reading thread.
    private var arrivedByteCount = 0

    init(
        _ connection: Connection, installationID: UUID, credential: Machine.Credential, hello: OwnHello,
        clock: SystemClock, handlers: Handlers
    ) {
        self.connection = connection
        self.clock = clock
        self.handlers = handlers
        queue = SendQueue(connection, byteLimit: DialledConnection.queueByteLimit, stall: DialledConnection.stall)
        let material = Machine.Material(
            privateKey: X25519.PrivateKey(), nonce: SecureRandom.bytes(SecureTransportLimits.handshakeValueByteCount))
        machine = Machine(
            installationID: installationID, credential: credential, hello: hello, material: material,
            services: LinkServices(nonce: { SecureRandom.bytes(ChaCha20Poly1305.nonceByteCount) }), at: clock.now())
    }

    // MARK: Reading

    /// Reads until the connection ends; returns why it ended.
    func run() -> ConnectionEnd {
        handle(.connected)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 4 * SecureTransportLimits.unconfirmedPacketByteCount, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            let (ended, deadline, byteCount) = lock.withLock { (end, machine.deadline, machine.readByteCount) }
            if let ended {
                finish(ended)
                return ended
            }
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(byteCount, buffer.count)])
            do {
                let count = try connection.receive(into: room, until: deadline.map(clock.deadline))
                arrivedByteCount += count
                handle(count == 0 ? .peerClosed : .received(Array(room[..<count])))
            } catch .receiveTimedOut {
                handle(.timer)
            } catch {
                handle(.peerClosed)
            }
        }
    }

    private func finish(_ end: ConnectionEnd) {
        queue.finish()
        if end != .peerClosed { _ = queue.waitUntilEnded(Deadline.now + DialledConnection.flushTime) }
        queue.abort()
    }

    /// Hands one event to the machine. What it says about trust is stored and answered before anything else happens.
    private func handle(_ event: Machine.Event) {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            let actions = lock.withLock { () -> [Machine.Action] in
                let actions = machine.handle(event, at: clock.now())
                sendAll(actions)
                return actions
            }
            for action in actions { report(action, &events) }
        }
    }

    private func report(_ action: Machine.Action, _ events: inout [Machine.Event]) {
        switch action {
        case .send, .close: break
        case .storeProvisional(let listener):
            events.append(isDone { try handlers.storeProvisional(listener) } ? .provisionalStored : .end(.storeFailed))
        case .confirm(let listener):
            events.append(isDone { try handlers.confirm(listener) } ? .confirmed : .end(.storeFailed))
        case .opened(let session): handlers.opened(self, session)
        case .deliver(let message):
            handlers.message(self, message, arrivedByteCount)
            arrivedByteCount = 0
        case .deliverFrame(let frame): lock.withLock { machine.recycle(frame.buffer) }
        case .dropped: break
        }
    }

    private func isDone(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return false
        }
    }

    /// Queues what is to be sent and notes the end. Needs the lock.
    private func sendAll(_ actions: [Machine.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes):
                do {
                    try queue.enqueue([bytes])
                } catch {
                    // The queue has aborted the connection, or the peer takes nothing: the reader notices either.
                    connection.abort()
                }
            case .close(let reason):
                end = reason
            case .storeProvisional, .confirm, .opened, .deliver, .deliverFrame, .dropped:
                break
            }
        }
    }

    // MARK: Sending

    func send(_ message: SyncMessage) {
        let document = message.encode()
        lock.withLock {
            guard end == nil else { return }
            sendAll(machine.handle(.send(document), at: clock.now()))
        }
        wakeIfEnded()
    }

    func send(_ frame: BinaryFrame, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
        var header: [UInt8] = []
        header.reserveCapacity(BinaryFrame.headerByteCount)
        frame.appendHeader(to: &header)
        var buffer = RecordChannel.buffer(forPlaintextOf: header.count + frame.payloadByteCount)
        let range = RecordChannel.plaintextRange(in: buffer)
        try buffer.withUnsafeMutableBytes { bytes in
            let plaintext = UnsafeMutableRawBufferPointer(rebasing: bytes[range])
            plaintext.copyBytes(from: header)
            try fill(UnsafeMutableRawBufferPointer(rebasing: plaintext[header.count...]))
        }
        let event = Machine.Event.sendFrame(consume buffer)
        lock.withLock {
            guard end == nil else { return }
            sendAll(machine.handle(event, at: clock.now()))
        }
        wakeIfEnded()
    }

    func close(_ reason: ConnectionEnd) {
        lock.withLock {
            guard end == nil else { return }
            sendAll(machine.handle(.end(reason), at: clock.now()))
        }
        wakeIfEnded()
    }

    /// The reader may be waiting in the system: it is woken once what was sent has left.
    private func wakeIfEnded() {
        guard lock.withLock({ end != nil }) else { return }
        queue.finish()
        _ = queue.waitUntilEnded(Deadline.now + DialledConnection.flushTime)
        connection.abort()
    }
}
