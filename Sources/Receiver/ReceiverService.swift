import ConnectedProtocol
import DurableStore
import Foundation

/// The façade over the engine: each call is done on the engine's thread and its result handed back.
final class ReceiverService: ReceiverControl {
    private let engine: ReceiverEngine

    init(_ engine: ReceiverEngine) { self.engine = engine }

    private func onEngine<Value: Sendable>(_ body: @escaping @Sendable (ReceiverEngine) -> Value) -> Value {
        let promise = Promise<Value>()
        engine.queue.post { [engine] in promise.fulfill(body(engine)) }
        return promise.wait()
    }

    private func onEngine<Value: Sendable>(
        throwing body: @escaping @Sendable (ReceiverEngine) throws(ReceiverControlError) -> Value
    ) throws(ReceiverControlError) -> Value {
        let result: Result<Value, ReceiverControlError> = onEngine { engine in
            do throws(ReceiverControlError) {
                return .success(try body(engine))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func status() -> ReceiverStatus { onEngine { $0.status() } }

    func version() -> ReceiverVersion {
        ReceiverVersion(
            version: engine.configuration.version, corpusProtocolVersions: Array(CorpusCapabilities.knownVersions),
            binaryFrameVersions: [BinaryFrame.version], rawResultVersions: [1],
            acceptedHealthDataVersions: engine.configuration.acceptedDocumentVersions.sorted(),
            limits: [
                "partition_bytes": PartitionDescriptor.maximumByteCount,
                "chunk_bytes": Int64(TransferStart.maximumChunkByteCount),
                "concurrent_transfers": Int64(TransferReceiver.maximumTransferCount),
                "maximum_window": Int64(engine.configuration.maximumWindow),
                "retention_seconds": Job.retentionSeconds,
                "free_space_reserve_bytes": ReceiverSession.freeSpaceReserveBytes,
            ])
    }

    func createExport(_ request: JobRequest, waiter: @escaping ControlWaiter) -> ControlSubmission {
        onEngine { $0.create(request, waiter: waiter) }
    }

    func resumeExport(
        _ jobID: UUID, waitTimeoutSeconds: Double, waiter: @escaping ControlWaiter
    ) -> ControlSubmission {
        onEngine { $0.resume(jobID, waitTimeoutSeconds: waitTimeoutSeconds, waiter: waiter) }
    }

    func detachWaiter(_ waiter: WaiterID) {
        onEngine { $0.detach(waiter) }
    }

    func cancelExport(_ jobID: UUID) -> ControlAnswer { onEngine { $0.cancel(jobID) } }

    func export(_ jobID: UUID, stateOnly: Bool) -> ControlAnswer { onEngine { $0.job(jobID, stateOnly: stateOnly) } }

    func listExports(_ query: JobListQuery) throws(ReceiverControlError) -> JobList {
        try onEngine(throwing: { (engine) throws(ReceiverControlError) in try engine.list(query) })
    }

    func verifyExport(_ jobID: UUID) throws(ReceiverControlError) -> JobVerification {
        let plan = try onEngine(throwing: { (engine) throws(ReceiverControlError) in
            try engine.verificationPlan(jobID)
        })
        return plan.run()
    }

    func openPairing(
        _ style: PairingCodeStyle, timeoutSeconds: Int?
    ) throws(ReceiverControlError) -> OpenedPairing {
        try onEngine(throwing: { (engine) throws(ReceiverControlError) in
            try engine.openPairing(style, timeoutSeconds: timeoutSeconds)
        })
    }

    func pairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation {
        try onEngine(throwing: { (engine) throws(ReceiverControlError) in try engine.pairing(id) })
    }

    func approvePairing(_ id: UUID, accept: Bool) throws(ReceiverControlError) -> PairingInformation {
        try onEngine(throwing: { (engine) throws(ReceiverControlError) in
            try engine.answerPairing(id, accept: accept)
        })
    }

    func closePairing(_ id: UUID) throws(ReceiverControlError) -> PairingInformation {
        try onEngine(throwing: { (engine) throws(ReceiverControlError) in try engine.closePairing(id) })
    }

    func peers() -> PeerList { onEngine { $0.peerList() } }

    func unpair(_ installationID: UUID) throws(ReceiverControlError) {
        try onEngine(throwing: { (engine) throws(ReceiverControlError) in try engine.unpair(installationID) })
    }

    func destination() -> DestinationInformation { onEngine { $0.destinationInformation() } }

    func setDestination(_ path: String) throws(ReceiverControlError) -> DestinationInformation {
        try onEngine(throwing: { (engine) throws(ReceiverControlError) in try engine.setDestination(path) })
    }
}
