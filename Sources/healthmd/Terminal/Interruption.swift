import Dispatch
import Foundation
import Synchronization

/// SIGINT and SIGTERM as a value that commands look at: nothing is cancelled, the job lives on (cli.md 6).
///
/// Unchecked because dispatch sources are not marked sendable; they are set once, before anybody else can see them.
final class Interruption: @unchecked Sendable {
    private let received = Atomic<Int32>(0)
    private let waiters = Mutex<[@Sendable () -> Void]>([])
    private var sources: [any DispatchSourceSignal] = []

    /// The first signal that arrived, or nil.
    var signal: Int32? {
        let value = received.load(ordering: .acquiring)
        return value == 0 ? nil : value
    }

    var exitStatus: ExitCode { signal == SIGTERM ? .terminated : .interrupted }

    /// Takes both signals over from the default action. When it returns, neither can be lost any more.
    static func watch() -> Interruption {
        let interruption = Interruption()
        let registered = DispatchSemaphore(value: 0)
        for number in [SIGINT, SIGTERM] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { interruption.receive(number) }
            source.setRegistrationHandler { registered.signal() }
            source.resume()
            interruption.sources.append(source)
        }
        // Dispatch installs its handlers on a thread of its own. Ignoring the signals until then would lose one for good: a
        // service that was told to stop while it started would run on.
        for _ in interruption.sources { registered.wait() }
        return interruption
    }

    /// Calls a closure once when a signal arrives (at once if one has).
    func onSignal(_ action: @escaping @Sendable () -> Void) {
        // Checked under the lock that `receive` takes after it has noted the signal: no signal falls in between.
        let isLate = waiters.withLock { actions in
            if signal != nil { return true }
            actions.append(action)
            return false
        }
        if isLate { action() }
    }

    /// Blocks until a signal arrives.
    func wait() {
        let arrived = DispatchSemaphore(value: 0)
        onSignal { arrived.signal() }
        arrived.wait()
    }

    private func receive(_ number: Int32) {
        _ = received.compareExchange(expected: 0, desired: number, ordering: .acquiringAndReleasing)
        let actions = waiters.withLock { actions in
            defer { actions = [] }
            return actions
        }
        for action in actions { action() }
    }
}
