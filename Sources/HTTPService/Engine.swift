import CMicroHTTPD
import Glibc
import Transport

/// libmicrohttpd behind the front: it gets connections whose head was checked, reads bodies and sends answers.
final class Engine: @unchecked Sendable {
    /// Memory of a connection per byte of head: 3,170 tiny headers fit into 16 KiB and cost 64 bytes each, and 384 KiB
    /// held (platform-notes.md "The front"). Mapped lazily.
    private static let memoryPerHeadByte = 32

    private let table: ClientTable
    private let handler: any HTTPHandler
    /// Set once in `start`, before any connection.
    private nonisolated(unsafe) var daemon: OpaquePointer?

    init(table: ClientTable, handler: any HTTPHandler) {
        self.table = table
        self.handler = handler
    }

    /// Starts the threads, for heads of at most `headByteCount` bytes.
    func start(
        headByteCount: Int, connectionLimit: Int, stallSeconds: UInt32, workerCount: UInt32
    ) throws(HTTPServerError) {
        let flags =
            MHD_USE_POLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_NO_LISTEN_SOCKET.rawValue
        daemon = hmd_mhd_start(
            flags,
            { context, connection, _, _, _, data, size, memory in
                Engine.from(context).handle(connection, data, size, memory)
            },
            { context, connection, _, reason in Engine.from(context).completed(connection, reason) },
            { context, connection, memory, event in Engine.from(context).changed(connection, memory, event) },
            Unmanaged.passUnretained(self).toOpaque(),
            headByteCount * Self.memoryPerHeadByte,
            // Every worker gets its share of the limit, and connections are dealt out unevenly; the front does the counting.
            UInt32(connectionLimit) * workerCount, stallSeconds, workerCount)
        guard daemon != nil else { throw .engineFailed }
    }

    /// Stops the threads and closes what is left. Nothing may be suspended.
    func stop() {
        if let daemon { MHD_stop_daemon(daemon) }
        daemon = nil
    }

    /// Hands a descriptor over; false when libmicrohttpd refused it and has closed it.
    func take(_ client: Client) -> Bool {
        guard let daemon else { return false }
        return client.peer.withSystemAddress { address, length in
            MHD_add_connection(daemon, client.descriptor, address, length)
        } == .YES
    }

