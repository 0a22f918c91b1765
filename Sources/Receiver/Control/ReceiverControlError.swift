import Foundation

/// Refusals of the routes that do not answer with a job's response object.
public enum ReceiverControlError: Error, Hashable, Sendable {
    /// No job has this id, or it expired.
    case jobNotFound
    /// The job has not finished, so there is nothing to verify.
    case jobNotFinished
    /// The `before` cursor was not made by this receiver.
    case invalidCursor
    /// Another pairing is open.
    case pairingInProgress
    /// No pairing has this id.
    case pairingNotFound
    /// The pairing does not wait for an approval.
    case pairingNotAwaitingApproval
    /// The time-out lies outside the limits of the code style.
    case invalidTimeout(allowed: ClosedRange<Int>)
    /// No trusted phone has this installation id.
    case deviceNotFound
    /// The path is no usable destination; `reason` says which rule it breaks.
    case invalidDestination(reason: String)
    /// A file job is live.
    case exportInProgress(activeJobID: UUID)
    /// A check of the stored response failed.
    case responseSpoolUnavailable
    /// The change could not be stored durably.
    case persistenceFailed
    /// The receiver is stopping.
    case shuttingDown

    /// The stable code.
    public var code: String {
        switch self {
        case .jobNotFound: "job_not_found"
        case .jobNotFinished: "job_not_finished"
        case .invalidCursor: "invalid_cursor"
        case .pairingInProgress: "pairing_in_progress"
        case .pairingNotFound: "pairing_not_found"
        case .pairingNotAwaitingApproval: "pairing_not_awaiting_approval"
        case .invalidTimeout: "invalid_timeout"
        case .deviceNotFound: "direct_device_not_found"
        case .invalidDestination: "invalid_destination"
        case .exportInProgress: "export_in_progress"
        case .responseSpoolUnavailable: "control_response_spool_unavailable"
        case .persistenceFailed: "job_persistence_failed"
        case .shuttingDown: "server_not_ready"
        }
    }

    /// The HTTP status that goes with the code.
    public var httpStatus: Int {
        switch self {
        case .jobNotFound, .pairingNotFound, .deviceNotFound: 404
        case .invalidCursor, .invalidTimeout, .invalidDestination: 400
        case .jobNotFinished, .pairingInProgress, .pairingNotAwaitingApproval, .exportInProgress,
            .responseSpoolUnavailable, .persistenceFailed:
            409
        case .shuttingDown: 503
        }
    }

    /// A sentence with the next step.
    public var message: String {
        switch self {
        case .jobNotFound: "No job has this id, or it expired after seven days. List jobs with `healthmd jobs`."
        case .jobNotFinished: "The job has not finished. Verify it when `healthmd status --job` shows it completed."
        case .invalidCursor: "The cursor was not made by this receiver. Start the listing without `before`."
        case .pairingInProgress: "Another pairing is open. Finish it, or close it with `healthmd pair --close`."
        case .pairingNotFound: "No pairing has this id. Open one with `healthmd pair`."
        case .pairingNotAwaitingApproval: "This pairing does not wait for an approval."
        case .invalidTimeout(let allowed):
            "The time-out must lie between \(allowed.lowerBound) and \(allowed.upperBound) seconds."
        case .deviceNotFound: "No trusted phone has this installation id. `healthmd devices` lists them."
        case .invalidDestination(let reason): "This directory cannot be the destination: \(reason)"
        case .exportInProgress: "A file job is live. Let it finish, or cancel it, and try again."
        case .responseSpoolUnavailable:
            "The stored response did not pass its check. Run the extraction again under a new job."
        case .persistenceFailed: "The change could not be stored. Check the free space and try again."
        case .shuttingDown: "The receiver is stopping. Start it again with `healthmd serve`."
        }
    }
}
