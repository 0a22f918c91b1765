import Foundation
import TestSupport
import Testing

@testable import Transport

@Suite("Service manager")
struct ServiceManagerTests {
    @Test("each state is one datagram", arguments: [false, true])
    func datagrams(isAbstract: Bool) throws {
        let manager = try FakeServiceManager(isAbstract: isAbstract)
        let service = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": manager.name]))
        #expect(service.tell(.ready) && service.tell(.alive) && service.tell(.stopping))
        #expect((0..<3).map { _ in manager.receive() } == ["READY=1", "WATCHDOG=1", "STOPPING=1"])
        #expect(service.watchdogInterval == nil)
    }

    @Test("without a socket, or with a name that is none, nobody is told", arguments: ["", "/", "@", "relative/name"])
    func nobody(name: String) {
        #expect(isNobody(ServiceManager(environment: [:])))
        #expect(isNobody(ServiceManager(environment: ["NOTIFY_SOCKET": name])))
    }

    @Test("a name that fits no socket address is refused")
    func longName() {
        let name = "/" + String(repeating: "n", count: 107)
        #expect(isNobody(ServiceManager(environment: ["NOTIFY_SOCKET": name])))
        #expect(!isNobody(ServiceManager(environment: ["NOTIFY_SOCKET": String(name.dropLast())])))
    }

    @Test("a manager that is gone does no harm")
    func gone() throws {
        let service = try #require(
            ServiceManager(environment: ["NOTIFY_SOCKET": "@healthmd-test-\(UUID().uuidString)"]))
        #expect(!service.tell(.ready))
    }

    @Test("the watchdog's interval counts only for the process that it is meant for")
    func watchdog() throws {
        func interval(_ environment: [String: String]) -> Duration? {
            ServiceManager(environment: environment.merging(["NOTIFY_SOCKET": "@n"]) { $1 })?.watchdogInterval
        }
        #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]) == .seconds(30))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "soon"]) == nil)
    }
}

private func isNobody(_ manager: ServiceManager?) -> Bool { manager == nil }
