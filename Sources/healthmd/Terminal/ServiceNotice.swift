import Dispatch
import Foundation
import Transport

/// Tells the service manager, if one started this process, that a service is ready, lives, and ends.
final class ServiceNotice: Sendable {
    private let manager: ServiceManager?
    private let stopped = DispatchSemaphore(value: 0)

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
            while stopped.wait(timeout: .now() + .microseconds(Int((interval / 2) / .microseconds(1)))) == .timedOut {
                proof()
                manager.tell(.alive)
            }
        }
        thread.name = "watchdog"
        thread.start()
    }

    /// The service was told to end.
    func stopping() {
        stopped.signal()
        manager?.tell(.stopping)
    }
}
