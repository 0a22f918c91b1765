import CMicroHTTPD
import Glibc

/// Writes the small answers that do not pass through libmicrohttpd.
enum ResponseWriter {
    /// Writes an answer whose body is in memory. Whatever does not fit the socket's buffer at once is lost: such answers
    /// are far smaller, and nobody waits for a client that was refused.
    static func write(_ response: HTTPResponse, to descriptor: Int32, isHead: Bool) {
        let bytes = serialize(response, isHead: isHead)
        _ = bytes.withUnsafeBytes { SocketCalls.send(descriptor, $0) }
    }

    static func serialize(_ response: HTTPResponse, isHead: Bool) -> [UInt8] {
        let body: [UInt8] =
            switch response.body {
            case .empty: []
            case .bytes(let bytes): bytes
            case .file: preconditionFailure("a refusal has its body in memory")
            }
        let reason = MHD_get_reason_phrase_for(UInt32(response.status)).map { String(cString: $0) } ?? ""
        var text = "HTTP/1.1 \(response.status) \(reason)\r\n"
        for (name, value) in response.headers.fields where isSafe(name) && isSafe(value) {
            text += "\(name): \(value)\r\n"
        }
        text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + (isHead ? [] : body)
    }

    /// Whether a field can be written: a line end in it would begin another one (control-api.md 2: dropped).
    static func isSafe(_ text: String) -> Bool {
        !text.utf8.contains { $0 == 0x0d || $0 == 0x0a || $0 == 0 }
    }
}
