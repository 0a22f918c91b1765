import CanonicalJSON
import Foundation
import Testing
import Transport

@testable import Receiver

/// An answer as it came over the wire.
struct WireAnswer {
    let status: Int
    /// By lower-case name.
    let headers: [String: String]
    let body: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { return nil }
        self.status = status
        headers = Dictionary(
            uniqueKeysWithValues: lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
            })
        body = Array(bytes[end.upperBound...])
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    var json: JSONValue? {
        // Whatever is no JSON has no members to look for.
        try? JSONParser.parse(body)
    }

    var error: String? { json?["error"]?.string }
}

/// A control API over a fake receiver, on free ports.
final class ControlRig {
    static let token = String(repeating: "t0ken-Abc_", count: 5)

    let receiver = FakeReceiver()
    let api: ControlAPI
    let endpoint: ControlAPI.Endpoint

    init(requiresToken: Bool = true) throws {
        api = ControlAPI(
            configuration: .init(port: 0, token: Self.token, requiresToken: requiresToken), control: receiver)
        endpoint = try api.start()
    }

    deinit { api.stop() }

    func dial(host: String = "127.0.0.1") throws -> Connection {
        try Dialler.dial(host: host, port: endpoint.port, timeout: .seconds(5))
    }

    /// Everything until the server ends.
    static func receive(_ connection: Connection) throws -> WireAnswer {
        let deadline = Deadline.now + .seconds(10)
        var all: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1_024, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try connection.receive(into: buffer, until: deadline)
            if count == 0 { break }
            all += buffer[..<count]
        }
        return try #require(WireAnswer(all))
    }

    /// Sends bytes exactly, takes the answer.
    func raw(_ text: String, host: String = "127.0.0.1") throws -> WireAnswer {
        let connection = try dial(host: host)
        try connection.send(Array(text.utf8), stall: .seconds(5))
        return try Self.receive(connection)
    }

    static func text(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = ControlRig.token,
        headers: [String] = []
    ) -> String {
        var lines = ["\(method) \(path) HTTP/1.1"] + headers
        if let token { lines.append("Authorization: Bearer \(token)") }
        if let body {
            lines.append("Content-Type: application/json")
            lines.append("Content-Length: \(body.utf8.count)")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// One request, one answer.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = ControlRig.token,
        headers: [String] = []
    ) throws -> WireAnswer {
        try raw(Self.text(method, path, body, token: token, headers: headers))
    }
}

extension JSONValue {
    /// The document as the routes write it: two documents are the same when these texts are.
    var controlText: String { String(decoding: JSONWriter.encode(self, style: .control), as: UTF8.self) }
}

/// Waits for something that another thread brings about.
func happens(within time: Duration = .seconds(5), _ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + time
    while ContinuousClock.now < deadline {
        if condition() { return true }
        usleep(2_000)
    }
    return condition()
}