    static func resume(_ connection: OpaquePointer) {
        MHD_resume_connection(connection)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Engine {
        guard let context else { preconditionFailure("a callback without its context") }
        return Unmanaged<Engine>.fromOpaque(context).takeUnretainedValue()
    }

    private func client(_ connection: OpaquePointer?) -> Client? {
        hmd_mhd_socket_context(connection).map { Unmanaged<Client>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Connections come and go

    private func changed(
        _ connection: OpaquePointer?, _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ event: MHD_ConnectionNotificationCode
    ) {
        guard let connection, let memory else { return }
        let descriptor = hmd_mhd_descriptor(connection)
        switch event {
        case .CONNECTION_NOTIFY_STARTED:
            table.withLock {
                guard let client = table.client(descriptor: descriptor), client.isHandedOver else { return }
                client.connection = connection
                memory.pointee = Unmanaged.passRetained(client).toOpaque()
            }
        default:
            guard let context = memory.pointee else { return }
            memory.pointee = nil
            let client = Unmanaged<Client>.fromOpaque(context).takeRetainedValue()
            table.withLock { ended(client, descriptor) }
        }
    }

    /// libmicrohttpd is about to close the descriptor. When the client may still be sending, a copy of it lingers:
    /// closing with unread input resets the connection, and the client might lose the answer.
    private func ended(_ client: Client, _ descriptor: Int32) {
        client.connection = nil
        table.events.remove(descriptor)
        table.remove(client)
        let hasUnread = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
            SocketCalls.peek(descriptor, $0) > 0
        }
        guard client.isDead || hasUnread else { return }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        table.linger(table.add(descriptor: copy, peer: client.peer, phase: .answering))
    }

    private func completed(_ connection: OpaquePointer?, _ reason: MHD_RequestTerminationCode) {
        guard let client = client(connection) else { return }
        let isCutShort =
            reason == .REQUEST_TERMINATED_CLIENT_ABORT || reason == .REQUEST_TERMINATED_READ_ERROR
        table.withLock {
            if client.phase == .body, !client.isDead, isCutShort {
                table.answerDirectly(client, table.rules.renderFault(.incompleteRequest))
            }
        }
    }

    // MARK: Requests

    private func handle(
        _ connection: OpaquePointer?, _ data: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
        _ memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let connection, let size, let client = client(connection), let head = client.head else { return .NO }
        if !client.wasSeenByHandler {
            client.wasSeenByHandler = true
            return .YES
        }
        if size.pointee > 0 {
            let piece = UnsafeRawBufferPointer(start: data, count: size.pointee)
            size.pointee = 0
            return receive(piece, from: client) ? .YES : .NO
        }
        let stored: HTTPResponse?? = table.withLock {
            if client.isDead || client.phase == .left { return .some(nil) }
            if let response = client.response { return response }
            client.phase = .answering
            return .none
        }
        switch stored {
        case .some(let response?): return queue(response, connection, of: client)
        case .some(nil): return .NO
        case .none: break
        }
        let body = client.body
        client.body = []
        let request = HTTPRequest(head: head, peer: client.peer, body: body, context: client.context)
        switch handler.answer(request) {
        case .response(let response): return queue(response, connection, of: client)
        case .deferred(let deferred): return suspend(client, connection, until: deferred)
        }
    }

    /// Takes a piece of the body; false when the connection is to be closed.
    private func receive(_ piece: UnsafeRawBufferPointer, from client: Client) -> Bool {
        client.bodyByteCount += piece.count
        var refusal: HTTPResponse?
        if client.bodyByteCount > client.bodyLimit {
            refusal = table.rules.renderFault(.bodyTooLarge)
        } else if let sink = client.sink {
            do {
                try sink(piece)
            } catch {
                refusal = error.response
            }
        } else {
            client.body.append(contentsOf: piece)
        }
        return table.withLock {
            if client.isDead { return false }
            if let refusal { table.answerDirectly(client, refusal) }
            return refusal == nil
        }
    }

    private func suspend(
        _ client: Client, _ connection: OpaquePointer, until deferred: HTTPDeferred
    ) -> MHD_Result {
        let isWaiting = table.withLock {
            guard !table.stops else { return false }
            client.phase = .waiting
            client.deferred = deferred
            MHD_suspend_connection(connection)
            // Without room in the set the client's leaving goes unnoticed, and the answer still comes.
            _ = table.events.add(client.key, .departure)
            return true
        }
        guard isWaiting else {
            deferred.clientLeft()
            return queue(table.rules.renderFault(.serverStopping), connection, of: client)
        }
        deferred.attach { [table] response in table.deliver(response, to: client) }
        return .YES
    }

    private func queue(
        _ response: HTTPResponse, _ connection: OpaquePointer, of client: Client
    ) -> MHD_Result {
        if case .file(let file) = response.body { client.file = file }
        guard let made = Self.make(response) else { return .NO }
        defer { MHD_destroy_response(made) }
        for (name, value) in response.headers.fields where ResponseWriter.isSafe(name) && ResponseWriter.isSafe(value) {
            // Refused by libmicrohttpd: a field that cannot be sent. The answer goes without it.
            _ = MHD_add_response_header(made, name, value)
        }
        // The front has seen the first request of this connection only.
        guard MHD_add_response_header(made, "Connection", "close") == .YES else { return .NO }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }

    private static func make(_ response: HTTPResponse) -> OpaquePointer? {
        switch response.body {
        case .empty:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .file(let file):
            // Closed by libmicrohttpd, also when it is not sent.
            let descriptor = file.take()
            guard descriptor >= 0 else { return nil }
            return MHD_create_response_from_fd_at_offset64(file.byteCount, descriptor, file.offset)
        }
    }
}
