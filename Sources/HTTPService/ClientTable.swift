import Foundation
import Glibc
import Transport

/// All connections, the lock that guards them, and the epoll set that the front waits on.
///
/// The front's thread and libmicrohttpd's threads meet here only. Handlers are never called under the lock.
final class ClientTable: @unchecked Sendable {
    /// How long a refused client may go on sending before it is cut off (platform-notes.md "Linger").
    static let lingerTime = Duration.seconds(1)
    /// How much of it is dropped, in bytes.
    static let lingerByteLimit = 1 << 20
    /// How many clients may linger at a time; further ones are cut off at once.
    static let lingerLimit = 256

    let rules: HTTPRules
    let events: EventSet
    let wake: WakeEventSource
    private let condition = NSCondition()
    // Guarded by the lock.
    private var clients: [Int32: Client] = [:]
    private var generation: UInt32 = 0
    private(set) var lingering = DeadlineQueue()
    private(set) var lingeringCount = 0
    private var isStopping = false
    /// Set while the front has paused accepting: the next connection that ends wakes it.
    var isAwaitingRoom = false

    init(rules: HTTPRules) throws(HTTPServerError) {
        self.rules = rules
        events = try EventSet()
        wake = try WakeEventSource(events)
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        try condition.withLock(body)
    }

    // MARK: Under the lock

    var stops: Bool { isStopping }

    /// Connections that are not merely lingering.
    var activeCount: Int { clients.count - lingeringCount }

    func add(descriptor: Int32, peer: SocketAddress, phase: Client.Phase) -> Client {
        generation = generation == .max ? 1 : generation + 1
        let client = Client(
            key: EventSet.Key(descriptor: descriptor, generation: generation), peer: peer, phase: phase,
            maximumHeadByteCount: rules.maximumHeadByteCount)
        clients[descriptor] = client
        return client
    }

    func client(descriptor: Int32) -> Client? {
        clients[descriptor]
    }

    func client(_ key: EventSet.Key) -> Client? {
        guard let client = clients[key.descriptor], client.key == key else { return nil }
        return client
    }

    func remove(_ client: Client) {
        guard clients[client.descriptor] === client else { return }
        clients[client.descriptor] = nil
        if client.phase == .lingering { lingeringCount -= 1 }
        wakeForRoom()
        condition.broadcast()
    }

    private func wakeForRoom() {
        guard isAwaitingRoom else { return }
        isAwaitingRoom = false
        wake.set()
    }

    /// The next one whose time of lingering is over.
    func lingeringClient(dueBy now: ContinuousClock.Instant) -> Client? {
        while let key = lingering.pop(dueBy: now) {
            if let client = client(key), client.phase == .lingering { return client }
        }
        return nil
    }

    /// Answers past libmicrohttpd, which then finds the connection ended.
    func answerDirectly(_ client: Client, _ response: HTTPResponse) {
        client.isDead = true
        ResponseWriter.write(response, to: client.descriptor, isHead: client.head?.method == "HEAD")
        shutdown(client.descriptor, Int32(SHUT_RDWR))
    }

    /// Keeps a descriptor for the time of lingering; closes it when too many do.
    func linger(_ client: Client) {
        guard lingeringCount < Self.lingerLimit, !isStopping else { return close(client) }
        client.phase = .lingering
        lingeringCount += 1
        wakeForRoom()
        lingering.push(client.key, due: .now + Self.lingerTime)
        shutdown(client.descriptor, Int32(SHUT_WR))
        if !events.add(client.key, .readable) { close(client) }
        wake.set()
    }

    /// Closes a descriptor that the front owns.
    func close(_ client: Client) {
        events.remove(client.descriptor)
        remove(client)
        Glibc.close(client.descriptor)
    }

    // MARK: Waiting clients

    /// Hands the answer to a client that waits, once.
    func deliver(_ response: HTTPResponse, to client: Client) -> Bool {
        withLock {
            guard client.phase == .waiting, let connection = client.connection else { return false }
            client.phase = .answering
            client.response = response
            client.deferred = nil
            events.remove(client.descriptor)
            Engine.resume(connection)
            return true
        }
    }

    /// Takes note that a waiting client left; its waiter, to be told outside the lock.
    func depart(_ client: Client) -> HTTPDeferred? {
        guard client.phase == .waiting, let connection = client.connection else { return nil }
        client.phase = .left
        events.remove(client.descriptor)
        Engine.resume(connection)
        defer { client.deferred = nil }
        return client.deferred
    }

    /// Nothing waits from now on; those who do now, to be told and answered outside the lock.
    func beginStop() -> [(client: Client, deferred: HTTPDeferred)] {
        withLock {
            isStopping = true
            return clients.values.compactMap { client in
                guard client.phase == .waiting, let deferred = client.deferred else { return nil }
                return (client, deferred)
            }
        }
    }

    /// Waits until libmicrohttpd has no connection left; false when the time is over first.
    func waitUntilAnswered(for time: TimeInterval) -> Bool {
        let deadline = Date(timeIntervalSinceNow: time)
        condition.lock()
        defer { condition.unlock() }
        while clients.values.contains(where: \.isHandedOver) {
            if !condition.wait(until: deadline) { return false }
        }
        return true
    }

    /// Closes everything that the front owns.
    func closeAll(where matches: (Client) -> Bool) {
        withLock {
            for client in Array(clients.values) where !client.isHandedOver && matches(client) { close(client) }
        }
    }
}
