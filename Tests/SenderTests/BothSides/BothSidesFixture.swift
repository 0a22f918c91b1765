import CanonicalJSON
import ConnectedProtocol
import DurableStore
import Foundation
import Receiver
import TestSupport
import Transport

@testable import Sender

/// A receiver and a phone in one process, over loopback, each in its own temporary folder.
final class BothSidesFixture {
    let workstation: TemporaryFolder
    let destination: TemporaryFolder
    let phone: TemporaryFolder
    let daemon: ReceiverDaemon
    let library = FakeLibrary()
    private var running: RunningPhone?
    /// Whether the service's own connection stood; the pairing's may still be closing.
    private let isServing = Flag()

    init() throws {
        workstation = try TemporaryFolder()
        destination = try TemporaryFolder()
        phone = try TemporaryFolder()
        daemon = try ReceiverDaemon(
            .init(
                dataDirectory: workstation.path, peerPort: 0, peerAddresses: [.loopbackIPv4],
                destination: destination.path, deviceName: "Desk", version: "test"))
    }

    deinit {
        running?.stop()
        daemon.stop()
    }

    func openStore() throws -> PhoneStore {
        try PhoneStore(folder: try Directory.openRoot(phone.path).createDirectory("phone"))
    }

    /// Pairs with the code that the receiver shows.
    func pair() throws {
        let opened = try daemon.control.openPairing(.strong, timeoutSeconds: nil)
        try pair(code: opened.code)
    }

    /// Opens a pairing as soon as the one before is closed: its last hello may still be on the way.
    func openNextPairing() throws {
        for _ in 0..<100 {
            do {
                _ = try daemon.control.openPairing(.strong, timeoutSeconds: nil)
                return
            } catch {
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        _ = try daemon.control.openPairing(.strong, timeoutSeconds: nil)
    }

    func pair(code: String) throws {
        let store = try openStore()
        let clock = SystemClock()
        let identity = try store.installationID(now: clock.now().date)
        let configuration = SenderEngine.Configuration(installationID: identity, deviceName: "NAS")
        _ = try Pairing(
            installationID: identity, hello: OwnHello(configuration.capabilities), store: store, clock: clock
        ).run(host: "127.0.0.1", port: daemon.peerPort, code: code)
    }

    /// Starts the phone's service.
    func serve(report: @escaping @Sendable (SenderEvent) -> Void = { _ in }) throws {
        let isServing = isServing
        running = try RunningPhone(store: try openStore(), library: library) { event in
            if case .connected = event { isServing.set() }
            report(event)
        }
    }

    func stopServing() {
        running?.stop()
        running = nil
    }

    /// Runs an export on the receiver and waits for its answer.
    func export(_ request: JobRequest) throws -> ControlAnswer { try begin(request)() }

    /// Begins an export on the receiver; the result waits for its answer.
    func begin(_ request: JobRequest) throws -> () throws -> ControlAnswer {
        let box = Box<ControlAnswer>()
        let done = DispatchSemaphore(value: 0)
        let submission = daemon.control.createExport(request) { answer in
            box.value = answer
            done.signal()
        }
        if case .answered(let answer) = submission { return { answer } }
        return {
            struct NoAnswer: Error {}
            _ = done.wait(timeout: .now() + 60)
            guard let answer = box.value else { throw NoAnswer() }
            return answer
        }
    }

    /// Waits until the receiver sees the phone.
    func waitUntilConnected() throws {
        try wait { isServing.isSet && daemon.control.status().phones.contains(where: \.isConnected) }
    }
}

/// Waits until something holds; throws after half a minute.
func wait(until holds: () throws -> Bool) throws {
    struct TookTooLong: Error {}
    let end = Date(timeIntervalSinceNow: 30)
    while try !holds() {
        guard Date() < end else { throw TookTooLong() }
        Thread.sleep(forTimeInterval: 0.02)
    }
}

/// A phone's service on its own thread.
private final class RunningPhone {
    private let token = StopToken()
    private let done = DispatchSemaphore(value: 0)

    init(
        store: PhoneStore, library: FakeLibrary, report: @escaping @Sendable (SenderEvent) -> Void
    ) throws {
        let identity = try store.installationID(now: SystemClock().now().date)
        let box = Box<Int>()
        let thread = Thread { [token, done] in
            do {
                let service = try PhoneService(
                    store: store, library: library,
                    configuration: .init(installationID: identity, deviceName: "NAS"), report: report)
                try service.run(token)
            } catch {
                box.value = 1
            }
            done.signal()
        }
        thread.stackSize = 4 << 20
        thread.start()
    }

    func stop() {
        token.stop()
        done.wait()
    }
}
