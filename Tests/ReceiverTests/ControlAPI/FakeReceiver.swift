import Foundation
import Receiver
import Synchronization

/// A receiver that answers from a script and notes what it was asked.
final class FakeReceiver: ReceiverControl {
    struct State {
        var status = ReceiverStatus(
            phone: ReceiverStatus.Phone(), phones: [], destination: DestinationInformation(), activeExport: nil)
        /// The answer of create and resume; nil: they wait.
        var submission: ControlAnswer?
        /// The waiter is called with this before create or resume return.
        var earlyAnswer: ControlAnswer?
        /// What cancel and job state answer.
        var answer = ControlAnswer(
            ControlResponse(status: .unavailable, message: "unknown", failureReason: "job_not_found"))
        var list = JobList(jobs: [], nextCursor: nil)
        var devices: [PeerList.Device] = []
        /// Thrown by whatever can throw.
        var refusal: ReceiverControlError?
        var differences: [JobVerification.Difference] = []

        var created: [JobRequest] = []
        var resumed: [(job: UUID, seconds: Double)] = []
        var stateOnly: [Bool] = []
        var queries: [JobListQuery] = []
        var calls: [String] = []
        var waiters: [WaiterID: ControlWaiter] = [:]
        var detached: [WaiterID] = []
        var pairing = PairingInformation(
            id: FakeReceiver.pairingID, state: .waiting, expiresAt: 1_700_000_000, codeStyle: .strong)
    }

    static let pairingID = UUID(uuidString: "B0000000-0000-4000-8000-00000000000b")!

    private let state = Mutex(State())

    func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

    func read<Value: Sendable>(_ body: (borrowing State) -> Value) -> Value { state.withLock { body($0) } }

    /// Ends all waits.
    func finish(_ answer: ControlAnswer) {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter(answer) }
    }

    private func note(_ call: String) throws(ReceiverControlError) {
        let refusal = state.withLock { state in
            state.calls.append(call)
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    private func submit(_ waiter: @escaping ControlWaiter) -> ControlSubmission {
        if let answer = state.withLock({ $0.earlyAnswer }) {
            waiter(answer)
            return .waiting(WaiterID(rawValue: 0))
        }
        return state.withLock { state in
            if let answer = state.submission { return .answered(answer) }
            let id = WaiterID(rawValue: UInt64(state.waiters.count + state.detached.count + 1))
            state.waiters[id] = waiter
            return .waiting(id)
        }
    }

    // MARK: ReceiverControl

    func status() -> ReceiverStatus { state.withLock { $0.status } }

    func version() -> ReceiverVersion {
        ReceiverVersion(
            version: "1.2.3", corpusProtocolVersions: [1, 2, 3, 4], binaryFrameVersions: [1], rawResultVersions: [1],
            acceptedHealthDataVersions: [8, 10], limits: ["maximum_window": 8])
    }

    func createExport(_ request: JobRequest, waiter: @escaping ControlWaiter) -> ControlSubmission {
        state.withLock { $0.created.append(request) }
        return submit(waiter)
    }

    func resumeExport(
        _ jobID: UUID, waitTimeoutSeconds: Double, waiter: @escaping ControlWaiter
    ) -> ControlSubmission {
        state.withLock { $0.resumed.append((jobID, waitTimeoutSeconds)) }
        return submit(waiter)
    }

    func detachWaiter(_ waiter: WaiterID) {
        state.withLock { state in
            state.waiters[waiter] = nil
            state.detached.append(waiter)
        }
    }

    func cancelExport(_ jobID: UUID) -> ControlAnswer {
        state.withLock { state in
            state.calls.append("cancel \(jobID)")
            return state.answer
        }
    }

    func export(_ jobID: UUID, stateOnly: Bool) -> ControlAnswer {
        state.withLock { state in
            state.calls.append("export \(jobID)")
            state.stateOnly.append(stateOnly)
            return stateOnly ? ControlAnswer(state.answer.response) : state.answer
        }
    }

    func listExports(_ query: JobListQuery) throws(ReceiverControlError) -> JobList {
        state.withLock { $0.queries.append(query) }
        try note("list")
        return state.withLock { $0.list }
    }

    func verifyExport(_ jobID: UUID) throws(ReceiverControlError) -> JobVerification {
        try note("verify \(jobID)")
        return JobVerification(jobID: jobID, files: 3, bytes: 5_000_000_000, differences: read { $0.differences })
    }

    func openPairing(
        _ style: PairingCodeStyle, timeoutSeconds: Int?
    ) throws(ReceiverControlError) -> OpenedPairing {
        try note("pair \(style.rawValue) \(timeoutSeconds.map(String.init) ?? "default")")
        return OpenedPairing(
            pairing: read { $0.pairing }, code: "12345678901234567890", port: 17_646,
            addresses: ["192.0.2.1", "2001:db8::1"])
    }

    func pairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation {
        try note("pairing \(id)")
        return read { $0.pairing }
    }

    func approvePairing(_ id: UUID, accept: Bool) throws(ReceiverControlError) -> PairingInformation {
        try note("approve \(id) \(accept)")
        return read { $0.pairing }
    }

    func closePairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation {
        try note("close \(id)")
        return read { $0.pairing }
    }

    func peers() -> PeerList {
        PeerList(installationID: FakeReceiver.pairingID, devices: state.withLock { $0.devices })
    }

    func unpair(_ installationID: UUID) throws(ReceiverControlError) { try note("unpair \(installationID)") }

    func destination() -> DestinationInformation { state.withLock { $0.status.destination } }

    func setDestination(_ path: String) throws(ReceiverControlError) -> DestinationInformation {
        try note("destination \(path)")
        return DestinationInformation(isSelected: true, isWritable: true, path: path, displayName: "Health")
    }
}
