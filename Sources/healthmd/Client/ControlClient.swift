import CanonicalJSON
import DurableStore
import Foundation
import HTTPClient

/// Talks to the receiver's control API. Knows where it is, carries the token, turns refusals into failures.
struct ControlClient: Sendable {
    /// Bodies that are no validated raw result are read up to this (cli.md 2).
    static let smallBodyByteCount = 16 * 1024 * 1024
    /// Plain routes; waiting and downloading ones may last seven days (control-api.md 9).
    static let plainTimeout = 10
    static let waitingTimeout = 7 * 86_400

    let base: BaseURL
    let token: String?

    /// An answer whose body fits into memory.
    struct Answer: Sendable {
        let status: Int
        let document: JSONValue

        /// `status` of the response object.
        var word: String? { document["status"]?.string }
        /// `failure_reason` of the response object, else the code of an error body.
        var failureReason: String? { document["failure_reason"]?.string ?? document["error"]?.string }

        /// Whether a create was refused, so that there is no job.
        var isRefusal: Bool { document["error"] != nil || (word == "unavailable" && document["state"] == nil) }

        /// The document as a command prints it: an error body says `failure` like every other failure (cli.md 12).
        var printable: JSONValue {
            guard var object = document.object, object["error"] != nil, object["status"] == nil else { return document }
            object.append("status", "failure")
            return .object(object)
        }
    }

    /// Finds the receiver: `--base-url`, else the runtime file of a daemon that runs, else nothing is there.
    init(_ invocation: Invocation) throws {
        let file = invocation.text("--control-token-file")
        if let given = invocation.text("--base-url") {
            guard let url = BaseURL(given) else {
                throw CommandFailure(
                    "invalid_base_url",
                    "--base-url takes http:// with 127.0.0.1, [::1] or localhost, and nothing behind the port",
                    status: .usage)
            }
            base = url
            token = try file.map(Self.readToken)
            return
        }
        guard let receiver = try StateRoot.existing(.receiver, invocation),
            let runtime = try RuntimeFile.read(in: receiver)
        else {
            throw Self.unreachable("no receiver runs with the state folder in use")
        }
        base = BaseURL(port: runtime.controlPort)
        token = try file.map(Self.readToken) ?? Self.ownToken(receiver)
    }

    /// The receiver's own token; none when it runs without one.
    private static func ownToken(_ receiver: Directory) throws -> String? {
        do {
            let file = try receiver.file("control-token", requiringPrivate: true)
            return trimmed(try file.contents(maximumByteCount: tokenFileByteCount))
        } catch StoreError.notFound {
            return nil
        }
    }

    private static func readToken(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path), data.count <= tokenFileByteCount else {
            throw CommandFailure("control_token_unreadable", "the file of --control-token-file cannot be read")
        }
        return trimmed([UInt8](data))
    }

    private static let tokenFileByteCount = 4_096

    private static func trimmed(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func unreachable(_ why: String) -> CommandFailure {
        CommandFailure(
            "receiver_unreachable", "\(why); start it with: healthmd serve",
            details: [("legacy_error", "mac_app_unreachable")])
    }

    /// One exchange with a small answer.
    func send(
        _ method: String, _ path: String, _ body: JSONValue? = nil, timeout: Int = plainTimeout,
        shouldStop: @escaping () -> Bool = { false }
    ) throws -> Answer {
        var bytes: [UInt8] = []
        let transfer = self.transfer(method, path, body, timeout: timeout, shouldStop: shouldStop)
        let head = try perform {
            try transfer.run { piece in
                guard bytes.count + piece.count <= Self.smallBodyByteCount else { throw Self.tooLarge }
                bytes.append(contentsOf: piece)
            }
        }
        return try answer(head.status, bytes)
    }

    /// One exchange whose answer may be a raw result of any size: it goes to `sink` when it carries the
    /// validation headers, else into memory as a small answer.
    func receive(
        _ method: String, _ path: String, _ body: JSONValue?, shouldStop: @escaping () -> Bool,
        raw: @escaping (HTTPTransfer.Head) throws -> HTTPTransfer.BodySink
    ) throws -> (answer: Answer?, head: HTTPTransfer.Head) {
        var bytes: [UInt8] = []
        var sink: HTTPTransfer.BodySink?
        var failure: (any Error)?
        let transfer = self.transfer(method, path, body, timeout: Self.waitingTimeout, shouldStop: shouldStop)
        let head = try perform {
            try transfer.run(headSeen: { head in
                guard head.status == 200, head.headers["x-healthmd-raw-validated"] != nil else { return }
                do { sink = try raw(head) } catch { failure = error }
            }) { piece in
                if let failure { throw failure }
                if let sink { return try sink(piece) }
                guard bytes.count + piece.count <= Self.smallBodyByteCount else { throw Self.tooLarge }
                bytes.append(contentsOf: piece)
            }
        }
        return (sink == nil ? try answer(head.status, bytes) : nil, head)
    }

    private static let tooLarge = CommandFailure(
        "unvalidated_response_too_large",
        "the answer carries no validation headers and is over 16 MiB; nothing of it was used", status: .integrity)

    private func transfer(
        _ method: String, _ path: String, _ body: JSONValue?, timeout: Int, shouldStop: @escaping () -> Bool
    ) -> HTTPTransfer {
        var headers: [(String, String)] = []
        if let token { headers.append(("Authorization", "Bearer " + token)) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        return HTTPTransfer(
            method: method, url: base.text + path, body: body.map { JSONWriter.encode($0, style: .compactSorted) },
            headers: headers, timeout: timeout, shouldStop: shouldStop)
    }

    private func perform(_ exchange: () throws -> HTTPTransfer.Head) throws -> HTTPTransfer.Head {
        do {
            return try exchange()
        } catch let failure as HTTPTransfer.Failure {
            switch failure {
            case .brokenOff:
                throw CommandFailure(
                    "response_cut_short", "the receiver ended the connection before it answered", status: .integrity)
            case .unreachable(let why): throw Self.unreachable("the receiver does not answer (\(why))")
            case .timedOut: throw Self.unreachable("the receiver did not answer in time")
            case .cutShort:
                throw CommandFailure(
                    "response_cut_short", "the answer ended early; the job is not affected: ask again",
                    status: .integrity)
            case .stopped: throw failure
            }
        }
    }

    private func answer(_ status: Int, _ bytes: [UInt8]) throws -> Answer {
        guard let document = try? JSONParser.parse(bytes) else {
            // Whatever is no JSON does not come from our receiver; the bytes themselves are of no use.
            throw CommandFailure("invalid_response", "what answers on this port is not a healthmd receiver")
        }
        if status == 401 {
            throw CommandFailure(
                "unauthorized",
                "the receiver wants its control token; run this as the user who runs healthmd serve, or name the "
                    + "file with --control-token-file")
        }
        return Answer(status: status, document: document)
    }
}
