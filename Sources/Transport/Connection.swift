import Glibc
import Synchronization

/// A TCP connection that threads block on, each up to a deadline.
///
/// One thread receives, any thread sends (a send is never mixed with another one's), any thread ends it: ``abort()``
/// wakes all who wait. The descriptor is closed when the last reference goes.
public final class Connection: Sendable {
    /// Keepalive: idle seconds before the first probe (secure-transport.md 3).
    static let keepaliveIdleSeconds: Int32 = 10
    /// Keepalive: seconds between probes.
    static let keepaliveIntervalSeconds: Int32 = 5
    /// Keepalive: probes without an answer until the connection counts as broken.
    static let keepaliveProbes: Int32 = 3
    /// Pieces that one system call takes.
    private static let maximumGatheredPieces = 64

    /// The other side.
    public let peer: SocketAddress
    /// This side.
    public let local: SocketAddress
    private let socket: Socket
    private let isAborted = Atomic(false)
    private let sendLock = Mutex(())

    /// Takes over a connected socket.
    init(_ socket: Socket, peer: SocketAddress) throws(TransportError) {
        self.socket = socket
        self.peer = peer
        local = try socket.localAddress()
        try socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try socket.set(SOL_SOCKET, SO_KEEPALIVE, 1)
        try socket.set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, Self.keepaliveIdleSeconds)
        try socket.set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, Self.keepaliveIntervalSeconds)
        try socket.set(Int32(IPPROTO_TCP), TCP_KEEPCNT, Self.keepaliveProbes)
    }

    // MARK: Receiving

    /// Waits for bytes and takes what is there, at most what fits.
    ///
    /// - Returns: the number of bytes; 0 when the peer has finished sending.
    /// - Throws: `receive_timeout`, `connection_reset`, `connection_closed`.
    public func receive(
        into buffer: UnsafeMutableRawBufferPointer, until deadline: Deadline?
    ) throws(TransportError) -> Int {
        precondition(buffer.count > 0, "an empty buffer cannot tell the end of the stream")
        while true {
            try requireOpen()
            let count = recv(socket.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return count }
            if count == 0 {
                // Our own abort looks like an end of the stream.
                try requireOpen()
                return 0
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: try wait(for: POLLIN, until: deadline, timedOut: .receiveTimedOut)
            case let number: throw afterAbort(TransportError(number, "recv"))
            }
        }
    }

    /// Fills the buffer.
    ///
    /// - Throws: `end_of_stream` when the peer finishes before.
    public func receiveExactly(
        into buffer: UnsafeMutableRawBufferPointer, until deadline: Deadline?
    ) throws(TransportError) {
        var received = 0
        while received < buffer.count {
            let count = try receive(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[received...]), until: deadline)
            guard count > 0 else { throw .endOfStream(expected: buffer.count, received: received) }
            received += count
        }
    }

    // MARK: Sending

    /// Sends all pieces, in order, gathered into few system calls.
    ///
    /// After an error some bytes may have gone: the stream is not usable any more.
    ///
    /// - Parameter stall: the longest time without the peer taking a byte.
    /// - Throws: `send_timeout`, `connection_reset`, `connection_closed`.
    public func send(_ pieces: [UnsafeRawBufferPointer], stall: Duration) throws(TransportError) {
        try sendLock.withLock { _ throws(TransportError) in
            var remaining = pieces.filter { !$0.isEmpty }[...]
            var skipped = 0
            while let first = remaining.first {
                let vectors = remaining.prefix(Self.maximumGatheredPieces).enumerated().map { index, piece in
                    let start = index == 0 ? skipped : 0
                    return iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress?.advanced(by: start)),
                        iov_len: piece.count - start)
                }
                var sent = try sendOnce(vectors, until: .now + stall)
                var piece = first
                while sent > 0 {
                    let rest = piece.count - skipped
                    if sent < rest {
                        skipped += sent
                        break
                    }
                    sent -= rest
                    skipped = 0
                    remaining = remaining.dropFirst()
                    guard let next = remaining.first else { break }
                    piece = next
                }
            }
        }
    }

    /// Sends bytes.
    public func send(_ bytes: [UInt8], stall: Duration) throws(TransportError) {
        let result: Result<Void, TransportError> = bytes.withUnsafeBytes { piece in
            Result { () throws(TransportError) in try self.send([piece], stall: stall) }
        }
        try result.get()
    }

    private func sendOnce(_ vectors: [iovec], until deadline: Deadline) throws(TransportError) -> Int {
        var vectors = vectors
        while true {
            try requireOpen()
            let count = vectors.withUnsafeMutableBufferPointer { buffer in
                var message = msghdr()
                message.msg_iov = buffer.baseAddress
                message.msg_iovlen = buffer.count
                // MSG_NOSIGNAL: a peer that has gone is an error here, not a signal to the process.
                return sendmsg(
                    socket.descriptor, &message, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: try wait(for: POLLOUT, until: deadline, timedOut: .sendTimedOut)
            case let number: throw afterAbort(TransportError(number, "sendmsg"))
            }
        }
    }

    // MARK: Ending

    /// Tells the peer that nothing more will be sent; receiving goes on.
    public func finishSending() {
        // Fails only when the connection is broken, and then the peer knows.
        _ = shutdown(socket.descriptor, Int32(SHUT_WR))
    }

    /// Ends in order: finishes sending, then drops what still arrives until the peer ends too, so that the last
    /// bytes sent are not lost to a reset. Blocks for at most the given time.
    public func finish(dropping byteLimit: Int = 1 << 20, within time: Duration = .seconds(1)) {
        finishSending()
        let deadline = Deadline.now + time
        var dropped = 0
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { buffer in
            while dropped < byteLimit {
                // Whatever ends the wait, the connection is given up next.
                guard let count = try? receive(into: buffer, until: deadline), count > 0 else { break }
                dropped += count
            }
        }
        abort()
    }

    /// Ends at once, from any thread. Waiting calls throw `connection_closed`; unsent bytes are dropped.
    public func abort() {
        guard !isAborted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        // Without effect on a connection that is broken already.
        _ = setsockopt(socket.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        _ = shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    // MARK: Helpers

    private func wait(
        for event: Int32, until deadline: Deadline?, timedOut: TransportError
    ) throws(TransportError) {
        var entries = [pollfd(fd: socket.descriptor, events: Int16(event), revents: 0)]
        guard try Poll.wait(&entries, until: deadline) else { throw timedOut }
    }

    private func requireOpen() throws(TransportError) {
        if isAborted.load(ordering: .acquiring) { throw .closed }
    }

    private func afterAbort(_ error: TransportError) -> TransportError {
        isAborted.load(ordering: .acquiring) ? .closed : error
    }
}
