import Foundation
import HTTPService
import Testing

/// The framing table of control-api.md 2 and platform-notes.md, over a real connection.
@Suite("Framing")
struct FramingTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let status: Int
        let code: String?
        /// Whether the client finishes sending right after.
        let ends: Bool

        init(_ name: String, _ text: String, _ status: Int, _ code: String? = nil, ends: Bool = false) {
            self.init(name, Array(text.utf8), status, code, ends: ends)
        }

        init(_ name: String, _ bytes: [UInt8], _ status: Int, _ code: String? = nil, ends: Bool = false) {
            self.name = name
            self.bytes = bytes
            self.status = status
            self.code = code
            self.ends = ends
        }

        var testDescription: String { name }
    }

    static let json = "Content-Type: application/json\r\n"
    static let get = "GET / HTTP/1.1\r\nHost: localhost\r\n"
    static let post = "POST /p HTTP/1.1\r\nHost: localhost\r\n"

    /// A GET whose head has exactly this many bytes.
    static func head(byteCount: Int) -> String {
        let rest = get + "X-Fill: \r\n\r\n"
        return get + "X-Fill: " + String(repeating: "f", count: byteCount - rest.utf8.count) + "\r\n\r\n"
    }

    static func target(headByteCount: Int) -> String {
        let rest = "GET / HTTP/1.1\r\n\r\n"
        return "GET /" + String(repeating: "t", count: headByteCount - rest.utf8.count) + " HTTP/1.1\r\n\r\n"
    }

    static func body(_ count: Int, announced: Int? = nil) -> String {
        post + json + "Content-Length: \(announced ?? count)\r\n\r\n" + String(repeating: "b", count: count)
    }

    /// As many different headers as fit into a head of that size: names of one to three characters, no values.
    static func tinyHeaders(headByteCount: Int, start: String = "GET / HTTP/1.1\r\n") -> String {
        var text = start
        var number = 0
        while text.utf8.count + 8 <= headByteCount {
            text += String(number, radix: 36) + ":\r\n"
            number += 1
        }
        return text + "\r\n"
    }

    /// The same with a body behind them.
    static func tinyHeaders(headByteCount: Int, bodyByteCount: Int) -> String {
        tinyHeaders(headByteCount: headByteCount, start: post + json + "Content-Length: \(bodyByteCount)\r\n")
            + String(repeating: "b", count: bodyByteCount)
    }

    static let good: [Case] = [
        Case("plain GET", get + "\r\n", 200),
        Case("HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 200),
        Case("no Host", "GET / HTTP/1.1\r\n\r\n", 200),
        Case("query", "GET /a?b=c?d HTTP/1.1\r\n\r\n", 200),
        Case("GET with Content-Length 0", get + "Content-Length: 0\r\n\r\n", 200),
        Case("DELETE", "DELETE /x HTTP/1.1\r\n\r\n", 200),
        Case("unknown method", "BREW /pot HTTP/1.1\r\n\r\n", 200),
        Case("POST with a body", body(5), 200),
        Case("POST with an empty body", body(0), 200),
        Case("PUT", "PUT /p HTTP/1.1\r\n" + json + "Content-Length: 2\r\n\r\n{}", 200),
        Case(
            "media type with parameter and capitals",
            post + "Content-Type: Application/JSON ; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}", 200),
        Case("length with white space before", post + json + "Content-Length: \t 2\r\n\r\n{}", 200),
        Case("length with leading zeros", post + json + "Content-Length: 002\r\n\r\n{}", 200),
        Case("no space behind the colon", "GET / HTTP/1.1\r\nHost:localhost\r\n\r\n", 200),
        Case("empty header value", get + "X-Empty:\r\n\r\n", 200),
        Case("colon in a value", get + "X-Time: 12:30:00\r\n\r\n", 200),
        Case("UTF-8 value", get + "X-Name: J\u{fc}rgen\r\n\r\n", 200),
        Case("tab in a value", get + "X-Tab: a\tb\r\n\r\n", 200),
        Case("escapes stay escaped", "GET /%00%2e%2e/x HTTP/1.1\r\n\r\n", 200),
        Case("head of 16,384 bytes", head(byteCount: 16_384), 200),
        Case("target that fills the head", target(headByteCount: 16_384), 200),
        Case("body of 262,144 bytes", body(262_144), 200),
        Case("bytes behind the body", body(5) + "GET /second HTTP/1.1\r\n\r\n", 200),
        Case("bytes behind a GET", get + "\r\nGET /second HTTP/1.1\r\n\r\n", 200),
        Case("thousands of tiny headers", tinyHeaders(headByteCount: 16_384), 200),
        Case("thousands of tiny headers and a body", tinyHeaders(headByteCount: 16_384, bodyByteCount: 262_144), 200),
        // The engine with little memory for a connection, up to its limit and beyond.
        Case("head of 1,024 bytes", head(byteCount: 1_024), 200),
        Case("head of 1,025 bytes", head(byteCount: 1_025), 200),
        Case("tiny headers in 1,024 bytes", tinyHeaders(headByteCount: 1_024), 200),
        Case("tiny headers in 1,024 bytes and a body", tinyHeaders(headByteCount: 1_024, bodyByteCount: 262_144), 200),
        Case("target of 1,000 bytes and a body", target(headByteCount: 1_000), 200),
        Case("client that finishes sending", get + "\r\n", 200, ends: true),
        Case("POST and finish", body(5), 200, ends: true),
    ]

    static let bad: [Case] = [
        Case("head of 16,385 bytes", head(byteCount: 16_385), 431, "request_headers_too_large"),
        Case("head without end", get + "X: " + String(repeating: "x", count: 40_000), 431, "request_headers_too_large"),
        Case("target over the limit", target(headByteCount: 16_385), 431, "request_headers_too_large"),
        Case("body of 262,145 bytes", body(262_145), 413, "request_body_too_large"),
        Case("announced body over the limit", body(0, announced: 262_145), 413, "request_body_too_large"),
        Case("huge length", body(0, announced: .max), 413, "request_body_too_large"),
        Case(
            "length beyond 64 bits", post + json + "Content-Length: 99999999999999999999\r\n\r\n", 400,
            "invalid_content_length"),
        Case("negative length", post + json + "Content-Length: -1\r\n\r\n", 400, "invalid_content_length"),
        Case("length with a sign", post + json + "Content-Length: +2\r\n\r\n{}", 400, "invalid_content_length"),
        Case("length that is no number", post + json + "Content-Length: two\r\n\r\n", 400, "invalid_content_length"),
        Case("length in hexadecimal", post + json + "Content-Length: 0x2\r\n\r\n{}", 400, "invalid_content_length"),
        Case("length with a space behind", post + json + "Content-Length: 2 \r\n\r\n{}", 400, "invalid_content_length"),
        Case("empty length", post + json + "Content-Length:\r\n\r\n", 400, "invalid_content_length"),
        Case("list of lengths", post + json + "Content-Length: 2, 2\r\n\r\n{}", 400, "invalid_content_length"),
        Case(
            "length in other digits", post + json + "Content-Length: \u{662}\r\n\r\n{}", 400, "invalid_content_length"),
        Case(
            "length twice, equal", post + json + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400,
            "invalid_content_length"),
        Case(
            "length twice, different", post + json + "Content-Length: 2\r\ncontent-length: 3\r\n\r\n{}", 400,
            "invalid_content_length"),
        Case(
            "chunked", post + json + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
            "transfer_encoding_not_supported"),
        Case("gzip coding", post + json + "Transfer-Encoding: gzip\r\n\r\n", 400, "transfer_encoding_not_supported"),
        Case("identity coding", get + "Transfer-Encoding: identity\r\n\r\n", 400, "transfer_encoding_not_supported"),
        Case(
            "coding and length", post + json + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}", 400,
            "transfer_encoding_not_supported"),
        Case(
            "coding in capitals", post + json + "TRANSFER-ENCODING: CHUNKED\r\n\r\n", 400,
            "transfer_encoding_not_supported"),
        Case("POST without length", post + json + "\r\n", 411, "content_length_required"),
        Case("PUT without length", "PUT / HTTP/1.1\r\n" + json + "\r\n", 411, "content_length_required"),
        Case("POST without media type", post + "Content-Length: 2\r\n\r\n{}", 415, "application_json_required"),
        Case(
            "form", post + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 2\r\n\r\na=", 415,
            "application_json_required"),
        Case(
            "text", post + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415, "application_json_required"),
        Case(
            "JSON as a parameter", post + "Content-Type: text/plain; application/json\r\nContent-Length: 2\r\n\r\n{}",
            415, "application_json_required"),
        Case(
            "JSON as a prefix", post + "Content-Type: application/jsonp\r\nContent-Length: 2\r\n\r\n{}", 415,
            "application_json_required"),
        Case(
            "PUT with another media type", "PUT / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 415,
            "application_json_required"),
        Case("GET with a body", get + "Content-Length: 2\r\n\r\n{}", 400, "unexpected_body"),
        Case("DELETE with a body", "DELETE / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400, "unexpected_body"),
        Case("line without colon", get + "nonsense\r\n\r\n", 400, "invalid_headers"),
        Case("empty name", get + ": value\r\n\r\n", 400, "invalid_headers"),
        Case("space before the colon", get + "X-A : value\r\n\r\n", 400, "invalid_headers"),
        Case("folded line", get + "X-A: one\r\n two\r\n\r\n", 400, "invalid_headers"),
        Case("folded with tab", get + "X-A: one\r\n\ttwo: x\r\n\r\n", 400, "invalid_headers"),
        Case("repeated name", get + "X-A: 1\r\nX-A: 2\r\n\r\n", 400, "invalid_headers"),
        Case("repeated in other case", get + "X-A: 1\r\nx-a: 1\r\n\r\n", 400, "invalid_headers"),
        Case("repeated Host", get + "Host: other\r\n\r\n", 400, "invalid_headers"),
        Case("not UTF-8", Array((get + "X-A: ").utf8) + [0xff, 0xfe] + Array("\r\n\r\n".utf8), 400, "invalid_headers"),
        Case(
            "overlong UTF-8", Array((get + "X-A: ").utf8) + [0xc0, 0xaf] + Array("\r\n\r\n".utf8), 400,
            "invalid_headers"),
        Case("NUL in a value", get + "X-A: a\0b\r\n\r\n", 400, "invalid_headers"),
        Case("NUL in a name", get + "X\0A: a\r\n\r\n", 400, "invalid_headers"),
        Case("control character in a value", get + "X-A: a\u{1b}b\r\n\r\n", 400, "invalid_headers"),
        Case("carriage return alone in a value", get + "X-A: a\rb\r\n\r\n", 400, "invalid_headers"),
        Case(
            "line feed alone ends a line", "GET / HTTP/1.1\r\nHost: localhost\nX-A: b\r\n\r\n", 400, "invalid_headers"),
        Case("separator in a name", get + "X(A): a\r\n\r\n", 400, "invalid_headers"),
        Case("line feeds only", "GET / HTTP/1.1\nHost: localhost\n\n", 400, "invalid_request_line"),
        Case("two parts", "GET /\r\n\r\n", 400, "invalid_request_line"),
        Case("one word", "GET\r\n\r\n", 400, "invalid_request_line"),
        Case("four parts", "GET /a b HTTP/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("two spaces", "GET  / HTTP/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("leading space", " GET / HTTP/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("trailing space", "GET / HTTP/1.1 \r\n\r\n", 400, "invalid_request_line"),
        Case("tab", "GET\t/ HTTP/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("leading empty line", "\r\nGET / HTTP/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("only empty lines", "\r\n\r\n", 400, "invalid_request_line"),
        Case("HTTP/0.9", "GET / HTTP/0.9\r\n\r\n", 400, "invalid_request_line"),
        Case("HTTP/1.5", "GET / HTTP/1.5\r\n\r\n", 400, "invalid_request_line"),
        Case("HTTP/2.0", "PRI * HTTP/2.0\r\n\r\n", 400, "invalid_request_line"),
        Case("HTTP/1.10", "GET / HTTP/1.10\r\n\r\n", 400, "invalid_request_line"),
        Case("http in lower case", "GET / http/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("NUL in the target", "GET /a\0b HTTP/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("method that is no token", "GE(T / HTTP/1.1\r\n\r\n", 400, "invalid_request_line"),
        Case("TLS", [0x16, 0x03, 0x01, 0x0a, 0x00, 0x01], 400, "invalid_request_line"),
        Case("head cut short", get, 400, "incomplete_request", ends: true),
        Case("nothing at all", "", 400, "incomplete_request", ends: true),
        Case("body cut short", body(5, announced: 6), 400, "incomplete_request", ends: true),
        Case("body missing", body(0, announced: 6), 400, "incomplete_request", ends: true),
    ]

    @Test("a request that keeps the rules reaches the handler", arguments: good)
    func accepted(_ example: Case) throws {
        let answer = try answer(to: example)
        #expect(answer.status == 200)
        #expect(answer.headers["connection"] == "close")
    }

    @Test(
        "a request that breaks a rule gets its status and its code as JSON, and the connection ends in order",
        arguments: bad)
    func refused(_ example: Case) throws {
        let answer = try answer(to: example)
        #expect(answer.status == example.status)
        #expect(answer.code == example.code)
        #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
        #expect(answer.headers["connection"] == "close")
        #expect(answer.headers["content-length"] == String(answer.body.count))
        #expect(answer.text == "{\n  \"error\" : \"\(example.code ?? "")\"\n}")
    }

    private func answer(to example: Case) throws -> RawAnswer {
        var result: RawAnswer?
        try withServer { server in
            let client = try RawClient(server)
            try client.send(example.bytes)
            if example.ends { client.connection.finishSending() }
            result = try client.answer()
        }
        return try #require(result)
    }

    @Test("the same holds when every byte comes by itself", arguments: [good[0], good[9], bad[0], bad[14], bad[47]])
    func byteByByte(_ example: Case) throws {
        try withServer { server in
            let client = try RawClient(server)
            for byte in example.bytes.prefix(20_000) { try client.send([byte]) }
            let answer = try client.answer()
            #expect(answer.status == example.status && answer.code == example.code)
        }
    }

    @Test("method, path, query and body reach the handler as sent")
    func echo() throws {
        try withServer { server in
            #expect(try RawClient.ask(server, "GET /a%2Fb?c=%00&d?e HTTP/1.1\r\n\r\n").text == "GET /a%2Fb?c=%00&d?e 0")
            #expect(try RawClient.ask(server, Self.body(77)).text == "POST /p 77")
            let head = try RawClient.ask(server, "HEAD /x HTTP/1.1\r\n\r\n")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "9")
        }
    }

    @Test("both loopback addresses are served on one port")
    func bothAddresses() throws {
        try withServer { server in
            for address in server.addresses {
                let client = try RawClient(server, host: address.address.description)
                try client.send("GET / HTTP/1.1\r\n\r\n")
                #expect(try client.answer().status == 200)
            }
        }
    }

    @Test("a peer that is not accepted gets 403 before it has sent anything")
    func peers() throws {
        var rules = HTTPRules()
        rules.acceptsPeer = { _ in false }
        try withServer(rules: rules) { server in
            let answer = try RawClient(server).answer()
            #expect(answer.status == 403 && answer.code == "loopback_required")
        }
        #expect(HTTPRules().acceptsPeer(.init(address: .loopbackIPv6, port: 1)))
        #expect(try HTTPRules().acceptsPeer(.init(address: .init("::ffff:127.1.2.3"), port: 1)))
        #expect(try !HTTPRules().acceptsPeer(.init(address: .init("192.168.1.1"), port: 1)))
    }

    @Test("a port in use is a coded error")
    func portInUse() throws {
        try withServer { server in
            do {
                let other = try HTTPServer(configuration: .init(port: server.port), handler: EchoHandler())
                other.stop()
                Issue.record("two servers on one port")
            } catch let error as HTTPServerError {
                #expect(error.code == "port_in_use" && "\(error)".contains("\(server.port)"))
            }
        }
    }
}
