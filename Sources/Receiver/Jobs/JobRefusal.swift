import Foundation

/// Why a create or resume was refused: an `unavailable` response (control-api.md 6, 10).
public enum JobRefusal: Error, Hashable, Sendable {
    /// The phone cannot take a selection.
    case unsupportedCanonicalSelection
    /// The job id is taken by another request.
    case requestMismatch
    /// The stored state of this job id is damaged and quarantined.
    case stateCorrupt
    /// More than one phone is paired and none was named.
    case deviceSelectionRequired([UUID])
    /// No phone is paired at all.
    case notPaired
    /// The phone that was named, or that the job belongs to, is not paired.
    case deviceNotPaired
    /// No phone is connected.
    case phoneNotConnected
    /// The phone cannot take requests.
    case unsupportedPhone
    /// The phone cannot resolve all available days.
    case unsupportedAllAvailableHistory
    /// The phone cannot serve the raw profile.
    case unsupportedRawProfile
    /// There is no usable destination.
    case destinationUnavailable
    /// Another job is live.
    case exportInProgress(active: UUID)
    /// The range names no day.
    case invalidDateRange
    /// The record could not be stored.
    case persistenceFailed
    /// No job has this id.
    case jobNotFound
    /// The job's life ended while someone waited for it.
    case jobExpired
    /// Someone else waits for this job.
    case waiterExists
    /// The connected phone is another installation.
    case peerChanged

    /// The value of `failure_reason`.
    public var code: String {
        switch self {
        case .unsupportedCanonicalSelection: "unsupported_canonical_selection"
        case .requestMismatch: "job_id_request_mismatch"
        case .stateCorrupt: "job_state_corrupt"
        case .deviceSelectionRequired: "device_selection_required"
        // Control-api.md 6.4 names one code for a phone that is not there; the codes of the direct client (cli.md 12) are no words of
        // this API, and extensions.md 2 and 5 say nothing else. What tells the two apart is the empty `device_ids`.
        case .notPaired: "iphone_not_connected"
        case .deviceNotPaired: "direct_device_not_paired"
        case .phoneNotConnected: "iphone_not_connected"
        case .unsupportedPhone: "unsupported_iphone"
        case .unsupportedAllAvailableHistory: "unsupported_all_available_history"
        case .unsupportedRawProfile: "unsupported_raw_profile"
        case .destinationUnavailable: "mac_destination_unavailable"
        case .exportInProgress: "export_in_progress"
        case .invalidDateRange: "invalid_date_range"
        case .persistenceFailed: "job_persistence_failed"
        case .jobNotFound: "job_not_found"
        case .jobExpired: "job_expired"
        case .waiterExists: "job_waiter_exists"
        case .peerChanged: "peer_changed"
        }
    }

    /// A sentence with the next step.
    public var message: String {
        switch self {
        case .unsupportedCanonicalSelection:
            "The phone cannot select metrics. Update its app, or export without a selection."
        case .requestMismatch: "This job id belongs to another request. Use a new one."
        case .stateCorrupt:
            "The stored state of this job is damaged. It is kept aside for seven days; use a new job id."
        case .deviceSelectionRequired: "More than one phone is paired. Name one with `--device`."
        case .notPaired: "No phone is paired. Run `healthmd pair`, and type its code on the phone."
        case .deviceNotPaired:
            "This phone is not paired. `healthmd devices` lists those that are; `healthmd pair` adds one."
        case .phoneNotConnected:
            "The phone is not connected. Open the app on the phone, or run `healthmd phone serve` where the export is."
        case .unsupportedPhone: "The phone's app cannot take export requests. Update it."
        case .unsupportedAllAvailableHistory: "The phone's app cannot export all days. Name a range."
        case .unsupportedRawProfile: "The phone's app cannot serve this raw profile. Update it."
        case .destinationUnavailable:
            "There is no usable destination. Set one with `healthmd destination set DIR`."
        case .exportInProgress: "Another job is live. Wait for it, resume it or cancel it."
        case .invalidDateRange: "The range holds no day."
        case .persistenceFailed: "The job could not be stored. Check the free space and try again."
        case .jobNotFound: "No job has this id, or it expired after seven days."
        case .jobExpired: "The job expired: seven days are over. Start it again under a new id."
        case .waiterExists: "Another client waits for this job. Ask for its state instead."
        case .peerChanged: "The job belongs to another phone. Connect that one."
        }
    }

    /// The `unavailable` response.
    public func response(jobID: UUID?) -> ControlResponse {
        var response = ControlResponse(status: .unavailable, message: message, jobID: jobID, failureReason: code)
        switch self {
        case .exportInProgress(let active): response.activeJobID = active
        case .deviceSelectionRequired(let devices): response.deviceIDs = devices
        case .notPaired: response.deviceIDs = []
        default: break
        }
        return response
    }
}
