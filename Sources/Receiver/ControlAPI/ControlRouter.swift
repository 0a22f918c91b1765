import CanonicalJSON
import Foundation
import HTTPService
import Transport

/// Routes requests to the receiver. The order of checks is framing, `Host` and `Origin`, token, route, method, body
/// (extensions.md 5); framing is the server's.
struct ControlRouter: HTTPHandler {
    let control: any ReceiverControl
    let access: ControlAccess
    let delivery: ResponseDelivery

    /// What is known of a request before its body.
    private struct Admitted {
        let route: Result<ControlRoute, RouteError>
        let isAuthorized: Bool
    }

    func admit(_ head: HTTPRequestHead, from peer: SocketAddress) -> HTTPAdmission {
        guard ControlAccess.isLocal(head.headers) else {
            return .refuse(RouteError.loopbackRequired.response(isAgent: Self.isAgent(head)))
        }
        let isAuthorized = access.isAuthorized(head.headers)
        let route = Result { () throws(RouteError) in
            try ControlRoute.find(method: head.method, path: head.path)
        }
        guard isAuthorized || isOpen(route) else {
            return .refuse(RouteError.unauthorized.response(isAgent: Self.isAgent(head)))
        }
        return .collect(context: Admitted(route: route, isAuthorized: isAuthorized))
    }

    /// Whether the token is not needed. What is no route at all may be told to everybody then.
    private func isOpen(_ route: Result<ControlRoute, RouteError>) -> Bool {
        guard !access.requiresToken else { return false }
        switch route {
        case .success(let route): return !route.alwaysNeedsToken
        case .failure: return true
        }
    }

    func answer(_ request: HTTPRequest) -> HTTPReply {
        guard let admitted = request.context as? Admitted else { preconditionFailure("every request was admitted") }
        do throws(RouteError) {
            return try reply(try admitted.route.get(), request, isAuthorized: admitted.isAuthorized)
        } catch {
            return .response(error.response(isAgent: Self.isAgent(request.head)))
        }
    }

    private static func isAgent(_ head: HTTPRequestHead) -> Bool { head.path.hasPrefix("/v1/agent/") }

    private func reply(
        _ route: ControlRoute, _ request: HTTPRequest, isAuthorized: Bool
    ) throws(RouteError) -> HTTPReply {
        switch route {
        case .status:
            var status = control.status()
            // Pairing is never told without the token (extensions.md 5).
            if !isAuthorized { status.openPairing = nil }
            return document(status.json)
        case .version: return document(control.version().json)
        case .createExport: return try create(request.body, isAuthorized: isAuthorized)
        case .listExports:
            let query = try JobListQuery(ControlQuery(request.head.query))
            return document(try RouteError.asking(control.listExports(query)).json())
        case .export(let id):
            let isStateOnly = ControlQuery(request.head.query).first("fields") == "state"
            return delivery.reply(control.export(id, stateOnly: isStateOnly))
        case .resumeExport(let id): return try resume(id, request.body)
        case .cancelExport(let id):
            try checkJSON(request.body)
            return delivery.reply(control.cancelExport(id))
        case .verifyExport(let id):
            try checkJSON(request.body)
            return verify(id)
        case .openPairing, .pairing, .approvePairing, .closePairing: return try pair(route, request.body)
        case .peers: return document(try control.peers().json())
        case .unpair(let id):
            try RouteError.asking(control.unpair(id))
            return document(["installation_id": .string(id.uuidString), "status": "success"])
        case .setDestination:
            let path = try DestinationRequest.path(request.body)
            return document(
                try RouteError.asking(control.setDestination(path)).json)
        case .metricCatalog: return .response(.json(status: 200, MetricCatalog.bytes))
        case .readiness:
            let readiness = ReadinessReport(control.status())
            return .response(.json(status: 200, JSONWriter.encode(readiness.json, style: .compactSorted)))
        case .agentNotImplemented: throw .notImplemented
        }
    }

    private func document(_ value: JSONValue, status: Int = 200) -> HTTPReply {
        .response(.json(status: status, JSONWriter.encode(value, style: .control)))
    }

    /// Nothing, or any JSON text.
    private func checkJSON(_ body: [UInt8]) throws(RouteError) {
        guard !body.isEmpty else { return }
        _ = try RouteError.parsing(RequestMembers.parse(body))
    }

    // MARK: Jobs

    private func create(_ body: [UInt8], isAuthorized: Bool) throws(RouteError) -> HTTPReply {
        let members = try RouteError.parsing(RequestMembers(body))
        // The key is ours: open routes leave the choice of a directory to those who hold the token.
        guard isAuthorized || !members.has("destination") else { throw .unauthorized }
        let request = try RouteError.parsing(ExportRequestParser.parse(members))
        return wait { control.createExport(request, waiter: $0) }
    }

    private func resume(_ id: UUID, _ body: [UInt8]) throws(RouteError) -> HTTPReply {
        let seconds = try RouteError.parsing(
            ExportRequestParser.waitTimeoutSeconds(body.isEmpty ? RequestMembers() : RequestMembers(body)))
        return wait { control.resumeExport(id, waitTimeoutSeconds: seconds, waiter: $0) }
    }

    /// Submits, and holds the client until its waiter is called. A client that leaves detaches the waiter.
    private func wait(_ submit: (@escaping ControlWaiter) -> ControlSubmission) -> HTTPReply {
        let deferred = HTTPDeferred()
        switch submit({ [delivery] answer in delivery.complete(deferred, with: answer) }) {
        case .answered(let answer): return delivery.reply(answer)
        case .waiting(let waiter):
            deferred.onClientLeft { [control] in control.detachWaiter(waiter) }
            return .deferred(deferred)
        }
    }

    private func verify(_ id: UUID) -> HTTPReply {
        let deferred = HTTPDeferred()
        delivery.pool.submit { [control] in
            guard !deferred.clientHasLeft else { return }
            do throws(ReceiverControlError) {
                let verification = try control.verifyExport(id)
                deferred.complete(.json(status: 200, JSONWriter.encode(verification.json, style: .control)))
            } catch {
                deferred.complete(RouteError.control(error).response(isAgent: false))
            }
        }
        return .deferred(deferred)
    }

    // MARK: Pairing

    private func pair(_ route: ControlRoute, _ body: [UInt8]) throws(RouteError) -> HTTPReply {
        switch route {
        case .openPairing:
            let request = try OpenPairingRequest(body)
            let opened = try RouteError.asking(
                control.openPairing(request.style, timeoutSeconds: request.timeoutSeconds))
            return document(try opened.json(), status: 201)
        case .approvePairing(let id):
            let accept = try OpenPairingRequest.approval(body)
            return document(
                try RouteError.asking(control.approvePairing(id, accept: accept)).json())
        case .closePairing(let id):
            return document(try RouteError.asking(control.closePairing(id)).json())
        case .pairing(let id):
            return document(try RouteError.asking(control.pairing(id)).json())
        default: preconditionFailure("not a route of pairing")
        }
    }
}
