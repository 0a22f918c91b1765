import CanonicalJSON
import HTTPService

/// Turns answers of the receiver into HTTP responses (control-api.md 7, 14).
struct ResponseDelivery: Sendable {
    let pool: BlockingPool

    /// The reply to an answer that is there at once. A stored body is copied on another thread meanwhile.
    func reply(_ answer: ControlAnswer) -> HTTPReply {
        guard answer.spool != nil else { return .response(Self.small(answer.response)) }
        let deferred = HTTPDeferred()
        complete(deferred, with: answer)
        return .deferred(deferred)
    }

    /// Answers a client that waits. Never blocks, so that a thread of the receiver may call it.
    func complete(_ deferred: HTTPDeferred, with answer: ControlAnswer) {
        guard let spool = answer.spool else {
            deferred.complete(Self.small(answer.response))
            return
        }
        pool.submit {
            guard !deferred.clientHasLeft else { return }
            do throws(ReceiverControlError) {
                let snapshot = try spool.openSnapshot()
                // Refused when the client left meanwhile; then the snapshot's descriptor is closed with the response.
                deferred.complete(try Self.stored(snapshot, spool.description))
                // Behind the downloads that wait already: nobody waits for this.
                if let afterwards = snapshot.afterwards { pool.submit(afterwards) }
            } catch {
                deferred.complete(Self.unavailable(answer.response, error))
            }
        }
    }

    static func small(_ response: ControlResponse) -> HTTPResponse {
        .json(status: response.httpStatus, JSONWriter.encode(.object(response.json), style: .control))
    }

    /// The stored body with its seven headers.
    private static func stored(
        _ snapshot: ResponseSnapshot, _ facts: RawResponseDescription
    ) throws(ReceiverControlError) -> HTTPResponse {
        let file = HTTPFileBody(
            descriptor: snapshot.fileDescriptor, offset: 0, byteCount: UInt64(clamping: snapshot.byteCount),
            keeping: snapshot.owner)
        guard snapshot.byteCount == facts.byteCount else { throw .responseSpoolUnavailable }
        var headers: HTTPHeaders = ["Content-Type": "application/json; charset=utf-8"]
        for (name, value) in facts.headers { headers.add(name, value) }
        return HTTPResponse(status: 200, headers: headers, body: .file(file))
    }

    /// The small response without the raw body, which says that a check failed (HTTP 409).
    private static func unavailable(_ response: ControlResponse, _ error: ReceiverControlError) -> HTTPResponse {
        var told = response
        told.failureReason = error.code
        told.message = error.message
        return .json(status: error.httpStatus, JSONWriter.encode(.object(told.json), style: .control))
    }
}
