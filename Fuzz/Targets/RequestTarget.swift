import Foundation
import Transport

@testable import HTTPService
@testable import Receiver

/// Requests to the control API (control-api.md 2 to 6, extensions.md 5): a head is found in the same place however it
/// arrives, and whatever passes the head check gets an answer from the routes.
func fuzzRequest(_ input: [UInt8]) {
    guard let input = KnobbedInput(input) else { return }
    let rules = HTTPRules()
    guard let count = headByteCount(input.bytes, step: Int(input.knob) + 1, rules) else { return }
    let head: HTTPRequestHead
    switch input.bytes.withUnsafeBytes({
        RequestHeadParser.parse(UnsafeRawBufferPointer(rebasing: $0[..<count]), rules: rules)
    }) {
    case .success(let found): head = found
    case .failure(let fault):
        hold((400...599).contains(fault.status), "a fault has a status")
        return
    }
    hold(!head.isChunked, "the control API takes no chunked bodies")
    let length = head.contentLength ?? 0
    hold((0...rules.maximumBodyByteCount).contains(length), "a body is within its limit")
    // The body is what came, up to what was announced: the routes see a shorter one nowhere else.
    let body = Array(input.bytes[count...].prefix(length))
    guard case .collect(_, let context) = router.admit(head, from: peer) else { return }
    let reply = router.answer(HTTPRequest(head: head, peer: peer, body: body, context: context))
    guard case .response(let response) = reply else { return }
    hold((200...599).contains(response.status), "an answer has a status")
}

/// Where the head ends, found piece by piece and at once.
private func headByteCount(_ bytes: [UInt8], step: Int, _ rules: HTTPRules) -> Int? {
    func find(_ step: Int) -> RequestHeadScanner.Finding {
        var scanner = RequestHeadScanner(maximumByteCount: rules.maximumHeadByteCount)
        var finding = RequestHeadScanner.Finding.incomplete
        for end in stride(from: 1, through: bytes.count, by: step).map(\.self) + [bytes.count] {
            finding = bytes.withUnsafeBytes { scanner.scan(UnsafeRawBufferPointer(rebasing: $0[..<end])) }
            guard finding == .incomplete else { break }
        }
        return finding
    }
    // An empty input is one piece too.
    let finding = find(max(1, bytes.count))
    hold(finding == find(step), "a head is found in the same place however it arrives")
    guard case .complete(let count) = finding else { return nil }
    return count
}

private let peer = SocketAddress(address: .loopbackIPv4, port: 50_000)

/// Open routes, so that inputs need not guess a token.
private let router: ControlRouter = {
    let token = String(repeating: "t", count: ControlAccess.minimumTokenCharacterCount)
    guard let access = ControlAccess(token: token, requiresToken: false) else { fatalError("the token is long enough") }
    return ControlRouter(
        control: EmptyReceiver(), access: access, delivery: ResponseDelivery(pool: BlockingPool()))
}()

/// A receiver that has nothing and refuses everything.
private final class EmptyReceiver: ReceiverControl {
    private let nothing = ControlAnswer(
        ControlResponse(status: .unavailable, message: "unknown", failureReason: "job_not_found"))

    func status() -> ReceiverStatus {
        ReceiverStatus(
            phone: ReceiverStatus.Phone(), phones: [], destination: DestinationInformation(), activeExport: nil)
    }
    func version() -> ReceiverVersion {
        ReceiverVersion(
            version: "0", corpusProtocolVersions: [4], binaryFrameVersions: [1], rawResultVersions: [1],
            acceptedHealthDataVersions: [10], limits: [:])
    }
    func createExport(_ request: JobRequest, waiter: @escaping ControlWaiter) -> ControlSubmission {
        .answered(nothing)
    }
    func resumeExport(
        _ jobID: UUID, waitTimeoutSeconds: Double, waiter: @escaping ControlWaiter
    ) -> ControlSubmission {
        hold(waitTimeoutSeconds.isFinite && waitTimeoutSeconds >= 0, "a wait is a length of time")
        return .answered(nothing)
    }
    func detachWaiter(_ waiter: WaiterID) {}
    func cancelExport(_ jobID: UUID) -> ControlAnswer { nothing }
    func export(_ jobID: UUID, stateOnly: Bool) -> ControlAnswer { nothing }
    func listExports(_ query: JobListQuery) throws(ReceiverControlError) -> JobList {
        JobList(jobs: [], nextCursor: nil)
    }
    func verifyExport(_ jobID: UUID) throws(ReceiverControlError) -> JobVerification { throw .jobNotFound }
    func openPairing(
        _ style: PairingCodeStyle, timeoutSeconds: Int?
    ) throws(ReceiverControlError) -> OpenedPairing { throw .pairingInProgress }
    func pairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation { throw .pairingNotFound }
    func approvePairing(_ id: UUID, accept: Bool) throws(ReceiverControlError) -> PairingInformation {
        throw .pairingNotFound
    }
    func closePairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation { throw .pairingNotFound }
    func peers() -> PeerList { PeerList(installationID: UUID(), devices: []) }
    func unpair(_ installationID: UUID) throws(ReceiverControlError) { throw .deviceNotFound }
    func destination() -> DestinationInformation { DestinationInformation() }
    func setDestination(_ path: String) throws(ReceiverControlError) -> DestinationInformation {
        hold(path.hasPrefix("/") && !path.utf8.contains(0), "a destination is an absolute path")
        return DestinationInformation()
    }
}
