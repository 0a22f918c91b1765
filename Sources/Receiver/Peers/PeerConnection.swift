import ConnectedProtocol
import Cryptography
import Foundation
import Synchronization
import Transport

/// One accepted connection: a thread that reads, the pure connection machine, and a queue that writes.
///
/// The machine is shared by the reader and by the engine, which sends; what the machine seals is queued under the same
/// lock, so that the order on the wire is the order of sealing. Verdicts of the gate come from the engine, and the
/// reader waits for them.
final class PeerConnection: PeerChannel, @unchecked Sendable {
    /// Bytes that may wait to be sent; more means that the peer does not read.
    private static let sendQueueByteCount = 8 << 20
    /// The longest time without the peer taking a byte.
    private static let sendStall = Duration.seconds(30)
    /// Bytes that may wait in the engine.
    private static let inboundByteCount = 8 << 20
    /// The least that a message counts against that, however small it is.
    private static let minimumMessageCost = 64 << 10
    /// How long a close may take to send what waits.
    private static let closeTime = Duration.seconds(1)

    let id: ConnectionID
    private let connection: Connection
    private let sendQueue: SendQueue
    private let machine: Mutex<ListenerConnection<SyncMessage>>
    private let engine: ReceiverEngine
    private let inbound = ByteGate(limit: inboundByteCount)
    private let hasEnded = Atomic(false)
    /// Bytes read since the last message or chunk was handed over: what the next message counts at least. A message may
    /// have megabytes (extensions.md 3.2). Touched by the reader thread only.
    private var bytesSinceDelivery = 0
    private let onEnd: @Sendable (ConnectionID) -> Void

    init(
        _ connection: Connection, id: ConnectionID, engine: ReceiverEngine,
        onEnd: @escaping @Sendable (ConnectionID) -> Void
    ) {
        self.id = id
        self.connection = connection
        self.engine = engine
        self.onEnd = onEnd
        sendQueue = SendQueue(connection, byteLimit: Self.sendQueueByteCount, stall: Self.sendStall)
        let material = ListenerConnection<SyncMessage>.Material(
            privateKey: X25519.PrivateKey(),
            nonce: SecureRandom.bytes(SecureTransportLimits.handshakeValueByteCount),
            sealNonce: SecureRandom.bytes(ChaCha20Poly1305.nonceByteCount))
        machine = Mutex(
            ListenerConnection(
                installationID: engine.store.installationID, hello: OwnHello(engine.ownCapabilities()),
                material: material,
                services: LinkServices(nonce: { SecureRandom.bytes(ChaCha20Poly1305.nonceByteCount) }),
                at: engine.now))
    }

    /// Starts the reader thread.
    func start() {
        let thread = Thread { [self] in read() }
        thread.name = "peer"
        thread.stackSize = 1 << 20
        thread.start()
    }

    // MARK: - The engine's side

    func send(_ document: [UInt8]) { step(.send(document)) }

    func close(_ reason: ConnectionEnd) { step(.end(reason)) }

    /// The person said yes to a held connection.
    func approve() { step(.approved) }

    // MARK: - Reading

    private func read() {
        while !hasEnded.load(ordering: .acquiring) {
            let (deadline, byteCount) = machine.withLock { ($0.deadline, $0.readByteCount) }
            do {
                let bytes = try receive(byteCount, until: deadline)
                bytesSinceDelivery += bytes.count
                step(bytes.isEmpty ? .peerClosed : .received(bytes))
            } catch TransportError.receiveTimedOut {
                step(.timer)
            } catch {
                step(.peerClosed)
            }
        }
        inbound.open()
        engine.queue.post { [engine, id] in engine.handle(.closed, from: id) }
        onEnd(id)
    }

