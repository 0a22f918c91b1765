import ConnectedProtocol
import Foundation
import Synchronization
import Transport

/// Accepts phones and gives each connection its number, its place at the gate and its thread.
final class PeerListener: @unchecked Sendable {
    private let listener: Listener
    private let engine: ReceiverEngine
    private let connections = Mutex<[ConnectionID: PeerConnection]>([:])
    private let numbers = Atomic<UInt64>(1)
    private let accepting = Promise<Bool>()

    /// The port that phones dial.
    var port: UInt16 { listener.port }

    /// Begins to listen; ``start()`` begins to accept.
    init(addresses: [IPAddress], port: UInt16, engine: ReceiverEngine) throws(TransportError) {
        listener = try Listener(addresses: addresses, port: port)
        self.engine = engine
    }

    /// Starts the accepting thread. The engine's hooks must be set before.
    func start() {
        let thread = Thread { [self] in accept() }
        thread.name = "peer-listener"
        thread.stackSize = 512 << 10
        thread.start()
    }

    /// Stops accepting and ends every connection.
    func stop() {
        listener.stop()
        _ = accepting.wait()
        for connection in connections.withLock({ Array($0.values) }) { connection.close(.finished) }
    }

    /// Ends a connection that the engine does not have as an opened one.
    func end(_ id: ConnectionID, _ reason: ConnectionEnd) {
        connections.withLock { $0[id] }?.close(reason)
    }

    /// Tells a held connection that the person said yes.
    func approve(_ id: ConnectionID) {
        connections.withLock { $0[id] }?.approve()
    }

    private func accept() {
        while true {
            do {
                guard let connection = try listener.accept() else { break }
                take(connection)
            } catch {
                engine.log("accept_failed", ("code", .code(of: error)))
                break
            }
        }
        accepting.fulfill(true)
    }

    private func take(_ connection: Connection) {
        guard let address = PeerAddress(bytes: connection.peer.address.bytes) else { return connection.abort() }
        let id = ConnectionID(numbers.add(1, ordering: .relaxed).oldValue)
        let isTaken = Promise<Bool>()
        engine.queue.post { [engine] in
            guard !engine.isStopping else { return isTaken.fulfill(false) }
            do {
                try engine.decideGate { gate in ((), gate.accept(id, from: address)) }
                isTaken.fulfill(true)
            } catch {
                isTaken.fulfill(false)
            }
        }
        guard isTaken.wait() else { return connection.abort() }
        let peer = PeerConnection(connection, id: id, engine: engine) { [weak self] id in
            self?.connections.withLock { $0[id] = nil }
        }
        connections.withLock { $0[id] = peer }
        peer.start()
    }
}
