import CLinux
import Foundation
import Transport

/// The thread that accepts connections, checks heads, keeps deadlines, and watches waiting and lingering clients
/// (platform-notes.md "The front").
final class Front: @unchecked Sendable {
    /// Connections accepted in one go, so that those who are here get their turn.
    private static let acceptBatch = 64
    /// Pause of accepting when the process has no descriptor left.
    private static let exhaustionPause = Duration.milliseconds(50)

    private let table: ClientTable
    private let engines: EnginePair
    private let handler: any HTTPHandler
    private let connectionLimit: Int
    private let rules: HTTPRules
    // The thread's own.
    private var listener: Listener?
    private let listenerKeys: [EventSet.Key]
    private var isAccepting = false
    private var acceptAgainAt: ContinuousClock.Instant?
    private var requests = DeadlineQueue()
    /// Clients in the order of their arrival, for making room: the oldest that has not sent its head goes first.
    private var arrivals = DeadlineQueue()
    private let buffer: UnsafeMutableRawBufferPointer
    // Guarded by the condition.
    private let condition = NSCondition()
    private enum Order: Equatable { case run, stopAccepting, end }
    private var order = Order.run
    private var obeyed = Order.run

    init(
        table: ClientTable, engines: EnginePair, handler: any HTTPHandler, listener: Listener, connectionLimit: Int
    ) {
        self.table = table
        self.engines = engines
        self.handler = handler
        self.listener = listener
        self.connectionLimit = connectionLimit
        rules = table.rules
        listenerKeys = listener.descriptors.map { EventSet.Key(descriptor: $0, generation: 0) }
        // One byte more than a head may have tells that it has more.
        buffer = .allocate(byteCount: max(rules.maximumHeadByteCount + 1, 64 * 1024), alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    // MARK: Orders from other threads

    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "http-front"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// Closes the listeners and those who have not sent their head.
    func stopAccepting() {
        give(.stopAccepting)
    }

    /// Ends the thread.
    func end() {
        give(.end)
    }

    private func give(_ order: Order) {
        condition.withLock { self.order = order }
        table.wake.set()
        condition.withLock {
            while obeyed != order { condition.wait() }
        }
    }

    // MARK: The thread

    private func run() {
        while true {
            let order = condition.withLock { self.order }
            if order != .run, listener != nil { closeListener() }
            condition.withLock {
                obeyed = order
                condition.broadcast()
            }
            if order == .end { return table.closeAll { _ in true } }
            if order == .run { updateAccepting() }
            for event in table.events.wait(milliseconds: millisecondsToWait()) { handle(event) }
            expire(.now)
        }
    }

    private func handle(_ event: EventSet.Event) {
        if event.key == table.wake.key {
            table.wake.clear()
        } else if event.key.generation == 0 {
            acceptSome(event.key.descriptor)
        } else {
            handleClient(event)
        }
    }

    private func handleClient(_ event: EventSet.Event) {
        let found: (client: Client, phase: Client.Phase, departed: HTTPDeferred?)? = table.withLock {
            guard let client = table.client(event.key) else { return nil }
            return (client, client.phase, client.phase == .waiting ? table.depart(client) : nil)
        }
        guard let found else { return }
        switch found.phase {
        case .head: examine(found.client, hasEnded: event.hasEnded)
        case .lingering: drop(found.client)
        case .waiting: found.departed?.clientLeft()
        case .body, .answering, .left: break
        }
    }

    // MARK: Accepting

    private func closeListener() {
        for key in listenerKeys { table.events.remove(key.descriptor) }
        isAccepting = false
        listener = nil
        table.closeAll { $0.phase == .head }
    }

    /// Pauses and resumes accepting at the connection limit.
    private func updateAccepting() {
        if let pause = acceptAgainAt, pause > .now { return setAccepting(false) }
        acceptAgainAt = nil
        let hasRoom = table.withLock {
            table.isAwaitingRoom = table.activeCount >= connectionLimit
            return !table.isAwaitingRoom
        }
        setAccepting(hasRoom || hasIdleClient())
    }

    private func setAccepting(_ wanted: Bool) {
        guard wanted != isAccepting else { return }
        isAccepting = wanted
        for key in listenerKeys {
            if wanted {
                // Without room in the set now, the next round tries again.
                if !table.events.add(key, .readable) { isAccepting = false }
            } else {
                table.events.remove(key.descriptor)
            }
        }
    }

    private func acceptSome(_ listening: Int32) {
        for _ in 0..<Self.acceptBatch {
            if table.withLock({ table.activeCount >= connectionLimit }) {
                // Who has sent nothing makes room for who may.
                guard evictIdleClient() else { return }
            }
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    clinux_accept(listening, $0, &length, 1)
                }
            }
            if descriptor >= 0 {
                welcome(descriptor, storage)
                continue
            }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                if !evictIdleClient() { acceptAgainAt = .now + Self.exhaustionPause }
                return
            case ECONNABORTED, EINTR: continue
            default: return
            }
        }
    }

    private func welcome(_ descriptor: Int32, _ storage: sockaddr_storage) {
        guard let peer = SocketAddress(storage) else {
            close(descriptor)
            return
        }
        let client = table.withLock { table.add(descriptor: descriptor, peer: peer, phase: .head) }
        guard rules.acceptsPeer(peer) else { return refuse(client, rules.renderFault(.peerRefused)) }
        requests.push(client.key, due: .now + rules.receiveLimit.duration)
        forgetSettledArrivals()
        arrivals.push(client.key, due: .now)
        // Most heads are here already, or nearly.
        examine(client, hasEnded: false)
        guard table.withLock({ client.phase == .head && table.client(client.key) != nil }) else { return }
        if table.events.add(client.key, .arrival) {
            client.isWatched = true
        } else {
            table.withLock { table.close(client) }
        }
    }

    private func forgetSettledArrivals() {
        while let key = arrivals.first, table.withLock({ table.client(key)?.phase != .head }) {
            _ = arrivals.popFirst()
        }
    }

    private func hasIdleClient() -> Bool {
        forgetSettledArrivals()
        return arrivals.first != nil
    }

    private func evictIdleClient() -> Bool {
        forgetSettledArrivals()
        guard let key = arrivals.popFirst(), let client = table.withLock({ table.client(key) }) else { return false }
        ResponseWriter.write(rules.renderFault(.requestTimeout), to: client.descriptor, isHead: false)
        table.withLock { table.close(client) }
        return true
    }

    // MARK: Heads

    private func examine(_ client: Client, hasEnded: Bool) {
        let head = UnsafeMutableRawBufferPointer(rebasing: buffer[...rules.maximumHeadByteCount])
        let count = SocketCalls.peek(client.descriptor, head)
        guard count >= 0 else {
            guard errno == EAGAIN || errno == EINTR else { return table.withLock { table.close(client) } }
            return
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        switch client.scanner.scan(bytes) {
        case .complete(let byteCount):
            let head = UnsafeRawBufferPointer(rebasing: bytes[..<byteCount])
            decide(client, RequestHeadParser.parse(head, rules: rules), headByteCount: byteCount)
        case .refused(let fault):
            refuse(client, rules.renderFault(fault))
        case .incomplete:
            if count == 0 || hasEnded { refuse(client, rules.renderFault(.incompleteRequest)) }
        }
    }

    private func decide(_ client: Client, _ parsed: Result<HTTPRequestHead, HTTPFault>, headByteCount: Int) {
        switch parsed {
        case .failure(let fault):
            refuse(client, rules.renderFault(fault))
        case .success(let head):
            client.head = head
            switch handler.admit(head, from: client.peer) {
            case .refuse(let response):
                return refuse(client, response)
            case .collect(let limit, let context):
                client.bodyLimit = limit ?? rules.maximumBodyByteCount
                client.context = context
            case .stream(let limit, let context, let sink):
                client.bodyLimit = limit
                client.context = context
                client.sink = sink
            }
            if let length = head.contentLength, length > client.bodyLimit {
                return refuse(client, rules.renderFault(.bodyTooLarge))
            }
            handOver(client, headByteCount: headByteCount)
        }
    }

    private func handOver(_ client: Client, headByteCount: Int) {
        if client.isWatched { table.events.remove(client.descriptor) }
        client.isWatched = false
        table.withLock { client.phase = .body }
        // From here on the descriptor is libmicrohttpd's, which has closed it when it refuses.
        if !engines.take(client, headByteCount: headByteCount) { table.withLock { table.remove(client) } }
    }

    private func refuse(_ client: Client, _ response: HTTPResponse) {
        if client.isWatched { table.events.remove(client.descriptor) }
        client.isWatched = false
        ResponseWriter.write(response, to: client.descriptor, isHead: client.head?.method == "HEAD")
        table.withLock { table.linger(client) }
    }

    private func drop(_ client: Client) {
        while client.droppedByteCount < ClientTable.lingerByteLimit {
            let count = SocketCalls.receive(client.descriptor, buffer)
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            if count <= 0 { break }
            client.droppedByteCount += count
        }
        table.withLock { table.close(client) }
    }

    // MARK: Deadlines

    private func millisecondsToWait() -> Int32 {
        let due = [requests.next, table.withLock { table.lingering.next }, acceptAgainAt].compactMap { $0 }.min()
        guard let due else { return -1 }
        let rest = ContinuousClock.now.duration(to: due)
        guard rest > .zero else { return 0 }
        let (seconds, attoseconds) = rest.components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    private func expire(_ now: ContinuousClock.Instant) {
        while let key = requests.pop(dueBy: now) {
            if let client = table.withLock({ overdue(key) }) { tooLate(client) }
        }
        while let client = table.withLock({ table.lingeringClient(dueBy: now) }) {
            table.withLock { table.close(client) }
        }
    }

    /// The client, when its head is overdue. An overdue body is answered here, under the lock: libmicrohttpd's closed callback needs
    /// the lock before the descriptor is closed.
    private func overdue(_ key: EventSet.Key) -> Client? {
        guard let client = table.client(key) else { return nil }
        if client.phase == .head { return client }
        if client.phase == .body, client.connection != nil, !client.isDead, case .total = rules.receiveLimit {
            table.answerDirectly(client, rules.renderFault(.requestTimeout))
        }
        return nil
    }

    private func tooLate(_ client: Client) {
        switch rules.receiveLimit {
        case .total: refuse(client, rules.renderFault(.requestTimeout))
        case .idle: table.withLock { table.close(client) }
        }
    }
}
