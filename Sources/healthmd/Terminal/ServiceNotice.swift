import Foundation
import Transport

/// Tells the service manager, if one started this process, that a service is ready, lives, and ends.
final class ServiceNotice: Sendable {
    private let manager: ServiceManager?
    private let stopped = WakeSignal()

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        manager = ServiceManager(environment: environment)
    }

    /// The service listens. From here on the watchdog is fed, if there is one.
    ///
    /// - Parameter proof: returns when the service did a small piece of its own work. When it hangs, nothing is told
    ///   and the manager starts the service again. Nil for a service that has no such work: it must not ask for a
    ///   watchdog.
    func ready(proof: (@Sendable () -> Void)? = nil) {
        guard let manager else { return }
        manager.tell(.ready)
        guard let interval = manager.watchdogInterval, let proof else { return }
        let thread = Thread { [stopped] in
            // Twice in each interval, as the protocol advises.
            while !stopped.wait(for: interval / 2) {
                proof()
                manager.tell(.alive)
            }
        }
        thread.name = "watchdog"
        thread.start()
    }

    /// The service was told to end.
    func stopping() {
        stopped.set()
        manager?.tell(.stopping)
    }
}

/// A flag that a thread can wait for, with a limit.
private final class WakeSignal: @unchecked Sendable {
    // Unchecked: the flag is only touched under the condition's lock.
    private let condition = NSCondition()
    private var isSet = false

    func set() {
        condition.lock()
        isSet = true
        condition.broadcast()
        condition.unlock()
    }

    /// - Returns: whether it was set before the time was over.
    func wait(for duration: Duration) -> Bool {
        let seconds =
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1_000_000_000_000_000_000
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isSet {
            if !condition.wait(until: deadline) { return isSet }
        }
        return true
    }
}
