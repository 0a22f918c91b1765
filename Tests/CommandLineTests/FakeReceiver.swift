import CanonicalJSON
import Cryptography
import Foundation
import HTTPService
import Synchronization

/// A control API whose answers the test gives. Every request is noted.
final class FakeReceiver: Sendable {
    /// One request as it came.
    struct Seen: Sendable {
        let method: String
        let target: String
        let headers: HTTPHeaders
        let body: JSONValue?
    }

    private let server: HTTPServer
    private let requests: RequestLog

    private final class RequestLog: Sendable {
        let list = Mutex<[Seen]>([])
    }

    /// Starts it; `answer` is called for each request, on threads of the server.
    init(_ answer: @escaping @Sendable (Seen) -> HTTPReply) throws {
        let log = RequestLog()
        requests = log
        server = try HTTPServer(configuration: HTTPServerConfiguration(port: 0)) { request in
            let seen = Seen(
                method: request.head.method, target: request.head.target, headers: request.head.headers,
                // A body that is no JSON is noted as none; the tests look at the members.
                body: try? JSONParser.parse(request.body))
            log.list.withLock { $0.append(seen) }
            return answer(seen)
        }
    }

    deinit { server.stop() }

    var baseURL: String { "http://127.0.0.1:\(server.port)" }

    /// What was asked so far, polls of a job's state aside.
    var seen: [Seen] { requests.list.withLock { $0.filter { !$0.target.contains("fields=state") } } }

    /// Answers every request but the polls with one document.
    static func always(_ status: Int, _ document: JSONValue) throws -> FakeReceiver {
        try FakeReceiver { _ in json(status, document) }
    }

    /// Answers with a raw body, whatever is asked but a job's state. A job that is created by it has the id that the client chose.
    static func raw(
        _ body: String, status: String = "success", changing change: [String: String?] = [:]
    ) throws -> FakeReceiver {
        try FakeReceiver { request in
            guard !request.target.contains("fields=state") else { return json(200, [:]) }
            return raw(RawBody.adopted(body, by: request), status: status, changing: change)
        }
    }

    /// What the header says of a body.
    static func digest(_ body: String) -> String { SHA256.hash(body).hex }

    static func json(_ status: Int, _ document: JSONValue) -> HTTPReply {
        .response(.json(status: status, JSONWriter.encode(document, style: .compactSorted)))
    }

    /// A raw response with its seven headers; `change` replaces some, or removes them with nil.
    static func raw(_ body: String, status: String, changing change: [String: String?]) -> HTTPReply {
        var headers = [
            "X-Healthmd-Export-Status": status, "X-Healthmd-Raw-Schema": "healthmd.raw_result/1",
            "X-Healthmd-Raw-Validated": "1", "X-Healthmd-Raw-Date-Start": "2026-03-01",
            "X-Healthmd-Raw-Date-End": "2026-03-02", "X-Healthmd-Raw-Total-Days": "2",
            "X-Healthmd-Body-SHA256": digest(body),
        ]
        for (name, value) in change { headers[name] = value }
        var response = HTTPResponse.json(status: 200, Array(body.utf8))
        for (name, value) in headers { response.headers.add(name, value) }
        return .response(response)
    }
}

/// Raw bodies of two invented days.
enum RawBody {
    /// The job of every body.
    static let job = "10B00000-0000-4000-8000-000000000001"

    /// The body with the id of the job that a request creates.
    static func adopted(_ body: String, by request: FakeReceiver.Seen) -> String {
        guard let chosen = request.body?["job_id"]?.string else { return body }
        return body.replacingOccurrences(of: job, with: chosen)
    }

    static func day(_ date: String, status: String = "complete", document: String?) -> String {
        let data = document.map { #","health_data":\#($0)"# } ?? ""
        return #"{"date":"\#(date)"\#(data),"integrity_warning_codes":[],"integrity_warning_count":0,"#
            + #""partial_failure_count":0,"partial_failure_types":[],"query_status_counts":{"cancelled":0,"#
            + #""failure":0,"skipped":0,"success":0,"unsupported":0},"record_count":0,"sample_count":0,"#
            + #""status":"\#(status)"}"#
    }

    static func document(_ date: String, archive: Bool = false) -> String {
        let archive =
            archive ? #","healthkit_record_archive":{"schema":"healthmd.healthkit_records","schema_version":1}"# : ""
        return #"{"date":"\#(date)"\#(archive),"raw_capture_status":"not_requested","#
            + #""schema":"healthmd.health_data","schema_version":8,"steps":9007199254740993}"#
    }

    static func projection(partial: Bool = false) -> String {
        whole(
            profile: "health_data_projection", partial: partial,
            selection: #""canonical_selection":{"detail_level":"summary","field_pointers":[],"metric_ids":["steps"],"#
                + #""object_paths":[],"source_ids":["apple_health"]},"#, archive: false)
    }

    static func strict(partial: Bool = false) -> String {
        whole(profile: "canonical_source_records_v1", partial: partial, selection: "", archive: true)
    }

    private static func whole(profile: String, partial: Bool, selection: String, archive: Bool) -> String {
        let days = [
            day("2026-03-01", document: document("2026-03-01", archive: archive)),
            partial
                ? day("2026-03-02", status: "missing", document: nil)
                : day("2026-03-02", document: document("2026-03-02", archive: archive)),
        ]
        return #"{"job_id":"\#(job)","message":"done","#
            + #""status":"\#(partial ? "partial_success" : "success")","raw_result":"#
            + #"{"schema":"healthmd.raw_result","schema_version":1,"profile":"\#(profile)",\#(selection)"#
            + #""created_at":"2026-03-03T00:00:00.000000000Z","source_device_name":"Test","#
            + #""date_range":{"end":"2026-03-02","start":"2026-03-01"},"total_requested_days":2,"#
            + #""days":[\#(days.joined(separator: ","))],"capture_summary":{"#
            + #""missing_day_count":\#(partial ? 1 : 0),"retained_day_count":\#(partial ? 1 : 2)},"#
            + #""missing_dates":[\#(partial ? #""2026-03-02""# : "")]}}"#
    }
}

/// A server that reads a request and closes the connection without an answer, as one that is killed.
final class HangUpServer: @unchecked Sendable {
    private let descriptor: Int32
    let port: UInt16

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else { throw CocoaError(.fileNoSuchFile) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                var buffer = [UInt8](repeating: 0, count: 4_096)
                _ = read(connection, &buffer, buffer.count)
                close(connection)
            }
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    var baseURL: String { "http://127.0.0.1:\(port)" }
}
