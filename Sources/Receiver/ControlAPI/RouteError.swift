import CanonicalJSON
import HTTPService

/// What the routes refuse with an error body, `{"error": code, "message": …}` (control-api.md 2). A refusal of a job is no
/// error but a ``ControlResponse``.
enum RouteError: Error, Equatable {
    /// `Host` or `Origin` do not name this computer.
    case loopbackRequired
    /// The control token is missing or wrong.
    case unauthorized
    /// No such path.
    case notFound
    /// The path takes other methods.
    case methodNotAllowed(allowed: [String])
    /// A route of former versions.
    case removedEndpoint
    /// A route of the typed query surface.
    case notImplemented
    /// A value of ours has no form in the document.
    case encodeFailed
    /// A query parameter of the listing: its name, and what it takes.
    case invalidQuery(name: String, takes: String)
    /// `code_style`.
    case unsupportedCodeStyle
    /// `accept`.
    case invalidApproval
    /// The body of a request (control-api.md 5).
    case request(ExportRequestError)
    /// The receiver's refusal.
    case control(ReceiverControlError)

    var status: Int {
        switch self {
        case .loopbackRequired: 403
        case .unauthorized: 401
        case .notFound: 404
        case .methodNotAllowed: 405
        case .removedEndpoint: 410
        case .notImplemented: 501
        case .encodeFailed: 500
        case .invalidQuery, .unsupportedCodeStyle, .invalidApproval, .request: 400
        case .control(let error): error.httpStatus
        }
    }

    var code: String {
        switch self {
        case .loopbackRequired: "loopback_required"
        case .unauthorized: "unauthorized"
        case .notFound: "not_found"
        case .methodNotAllowed: "method_not_allowed"
        case .removedEndpoint: "removed_endpoint"
        case .notImplemented: "not_implemented"
        case .encodeFailed: "encode_failed"
        case .invalidQuery(let name, _): "invalid_" + name
        case .unsupportedCodeStyle: "unsupported_code_style"
        case .invalidApproval: "invalid_approval"
        case .request(let error): error.code
        case .control(let error): error.code
        }
    }

    var message: String {
        switch self {
        case .loopbackRequired: "Only this computer may ask. Use http://127.0.0.1 with the port of the receiver."
        case .unauthorized:
            "Send `Authorization: Bearer` with the content of receiver/control-token in the receiver's state folder."
        case .notFound: "There is no such route. `GET /v1/version` tells which receiver this is."
        case .methodNotAllowed(let allowed): "This route takes \(allowed.joined(separator: " and "))."
        case .removedEndpoint: "This route was removed and has no successor."
        case .notImplemented: "This receiver does not serve typed queries. Export or extract the days instead."
        case .encodeFailed: "The answer could not be written. Report this."
        case .invalidQuery(let name, let takes): "The parameter \(name) takes \(takes)."
        case .unsupportedCodeStyle: "code_style takes strong or phone_app."
        case .invalidApproval: "accept takes true or false."
        case .request(let error): error.message
        case .control(let error): error.message
        }
    }

    /// The answer, in the form that belongs to the path: compact below `/v1/agent/`, else readable.
    func response(isAgent: Bool) -> HTTPResponse {
        var response: HTTPResponse
        if isAgent {
            response = .json(status: status, JSONWriter.encode(agentDocument, style: .compactSorted))
        } else if case .control(.exportInProgress(let activeJobID)) = self {
            let document: JSONObject = [
                "error": .string(code), "message": .string(message), "active_job_id": .string(activeJobID.uuidString),
            ]
            response = .json(status: status, JSONWriter.encode(.object(document), style: .control))
        } else {
            response = .controlError(status: status, code: code, message: message)
        }
        switch self {
        case .methodNotAllowed(let allowed): response.headers.add("Allow", allowed.joined(separator: ", "))
        case .unauthorized: response.headers.add("WWW-Authenticate", "Bearer")
        default: break
        }
        return response
    }

    /// `healthmd.query_error` version 1 (control-api.md 13).
    private var agentDocument: JSONValue {
        [
            "schema": "healthmd.query_error", "schema_version": 1, "code": .string(code), "message": .string(message),
            "retryable": .bool(status == 503), "details": [:],
        ]
    }
}

extension RouteError {
    /// Calls the receiver; its refusal becomes the route's.
    static func asking<Value>(
        _ call: @autoclosure () throws(ReceiverControlError) -> Value
    ) throws(RouteError) -> Value {
        do {
            return try call()
        } catch {
            throw .control(error)
        }
    }

    /// Reads a part of a body; what is wrong with it becomes the route's refusal.
    static func parsing<Value>(
        _ reading: @autoclosure () throws(ExportRequestError) -> Value
    ) throws(RouteError) -> Value {
        do {
            return try reading()
        } catch {
            throw .request(error)
        }
    }
}

extension JSONStyle {
    /// Small bodies of the control API: two spaces, members sorted, `"key" : value`, `/` raw (control-api.md 2).
    static let control = JSONStyle(isPretty: true, order: .bytes, escapesSolidus: false, numbers: .shortest)
}
