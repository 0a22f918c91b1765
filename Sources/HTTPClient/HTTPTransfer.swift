import CCurl
import Foundation

/// One HTTP exchange through libcurl: http and https, no proxies, no redirects, the path sent as it is written.
///
/// Blocking: never on Swift's cooperative threads. Which hosts may be asked is for the caller to decide.
public struct HTTPTransfer {
    /// Takes body bytes as they arrive; a throw ends the transfer.
    public typealias BodySink = (UnsafeRawBufferPointer) throws -> Void

    /// Status and headers of an answer.
    public struct Head: Sendable {
        /// The status code; 0 before there is one.
        public var status = 0
        /// Lower-case names; the last of a repeated name counts.
        public var headers: [String: String] = [:]

        /// A head without anything.
        public init(status: Int = 0, headers: [String: String] = [:]) {
            self.status = status
            self.headers = headers
        }
    }

    /// Why there is no answer.
    public enum Failure: Error {
        /// No connection.
        case unreachable(String)
        /// The connection ended before an answer; the request may have arrived.
        case brokenOff
        /// The answer ended early.
        case cutShort
        case timedOut
        /// `shouldStop` said so.
        case stopped
    }

    /// The method, as sent.
    public var method: String
    /// The address, as sent.
    public var url: String
    /// The body; nil: none.
    public var body: [UInt8]?
    /// Names and values.
    public var headers: [(String, String)]
    /// Seconds for the whole exchange.
    public var timeout: Int
    /// Asked about once a second.
    public var shouldStop: () -> Bool

    /// An exchange, not begun.
    public init(
        method: String, url: String, body: [UInt8]? = nil, headers: [(String, String)] = [], timeout: Int,
        shouldStop: @escaping () -> Bool = { false }
    ) {
        self.method = method
        self.url = url
        self.body = body
        self.headers = headers
        self.timeout = timeout
        self.shouldStop = shouldStop
    }

    /// libcurl's own set-up, done once and before any thread uses it.
    private static let library: Void = {
        curl_global_init(Int(CURL_GLOBAL_ALL))
    }()

    private final class Context {
        var head = Head()
        var failure: (any Error)?
        let sink: BodySink
        let headSeen: (Head) -> Void
        let shouldStop: () -> Bool
        var headIsOver = false

        init(sink: @escaping BodySink, headSeen: @escaping (Head) -> Void, shouldStop: @escaping () -> Bool) {
            self.sink = sink
            self.headSeen = headSeen
            self.shouldStop = shouldStop
        }

        func line(_ text: Substring) {
            if text.hasPrefix("HTTP/") {
                head = Head(status: Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0)
            } else if let colon = text.firstIndex(of: ":") {
                let name = text[..<colon].lowercased()
                head.headers[name] = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }

        func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
            if !headIsOver {
                headIsOver = true
                headSeen(head)
            }
            do {
                try sink(bytes)
                return true
            } catch {
                failure = error
                return false
            }
        }
    }

    /// Runs the exchange. `headSeen` is called before the first body byte, and once for an empty body.
    ///
    /// - Throws: ``Failure``, or what `sink` threw.
    public func run(headSeen: @escaping (Head) -> Void = { _ in }, sink: @escaping BodySink) throws -> Head {
        Self.library
        guard let handle = curl_easy_init() else { throw Failure.unreachable("no transfer handle") }
        defer { curl_easy_cleanup(handle) }
        let context = Context(sink: sink, headSeen: headSeen, shouldStop: shouldStop)
        var list: UnsafeMutablePointer<curl_slist>?
        for (name, value) in headers + [("Expect", "")] {
            list = curl_slist_append(list, value.isEmpty ? "\(name):" : "\(name): \(value)")
        }
        defer { curl_slist_free_all(list) }
        configure(handle, list)
        return try withExtendedLifetime(context) {
            let pointer = Unmanaged.passUnretained(context).toOpaque()
            ccurl_set_pointer(handle, CURLOPT_WRITEDATA, pointer)
            ccurl_set_pointer(handle, CURLOPT_HEADERDATA, pointer)
            ccurl_set_pointer(handle, CURLOPT_XFERINFODATA, pointer)
            let code =
                body.map { body in
                    body.withUnsafeBufferPointer { buffer in
                        ccurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(buffer.count))
                        ccurl_set_pointer(
                            handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: buffer.baseAddress))
                        return curl_easy_perform(handle)
                    }
                } ?? curl_easy_perform(handle)
            try check(code, context)
            if !context.headIsOver { headSeen(context.head) }
            return context.head
        }
    }

    private func configure(_ handle: UnsafeMutableRawPointer, _ list: UnsafeMutablePointer<curl_slist>?) {
        ccurl_set_string(handle, CURLOPT_URL, url)
        ccurl_set_string(handle, CURLOPT_CUSTOMREQUEST, method)
        ccurl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
        ccurl_set_long(handle, CURLOPT_PATH_AS_IS, 1)
        ccurl_set_string(handle, CURLOPT_NOPROXY, "*")
        ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(handle, CURLOPT_TIMEOUT, timeout)
        ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT, 10)
        ccurl_set_long(handle, CURLOPT_BUFFERSIZE, 512 * 1024)
        ccurl_set_long(handle, CURLOPT_NOPROGRESS, 0)
        ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
        ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
            return transfer.body(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
        }
        ccurl_set_data_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
            let text = String(decoding: buffer, as: UTF8.self)
            Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().line(text.dropLast(while: \.isNewline))
            return size * count
        }
        ccurl_set_progress_callback(handle) { context, _, _, _, _ in
            guard let context else { return 0 }
            return Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().shouldStop() ? 1 : 0
        }
    }

    private func check(_ code: CURLcode, _ context: Context) throws {
        switch code {
        case CURLE_OK: return
        case CURLE_ABORTED_BY_CALLBACK: throw Failure.stopped
        case CURLE_WRITE_ERROR: throw context.failure ?? Failure.cutShort
        case CURLE_OPERATION_TIMEDOUT: throw Failure.timedOut
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
            throw context.head.status == 0 ? Failure.brokenOff : Failure.cutShort
        default: throw Failure.unreachable(String(cString: curl_easy_strerror(code)))
        }
    }
}

extension String {
    /// Without the trailing characters that a test accepts.
    fileprivate func dropLast(while test: (Character) -> Bool) -> Substring {
        var text = self[...]
        while let last = text.last, test(last) { text = text.dropLast() }
        return text
    }
}
