import Foundation
import HTTPService
import Testing
import Transport

@Suite("Load", .serialized)
struct LoadTests {
    init() {
        // A thousand clients and their other ends live in this one process.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 8_192)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    @Test(
        "beside a thousand idle connections an honest client is served, below and at the connection limit",
        arguments: [2_000, 200])
    func idleConnections(limit: Int) throws {
        try withServer(change: { $0.connectionLimit = limit }) { server in
            let idle = try (0..<1_000).map { _ in try RawClient(server) }
            try idle[999].send("GET / HT")
            let start = ContinuousClock.now
            for _ in 0..<20 { #expect(try RawClient.ask(server, "GET / HTTP/1.1\r\n\r\n").status == 200) }
            #expect(.now - start < .seconds(5))
            if limit == 2_000 {
                try idle[0].send("GET / HTTP/1.1\r\n\r\n")
                #expect(try idle[0].answer().status == 200)
            } else {
                #expect(try idle[0].answer().status == 408)
            }
            try idle[999].send("TP/1.1\r\n\r\n")
            #expect(try idle[999].answer().status == 200)
        }
    }

    @Test("at the limit with clients that all wait, accepting pauses and goes on when one is answered")
    func pausesAccepting() throws {
        let deferred = [HTTPDeferred(), HTTPDeferred()]
        let handler = FunctionHandler { request in
            switch request.head.path {
            case "/0": .deferred(deferred[0])
            case "/1": .deferred(deferred[1])
            default: .response(.json(status: 200, []))
            }
        }
        try withServer(change: { $0.connectionLimit = 2 }, handler: handler) { server in
            let waiting = try (0..<2).map { index in
                let client = try RawClient(server)
                try client.send("GET /\(index) HTTP/1.1\r\n\r\n")
                return client
            }
            usleep(50_000)
            let late = try RawClient(server)
            try late.send("GET / HTTP/1.1\r\n\r\n")
            #expect(throws: TransportError.receiveTimedOut) { try late.receive(within: .milliseconds(200)) }
            #expect(deferred[0].complete(.json(status: 200, [])))
            #expect(try waiting[0].answer().status == 200)
            #expect(try late.answer(within: .seconds(5)).status == 200)
            #expect(deferred[1].complete(.json(status: 200, [])))
            #expect(try waiting[1].answer().status == 200)
        }
    }

    @Test("many clients at a time get their own answers")
    func parallel() throws {
        try withServer { server in
            let failures = LockedCount()
            let threads = (0..<8).map { worker in
                Thread {
                    for index in 0..<50 {
                        let path = "/\(worker)/\(index)"
                        let text = try? RawClient.ask(server, "GET \(path) HTTP/1.1\r\n\r\n").text
                        if text != "GET \(path) 0" { failures.add() }
                    }
                    failures.finish()
                }
            }
            for thread in threads { thread.start() }
            #expect(eventually(within: .seconds(30)) { failures.finished == 8 })
            #expect(failures.count == 0)
        }
    }
}

private final class LockedCount: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    private var ended = 0

    var count: Int { lock.withLock { value } }
    var finished: Int { lock.withLock { ended } }
    func add() { lock.withLock { value += 1 } }
    func finish() { lock.withLock { ended += 1 } }
}
