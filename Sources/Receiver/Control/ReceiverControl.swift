import Foundation

/// What the loopback control API may ask of the receiver. The routes know this protocol and nothing behind it.
///
/// Every method may be called from any thread that may block; none waits for a phone or for bulk disk work except
/// where it says so. Job failures are ``ControlResponse`` values, everything else throws ``ReceiverControlError``.
public protocol ReceiverControl: AnyObject, Sendable {
    /// `GET /v1/status`.
    func status() -> ReceiverStatus
    /// `GET /v1/version`.
    func version() -> ReceiverVersion

    /// `POST /v1/exports`: admission in the order of control-api.md 6, then either an answer at once or a waiter.
    func createExport(_ request: JobRequest, waiter: @escaping ControlWaiter) -> ControlSubmission
    /// `POST /v1/exports/{id}/resume` (control-api.md 10).
    func resumeExport(_ jobID: UUID, waitTimeoutSeconds: Double, waiter: @escaping ControlWaiter) -> ControlSubmission
    /// The client of a waiter went away: its waiter is never called; the job goes on. Does not block, since the thread that
    /// accepts connections calls it; of a waiter that was called already, it is ignored.
    func detachWaiter(_ waiter: WaiterID)
    /// `POST /v1/exports/{id}/cancel`.
    func cancelExport(_ jobID: UUID) -> ControlAnswer
    /// `GET /v1/exports/{id}`; with `stateOnly` (`?fields=state`) never with a spool.
    func export(_ jobID: UUID, stateOnly: Bool) -> ControlAnswer
    /// `GET /v1/exports`, newest first.
    func listExports(_ query: JobListQuery) throws(ReceiverControlError) -> JobList
    /// `POST /v1/exports/{id}/verify`: reads every file of a finished job again. Blocks the caller for that long.
    func verifyExport(_ jobID: UUID) throws(ReceiverControlError) -> JobVerification

    /// `POST /v1/pairing`; one open pairing at a time.
    func openPairing(_ style: PairingCodeStyle, timeoutSeconds: Int?) throws(ReceiverControlError) -> OpenedPairing
    /// `GET /v1/pairing/{id}`.
    func pairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation
    /// `POST /v1/pairing/{id}/approve` of a pairing that awaits approval.
    func approvePairing(_ id: UUID, accept: Bool) throws(ReceiverControlError) -> PairingInformation
    /// `DELETE /v1/pairing/{id}`.
    func closePairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation

    /// `GET /v1/peers`.
    func peers() -> PeerList
    /// `DELETE /v1/peers/{id}`: forgets trust and closes the connection; live jobs stay, paused.
    func unpair(_ installationID: UUID) throws(ReceiverControlError)

    /// The stored destination, if any.
    func destination() -> DestinationInformation
    /// `PUT /v1/destination`.
    func setDestination(_ path: String) throws(ReceiverControlError) -> DestinationInformation
}

/// Called once, from a thread of the receiver, when a wait ends; it must not block.
public typealias ControlWaiter = @Sendable (ControlAnswer) -> Void

/// Names a registered waiter for ``ReceiverControl/detachWaiter(_:)``.
public struct WaiterID: Hashable, Sendable {
    /// Unique within the process.
    public let rawValue: UInt64

    /// An identifier.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// What creating or resuming led to.
public enum ControlSubmission: Sendable {
    /// There is nothing to wait for.
    case answered(ControlAnswer)
    /// The waiter is registered and will be called unless it is detached first.
    case waiting(WaiterID)
}

/// A response object and, for a finished raw job, its spooled body.
public struct ControlAnswer: Sendable {
    /// The small response object.
    public let response: ControlResponse
    // A constant: of a variable, which begins as nil, Swift 6.3 left out the nil where it inlined the initializer into a
    // new object (a fuzz target's), and so destroyed what had been in that memory when the first value was assigned.
    /// The whole body of a finished raw job: it replaces ``response`` on the wire.
    public let spool: (any ResponseSpool)?

    /// An answer.
    public init(_ response: ControlResponse, spool: (any ResponseSpool)? = nil) {
        self.response = response
        self.spool = spool
    }
}

/// The body of a finished raw job, kept on disk (control-api.md 14).
public protocol ResponseSpool: Sendable {
    /// Status, range, counts and digest for the response headers.
    var description: RawResponseDescription { get }
    /// Checks the artifact, copies it while hashing into an unlinked file and gives that. Blocks for that long.
    /// Throws ``ReceiverControlError/responseSpoolUnavailable`` when a check fails; the response is then sent
    /// without the raw body, with that code as its failure reason and HTTP 409.
    func openSnapshot() throws(ReceiverControlError) -> ResponseSnapshot
}

/// The facts that the seven headers of a raw response state.
public struct RawResponseDescription: Hashable, Sendable {
    /// `X-Healthmd-Export-Status`: `success` or `partial_success`.
    public var status: ControlResponse.Status
    /// `X-Healthmd-Raw-Date-Start`.
    public var firstDate: String
    /// `X-Healthmd-Raw-Date-End`.
    public var lastDate: String
    /// `X-Healthmd-Raw-Total-Days`.
    public var totalDays: Int
    /// Body length in bytes.
    public var byteCount: Int64
    /// `X-Healthmd-Body-SHA256`, 64 lower-case hex characters.
    public var sha256: String

    /// Header facts.
    public init(
        status: ControlResponse.Status, firstDate: String, lastDate: String, totalDays: Int, byteCount: Int64,
        sha256: String
    ) {
        self.status = status
        self.firstDate = firstDate
        self.lastDate = lastDate
        self.totalDays = totalDays
        self.byteCount = byteCount
        self.sha256 = sha256
    }

    /// The headers of a raw response, by name.
    public var headers: [(name: String, value: String)] {
        [
            ("X-Healthmd-Export-Status", status.rawValue),
            ("X-Healthmd-Raw-Schema", "healthmd.raw_result/1"),
            ("X-Healthmd-Raw-Validated", "1"),
            ("X-Healthmd-Raw-Date-Start", firstDate),
            ("X-Healthmd-Raw-Date-End", lastDate),
            ("X-Healthmd-Raw-Total-Days", String(totalDays)),
            ("X-Healthmd-Body-SHA256", sha256),
        ]
    }
}

/// A private, unlinked copy of a response body. The taker owns the descriptor and closes it.
public struct ResponseSnapshot: Sendable {
    /// Open for reading, at offset 0.
    public var fileDescriptor: Int32
    /// Its length in bytes.
    public var byteCount: Int64
    // A constant for the reason that the answer's `spool` is one.
    /// To be kept for as long as the descriptor is read from: further downloads of the same body share the copy meanwhile.
    public let owner: (any Sendable)?
    /// To be called when the client has its answer: looks after the copies that were not read for this download. Blocks
    /// for as long as that takes. Nil when such a look is on its way already.
    public var afterwards: (@Sendable () -> Void)?

    /// A snapshot.
    public init(
        fileDescriptor: Int32, byteCount: Int64, owner: (any Sendable)? = nil,
        afterwards: (@Sendable () -> Void)? = nil
    ) {
        self.fileDescriptor = fileDescriptor
        self.byteCount = byteCount
        self.owner = owner
        self.afterwards = afterwards
    }
}
