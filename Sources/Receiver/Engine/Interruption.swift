import Synchronization

/// A flag that one thread raises and another looks at.
final class Interruption: Sendable {
    private let flag = Atomic(false)

    /// Asks the work to stop.
    func raise() { flag.store(true, ordering: .releasing) }

    /// Forgets an earlier wish.
    func clear() { flag.store(false, ordering: .releasing) }

    /// Whether the work should stop.
    var isRaised: Bool { flag.load(ordering: .acquiring) }

    /// Throws `interrupted` when it should.
    func check() throws(ReceiverError) {
        if isRaised { throw .interrupted }
    }
}