    private func receive(_ byteCount: Int, until deadline: Double?) throws(TransportError) -> [UInt8] {
        let limit = deadline.map { Deadline.now + .seconds(max(0, $0 - engine.now.monotonic)) }
        var failure: TransportError?
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            do throws(TransportError) {
                count = try connection.receive(into: UnsafeMutableRawBufferPointer(buffer), until: limit)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    // MARK: - The machine

    private func step(_ event: ListenerConnection<SyncMessage>.Event) {
        var event: ListenerConnection<SyncMessage>.Event? = event
        while let current = event {
            event = nil
            let actions = machine.withLock { machine in
                let actions = machine.handle(current, at: engine.now)
                for action in actions {
                    if case .send(let bytes) = action { enqueue(bytes) }
                }
                return actions
            }
            for action in actions {
                if let verdict = perform(action) { event = verdict }
            }
        }
    }

    private func enqueue(_ bytes: [UInt8]) {
        do {
            try sendQueue.enqueue([bytes])
        } catch {
            // A peer that does not read, or is gone: the reader notices the abort and reports the end.
            connection.abort()
        }
    }

    /// Performs what is not sending; gives the verdict that the machine waits for.
    private func perform(
        _ action: ListenerConnection<SyncMessage>.Action
    ) -> ListenerConnection<SyncMessage>.Event? {
        switch action {
        case .send: return nil
        case .authenticate(let request): return .authenticated(authenticate(request))
        case .confirm(let confirmation): return .confirmed(confirm(confirmation))
        case .opened(let session): open(session)
        case .deliver(let message): deliver(message)
        case .deliverFrame(let frame): deliver(frame)
        case .dropped(let reason): engine.log("packet_dropped", ("reason", .dropped(reason)))
        case .close(let reason): end(reason)
        }
        return nil
    }

    private func authenticate(_ request: PairingRequest) -> AuthenticationVerdict {
        let secret = SecretBytes.random(count: SecureTransportLimits.handshakeValueByteCount)
        let promise = Promise<AuthenticationVerdict>()
        engine.queue.post { [engine, id] in
            do {
                promise.fulfill(
                    try engine.decideGate { gate in
                        gate.authenticate(
                            request, connection: id, newSecret: secret, newSecretID: UUID(), at: engine.now)
                    })
            } catch {
                engine.log("trust_not_stored", ("code", .code(of: error)))
                promise.fulfill(.rejected(.noPlace))
            }
        }
        return promise.wait()
    }

    private func confirm(_ confirmation: PeerConfirmation) -> ConfirmationVerdict {
        let promise = Promise<ConfirmationVerdict>()
        engine.queue.post { [engine, id] in
            do {
                promise.fulfill(
                    try engine.decideGate { gate in gate.confirm(confirmation, connection: id, at: engine.now) })
            } catch {
                engine.log("trust_not_stored", ("code", .code(of: error)))
                promise.fulfill(.refused)
            }
        }
        return promise.wait()
    }

    // MARK: - Delivering

    private func open(_ session: PeerSession<SyncMessage>) {
        guard case .hello(let capabilities) = session.message else {
            preconditionFailure("a session begins with hello")
        }
        let opening = PeerOpening(
            installationID: session.installationID, displayName: session.displayName, capabilities: capabilities,
            usesSecureRecords: session.secureRecordVersion != nil, channel: self)
        engine.queue.post { [engine, id] in engine.handle(.opened(opening), from: id) }
    }

    private func deliver(_ message: SyncMessage) {
        if case .transferChunk(let chunk) = message { return deliver(chunk) }
        let cost = max(Self.minimumMessageCost, bytesSinceDelivery)
        bytesSinceDelivery = 0
        guard inbound.acquire(cost) else { return }
        engine.queue.post { [engine, id, inbound] in
            engine.handle(.message(message), from: id)
            inbound.release(cost)
        }
    }

    private func deliver(_ chunk: TransferChunk) {
        let payload = ChunkPayload(
            buffer: chunk.data, range: 0..<chunk.data.count, actualSHA256: SHA256.hash(chunk.data),
            release: { [inbound] in inbound.release($0.count) })
        deliver(transferID: chunk.transferID, sequence: chunk.sequence, stated: chunk.sha256, payload)
    }

    private func deliver(_ frame: InboundFrame) {
        let header: BinaryFrame
        do {
            header = try BinaryFrame(frame: frame.buffer[frame.range])
        } catch {
            engine.log("frame_dropped", ("code", .frame(error)))
            return recycle(frame.buffer)
        }
        let range = frame.range.lowerBound + BinaryFrame.headerByteCount..<frame.range.upperBound
        let payload = ChunkPayload(
            buffer: frame.buffer, range: range, actualSHA256: SHA256.hash(frame.buffer[range]),
            release: { [self] buffer in
                inbound.release(buffer.count)
                recycle(buffer)
            })
        deliver(
            transferID: header.transferID, sequence: Int(header.sequence), stated: header.payloadSHA256, payload)
    }

    private func deliver(transferID: UUID, sequence: Int, stated: Digest, _ payload: ChunkPayload) {
        bytesSinceDelivery = 0
        guard inbound.acquire(payload.buffer.count) else { return }
        engine.queue.post { [engine, id] in
            engine.handle(
                .chunk(transferID: transferID, sequence: sequence, stated: stated, payload: payload), from: id)
        }
    }

    private func recycle(_ buffer: [UInt8]) {
        machine.withLock { $0.recycle(buffer) }
    }

    // MARK: - The end

    private func end(_ reason: ConnectionEnd) {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let unsaid = engine.closedConnections.withLock({ $0.admit(reason.code, at: engine.now.monotonic) }) {
            if unsaid > 0 {
                engine.log("connection_closed", ("reason", .end(reason)), ("unsaid", .number(Int64(unsaid))))
            } else {
                engine.log("connection_closed", ("reason", .end(reason)))
            }
        }
        inbound.open()
        sendQueue.finish()
        // What waits is given a second; a thread of its own, since the engine must not wait.
        let thread = Thread { [sendQueue, connection] in
            _ = sendQueue.waitUntilEnded(.now + Self.closeTime)
            connection.abort()
        }
        thread.stackSize = 256 << 10
        thread.start()
    }
}

extension LogEvent.Value {
    /// Why something that decrypted was not used.
    static func dropped(_ reason: DroppedMessage) -> LogEvent.Value {
        switch reason {
        case .beforeHello: .word("before_hello")
        case .beforeApproval: .word("before_approval")
        case .undecodable: .word("undecodable")
        }
    }

    /// What is wrong with a binary frame.
    static func frame(_ error: BinaryFrameError) -> LogEvent.Value { .code(of: error) }
}
