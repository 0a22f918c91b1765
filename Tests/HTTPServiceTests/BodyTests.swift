import Foundation
import HTTPService
import Synchronization
import Testing
import Transport

@Suite("Bodies, limits and deadlines")
struct BodyTests {
    /// Five gigabytes of nothing, with marks, on a disk that keeps holes.
    private func sparseFile() throws -> Int32 {
        let path = NSTemporaryDirectory() + "/healthmd-http-\(UUID().uuidString)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        #expect(descriptor >= 0)
        unlink(path)
        #expect(ftruncate(descriptor, off_t(5) << 30) == 0)
        for (offset, mark) in [
            (Int64(0), "first"), (1_000, "thousand"), (4 << 30, "four gigabytes"), ((5 << 30) - 4, "last"),
        ] {
            #expect(
                mark.utf8.withContiguousStorageIfAvailable {
                    pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
                } == mark.utf8.count)
        }
        return descriptor
    }

    private static let parts: [(offset: UInt64, count: UInt64, text: String)] = [
        (0, 5, "first"), (1_000, 8, "thousand"), (4 << 30, 14, "four gigabytes"), ((5 << 30) - 4, 4, "last"),
        (7, 0, ""),
    ]

    /// Which file a descriptor stands for: its number may be used again at once by another test.
    private func inode(_ descriptor: Int32) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    @Test("a part of a file is sent exactly, also past four gigabytes", arguments: parts)
    func fileParts(_ offset: UInt64, _ count: UInt64, _ expected: String) throws {
        let descriptor = try sparseFile()
        let file = inode(descriptor)
        let handler = FunctionHandler { _ in
            .response(
                HTTPResponse(
                    status: 200, headers: ["X-Custom": "a", "X-Bad": "a\r\nb: c"],
                    body: .file(HTTPFileBody(descriptor: descriptor, offset: offset, byteCount: count))))
        }
        try withServer(handler: handler) { server in
            let answer = try RawClient.ask(server, "GET / HTTP/1.1\r\n\r\n")
            #expect(answer.text == expected && answer.headers["content-length"] == "\(count)")
            #expect(answer.headers["x-custom"] == "a" && answer.headers["x-bad"] == nil && answer.headers["b"] == nil)
        }
        #expect(inode(descriptor) != file)
    }

    @Test("a large file arrives complete")
    func largeFile() throws {
        let descriptor = try sparseFile()
        let count = 48 << 20
        let handler = FunctionHandler { _ in
            .response(
                HTTPResponse(
                    status: 200,
                    body: .file(HTTPFileBody(descriptor: descriptor, offset: 0, byteCount: UInt64(count)))))
        }
        try withServer(handler: handler) { server in
            let client = try RawClient(server)
            try client.send("GET / HTTP/1.1\r\n\r\n")
            var received = 0
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let piece = try client.connection.receive(into: buffer, until: .now + .seconds(10))
                if piece == 0 { break }
                received += piece
            }
            #expect(received > count && received < count + 1_000)
        }
    }

    @Test("the descriptor of an answer that nobody can get is closed")
    func unsentFile() throws {
        let descriptor = try sparseFile()
        let file = inode(descriptor)
        var body: HTTPFileBody? = HTTPFileBody(descriptor: descriptor, offset: 0, byteCount: 1)
        #expect(body?.byteCount == 1)
        body = nil
        #expect(inode(descriptor) != file)
    }

    @Test("a body passes through a sink in order, and a limit of its own holds", arguments: [false, true])
    func streaming(tooLarge: Bool) throws {
        let limit = 600_000
        let count = tooLarge ? limit + 1 : limit
        let received = Mutex((count: 0, isInOrder: true))
        let handler = FunctionHandler(
            onAdmit: { _, _ in
                .stream(limit: limit, context: "context") { piece in
                    received.withLock { state in
                        for byte in piece {
                            if byte != UInt8(truncatingIfNeeded: state.count) { state.isInOrder = false }
                            state.count += 1
                        }
                    }
                }
            },
            onAnswer: { request in
                #expect(request.body.isEmpty && request.context as? String == "context")
                return .response(.json(status: 200, []))
            })
        var rules = HTTPRules()
        rules.maximumBodyByteCount = 1 << 20
        rules.takesChunkedBodies = true
        rules.requiredMediaType = nil
        try withServer(rules: rules, handler: handler) { server in
            let client = try RawClient(server)
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            // Chunked, so that the limit is met while reading.
            try client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n")
            // A refused client may be cut off while it sends.
            try? client.send(bytes)
            if !tooLarge { try client.send("\r\n0\r\n\r\n") }
            let answer = try client.answer()
            #expect(answer.status == (tooLarge ? 413 : 200))
            #expect(received.withLock { $0.isInOrder && $0.count <= limit })
            if !tooLarge { #expect(received.withLock { $0.count } == limit) }
        }
    }

    @Test("a sink refuses with an answer of its own")
    func sinkRefuses() throws {
        let handler = FunctionHandler(
            onAdmit: { _, _ in
                .stream(limit: 100_000) { _ throws(HTTPRefusal) in
                    throw HTTPRefusal(.controlError(status: 507, code: "full"))
                }
            }, onAnswer: { _ in .response(.json(status: 200, [])) })
        try withServer(handler: handler) { server in
            let answer = try RawClient.ask(server, FramingTests.body(50_000))
            #expect(answer.status == 507 && answer.code == "full")
        }
    }

    @Test("an admission refuses before the body, or sets a lower limit")
    func admission() throws {
        let handler = FunctionHandler(
            onAdmit: { head, peer in
                #expect(peer.address.isLoopback)
                return head.path == "/no"
                    ? .refuse(.controlError(status: 401, code: "unauthorized", message: "Say \"please\"\n."))
                    : .collect(limit: 10)
            },
            onAnswer: { .response(.json(status: 200, $0.body)) })
        try withServer(handler: handler) { server in
            let json = "Content-Type: application/json\r\n"
            let refused = try RawClient.ask(server, "POST /no HTTP/1.1\r\n\(json)Content-Length: 9\r\n\r\n")
            #expect(refused.status == 401 && refused.code == "unauthorized")
            #expect(refused.text.contains("\"message\" : \"Say \\\"please\\\"\\u000a.\""))
            let head = try RawClient.ask(server, "HEAD /no HTTP/1.1\r\n\r\n")
            #expect(head.status == 401 && head.body.isEmpty)
            #expect(
                try RawClient.ask(server, "POST /a HTTP/1.1\r\n\(json)Content-Length: 10\r\n\r\n0123456789").text
                    == "0123456789")
            #expect(try RawClient.ask(server, "POST /a HTTP/1.1\r\n\(json)Content-Length: 11\r\n\r\n").status == 413)
        }
    }

    @Test("a client that goes on sending after 413 still gets the answer")
    func lingering() throws {
        try withServer { server in
            for _ in 0..<20 {
                let client = try RawClient(server)
                try client.send("POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n")
                for _ in 0..<9 { try client.send([UInt8](repeating: 0, count: 100_000)) }
                let answer = try client.answer()
                #expect(answer.status == 413 && answer.code == "request_body_too_large")
            }
        }
    }

    @Test(
        "a request that is not complete in time gets 408, whether head or body is late or drips",
        arguments: [
            "", "GET / HTTP/1.1\r\nHost:",
            "POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        ])
    func deadline(_ text: String) throws {
        var rules = HTTPRules()
        rules.receiveLimit = .total(.milliseconds(300))
        try withServer(rules: rules) { server in
            let client = try RawClient(server)
            try client.send(text)
            let dripping = Thread {
                // A byte now and then must not extend the time; the last ones meet a closed connection.
                for _ in 0..<4 {
                    usleep(80_000)
                    try? client.send("x")
                }
            }
            if !text.isEmpty { dripping.start() }
            let start = ContinuousClock.now
            let answer = try client.answer()
            #expect(answer.status == 408 && answer.code == "request_timeout")
            #expect((.milliseconds(250)..<(.seconds(5))).contains(.now - start))
        }
    }

    @Test("the time to receive does not count while an answer is made or waited for")
    func deadlineEnds() throws {
        var rules = HTTPRules()
        rules.receiveLimit = .total(.milliseconds(200))
        let handler = FunctionHandler { _ in
            let deferred = HTTPDeferred()
            Thread {
                usleep(600_000)
                deferred.complete(.json(status: 200, []))
            }.start()
            return .deferred(deferred)
        }
        try withServer(rules: rules, handler: handler) { (server) throws in
            #expect(try RawClient.ask(server, "GET / HTTP/1.1\r\n\r\n").status == 200)
        }
    }

    @Test("other rules: chunked bodies, repeated names, any type, idle limit, another error body")
    func otherRules() throws {
        var rules = HTTPRules()
        rules.takesChunkedBodies = true
        rules.refusesRepeatedNames = false
        rules.methodsWithBody = []
        rules.methodsWithoutBody = []
        rules.requiredMediaType = nil
        rules.receiveLimit = .idle(.seconds(1))
        rules.renderFault = {
            .json(status: $0.status, Array("{\"error\":\"\($0.message)\",\"code\":\"\($0.code)\"}".utf8))
        }
        try withServer(rules: rules) { server in
            let chunked =
                "PUT /c HTTP/1.1\r\nTransfer-Encoding: Chunked\r\nX-A: 1\r\nX-A: 2\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
            #expect(try RawClient.ask(server, chunked).text == "PUT /c 5")
            #expect(try RawClient.ask(server, "POST /c HTTP/1.1\r\n\r\n").text == "POST /c 0")
            for bad in ["gzip", "chunked, gzip", "gzip, chunked", "chunked ", "xchunked"] {
                let answer = try RawClient.ask(server, "PUT / HTTP/1.1\r\nTransfer-Encoding: \(bad)\r\n\r\n0\r\n\r\n")
                #expect(answer.status == 400)
                #expect(
                    answer.text
                        == "{\"error\":\"\(HTTPFault.transferEncodingNotSupported.message)\",\"code\":\"transfer_encoding_not_supported\"}"
                )
            }
            for pair in [
                "Content-Length: 2\r\nTransfer-Encoding: chunked", "Host: a\r\nHost: a",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            ] {
                #expect(try RawClient.ask(server, "PUT / HTTP/1.1\r\n\(pair)\r\n\r\n").status == 400)
            }
            let silent = try RawClient(server)
            try silent.send("PUT /c HTTP/1.1\r\nContent-Length: 5\r\n\r\nab")
            #expect((try? silent.receive(within: .seconds(8))) == [])
        }
    }
}
