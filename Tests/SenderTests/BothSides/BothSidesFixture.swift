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
    func serve() throws {
        running = try RunningPhone(store: try openStore(), library: library)
    }

    func stopServing() {
        running?.stop()
        running = nil
    }

    /// Runs an export on the receiver and waits for its answer.
    func export(_ request: JobRequest) throws -> ControlAnswer {
        let box = Box<ControlAnswer>()
        let done = DispatchSemaphore(value: 0)
        switch daemon.control.createExport(
            request,
            waiter: { answer in
                box.value = answer
                done.signal()
            })
        {
        case .answered(let answer): return answer
        case .waiting: _ = done.wait(timeout: .now() + 60)
        }
        struct NoAnswer: Error {}
        guard let answer = box.value else { throw NoAnswer() }
        return answer
    }

    /// Waits until the receiver sees the phone.
    func waitUntilConnected() throws {
        struct NotConnected: Error {}
        for _ in 0..<200 {
            if daemon.control.status().phones.contains(where: \.isConnected) { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw NotConnected()
    }
}

/// A phone's service on its own thread.
private final class RunningPhone {
    private let token = StopToken()
    private let done = DispatchSemaphore(value: 0)

    init(store: PhoneStore, library: FakeLibrary) throws {
        let identity = try store.installationID(now: SystemClock().now().date)
        let box = Box<Int>()
        let thread = Thread { [token, done] in
            do {
                let service = try PhoneService(
                    store: store, library: library,
                    configuration: .init(installationID: identity, deviceName: "NAS"), report: { _ in })
                service.run(token)
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
