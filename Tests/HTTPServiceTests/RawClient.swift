import Foundation
import HTTPService
import Testing
import Transport

/// An answer as it came over the wire.
struct RawAnswer {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]
    let all: [UInt8]

    init?(_ bytes: [UInt8]) {
        all = bytes
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), text.hasPrefix("HTTP/1.1 ") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        guard let status = Int(lines[0].split(separator: " ")[1]) else { return nil }
        self.status = status
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        self.headers = headers
        body = Array(bytes[text[..<end.upperBound].utf8.count...])
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The code of an error body; nil for others.
    var code: String? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else { return nil }
        return object["error"] as? String
    }
}

/// A client that sends bytes exactly.
struct RawClient {
    let connection: Connection

    init(_ server: HTTPServer, host: String = "127.0.0.1") throws {
        connection = try Dialler.dial(host: host, port: server.port, timeout: .seconds(5))
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        try connection.send(bytes, stall: .seconds(5))
    }

    /// Everything until the server ends.
    func receive(within time: Duration = .seconds(15)) throws -> [UInt8] {
        let deadline = Deadline.now + time
        var all: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try connection.receive(into: buffer, until: deadline)
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }

    func answer(within time: Duration = .seconds(15)) throws -> RawAnswer {
        try #require(RawAnswer(try receive(within: time)))
    }

    /// One request, one answer.
    static func ask(_ server: HTTPServer, _ text: String) throws -> RawAnswer {
        let client = try RawClient(server)
        try client.send(text)
        return try client.answer()
    }
}

/// Stops the server of one test at its end.
func withServer(
    rules: HTTPRules = HTTPRules(), change: (inout HTTPServerConfiguration) -> Void = { _ in },
    handler: any HTTPHandler = EchoHandler(), _ body: (HTTPServer) throws -> Void
) throws {
    var configuration = HTTPServerConfiguration(port: 0, rules: rules)
    change(&configuration)
    let server = try HTTPServer(configuration: configuration, handler: handler)
    defer { server.stop() }
    try body(server)
}

/// Answers with what it understood.
struct EchoHandler: HTTPHandler {
    func answer(_ request: HTTPRequest) -> HTTPReply {
        let query = request.head.query.map { "?\($0)" } ?? ""
        let text = "\(request.head.method) \(request.head.path)\(query) \(request.body.count)"
        return .response(.json(status: 200, Array(text.utf8)))
    }
}

/// Answers with a function.
struct FunctionHandler: HTTPHandler {
    var onAdmit: @Sendable (HTTPRequestHead, SocketAddress) -> HTTPAdmission = { _, _ in .collect() }
    let onAnswer: @Sendable (HTTPRequest) -> HTTPReply

    func admit(_ head: HTTPRequestHead, from peer: SocketAddress) -> HTTPAdmission { onAdmit(head, peer) }
    func answer(_ request: HTTPRequest) -> HTTPReply { onAnswer(request) }
}

/// Waits for something that another thread brings about.
func eventually(within time: Duration = .seconds(10), _ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + time
    while ContinuousClock.now < deadline {
        if condition() { return true }
        usleep(2_000)
    }
    return condition()
}
