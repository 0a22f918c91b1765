import Synchronization

/// An answer that comes later, exactly once, from any thread. Costs no thread while it waits.
public final class HTTPDeferred: Sendable {
    private enum State {
        /// The handler has not returned yet.
        case new
        /// The client waits.
        case waiting(deliver: @Sendable (HTTPResponse) -> Bool)
        /// Completed before the client could wait.
        case completedEarly(HTTPResponse)
        /// Answered, or refused.
        case done
        /// The client went away first.
        case left
    }

    private struct Guarded {
        var state = State.new
        var onClientLeft: (@Sendable () -> Void)?
    }

    private let guarded = Mutex(Guarded())

    /// A waiting answer, to be returned from ``HTTPHandler/answer(_:)``.
    public init() {}

    /// Answers.
    ///
    /// - Returns: false when it was answered before, or when the client has gone: then nothing was sent.
    @discardableResult
    public func complete(_ response: HTTPResponse) -> Bool {
        let deliver: (@Sendable (HTTPResponse) -> Bool)? = guarded.withLock { guarded in
            switch guarded.state {
            case .new:
                guarded.state = .completedEarly(response)
                guarded.onClientLeft = nil
                return { _ in true }
            case .waiting(let deliver):
                guarded.state = .done
                return deliver
            case .completedEarly, .done, .left:
                return nil
            }
        }
        guard let deliver else { return false }
        let isDelivered = deliver(response)
        // The client may have left in this very moment; then its waiter hears of that here, and only here.
        let left = guarded.withLock { guarded in
            if !isDelivered { guarded.state = .left }
            defer { guarded.onClientLeft = nil }
            return isDelivered ? nil : guarded.onClientLeft
        }
        left?()
        return isDelivered
    }

    /// What to do when the client goes away while it waits: called at most once, on a thread of the server, or right here when it
    /// has gone already. Never called after ``complete(_:)`` returned true.
    public func onClientLeft(_ body: @escaping @Sendable () -> Void) {
        let hasLeft = guarded.withLock { guarded in
            if case .left = guarded.state { return true }
            guarded.onClientLeft = body
            return false
        }
        if hasLeft { body() }
    }

    /// Whether the client has gone.
    public var clientHasLeft: Bool {
        guarded.withLock { guarded in
            if case .left = guarded.state { true } else { false }
        }
    }

    // MARK: The server's side

    /// Connects the waiting client.
    func attach(_ deliver: @escaping @Sendable (HTTPResponse) -> Bool) {
        let early: HTTPResponse? = guarded.withLock { guarded in
            switch guarded.state {
            case .new:
                guarded.state = .waiting(deliver: deliver)
                return nil
            case .completedEarly(let response):
                guarded.state = .done
                return response
            case .waiting, .done, .left:
                return nil
            }
        }
        if let early { _ = deliver(early) }
    }

    /// The client went away.
    func clientLeft() {
        let body: (@Sendable () -> Void)? = guarded.withLock { guarded in
            switch guarded.state {
            case .new, .waiting, .completedEarly:
                guarded.state = .left
                defer { guarded.onClientLeft = nil }
                return guarded.onClientLeft
            case .done, .left:
                return nil
            }
        }
        body?()
    }
}
