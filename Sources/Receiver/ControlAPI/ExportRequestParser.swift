import ConnectedProtocol
import Foundation
import HealthData

/// Reads `POST /v1/exports`. The order of checks is that of control-api.md 5; a malformed `job_id` comes right behind a malformed body,
/// `device_id` and `destination` (extensions.md 5) come last.
enum ExportRequestParser {
    /// `wait_timeout_seconds` (control-api.md 5).
    static let allowedWaitSeconds = 5.0...900.0
    /// `wait_timeout_seconds` when it is absent.
    static let defaultWaitSeconds = 300.0

    static func parse(_ members: RequestMembers) throws(ExportRequestError) -> JobRequest {
        // Step 1: every member has its kind.
        let fields = try Fields(members)
        guard fields.source.map({ $0 == "connected_iphone" }) ?? true else { throw .unsupportedSource }
        let dates = try fields.dateSelection()
        let policy = try fields.settingsPolicy()
        let mode = try fields.responseMode()
        let profile = try fields.rawProfile(mode)
        let selection = try fields.selection.map { (selection) throws(ExportRequestError) in
            guard mode == .writeFiles || profile == .healthDataProjection else {
                throw .selectionRequiresProjectionOrFiles
            }
            guard policy == .requestedDatesOnly else { throw .selectionRequiresRequestedSettings }
            return try selection.resolved(isProjection: profile == .healthDataProjection)
        }
        // A strict profile with a selection was refused above.
        guard profile != .healthDataProjection || selection != nil else { throw .projectionSelectionMismatch }
        let seconds = try waitTimeoutSeconds(members)
        return JobRequest(
            jobID: fields.jobID ?? UUID(), dateSelection: dates, settingsPolicy: policy, responseMode: mode,
            rawProfile: profile, canonicalSelection: selection, deviceID: try fields.device(),
            destination: try fields.destinationPath(mode), replacesExisting: fields.replacesExisting,
            queueIfOffline: fields.queueIfOffline, waitTimeoutSeconds: seconds)
    }

    /// `wait_timeout_seconds`, also the whole body of a resume (control-api.md 10).
    static func waitTimeoutSeconds(_ members: RequestMembers) throws(ExportRequestError) -> Double {
        guard let seconds = try members.number("wait_timeout_seconds")?.double else { return defaultWaitSeconds }
        guard allowedWaitSeconds.contains(seconds) else { throw .invalidTimeout }
        return seconds
    }

    /// The members as they stand, each of its kind.
    private struct Fields {
        let jobID: UUID?
        let source: String?
        let dateWord: String?
        /// `date_range`, or `from` and `to`.
        let ranges: [(start: String?, end: String?)]
        let policyWord: String?
        let modeWord: String?
        let profileWord: String?
        let selection: SelectionFields?
        let deviceWord: String?
        let destination: String?
        let replacesExisting: Bool
        let queueIfOffline: Bool

        init(_ members: RequestMembers) throws(ExportRequestError) {
            let jobWord = try members.string("job_id")
            source = try members.string("source")
            dateWord = try members.string("date_selection")
            var ranges: [(start: String?, end: String?)] = []
            if let range = try members.members("date_range") {
                ranges.append((try range.string("start"), try range.string("end")))
            }
            let legacy = (start: try members.string("from"), end: try members.string("to"))
            if legacy.start != nil || legacy.end != nil { ranges.append(legacy) }
            self.ranges = ranges
            policyWord = try members.string("settings_policy")
            modeWord = try members.string("response_mode")
            profileWord = try members.string("raw_profile")
            selection = try members.members("canonical_selection").map { (selection) throws(ExportRequestError) in
                try SelectionFields(selection)
            }
            deviceWord = try members.string("device_id")
            destination = try members.string("destination")
            replacesExisting = try members.bool("replace_existing") ?? false
            queueIfOffline = try members.bool("queue_if_offline") ?? false
            _ = try members.number("wait_timeout_seconds")
            jobID = try jobWord.map { (word) throws(ExportRequestError) in
                guard let id = UUID(strict: word) else { throw .invalidJobID }
                return id
            }
        }

        func dateSelection() throws(ExportRequestError) -> JobRequest.DateSelection {
            switch dateWord {
            case nil, "explicit_range", "explicitRange":
                // Both forms may be given as long as they say the same.
                guard let range = ranges.first, ranges.allSatisfy({ $0 == range }),
                    let first = range.start.flatMap({ CalendarDay($0) }),
                    let last = range.end.flatMap({ CalendarDay($0) }), first <= last,
                    // The request names every day, so an unbounded range would outgrow the largest document.
                    last.daysSince1970 - first.daysSince1970 < RequestAcceptance.maximumDays
                else { throw .invalidDateRange }
                return .explicitRange(first: first, last: last)
            case "all_available", "allAvailable":
                guard ranges.isEmpty else { throw .ambiguousDateSelection }
                return .allAvailable
            default: throw .unsupportedDateSelection
            }
        }

        func settingsPolicy() throws(ExportRequestError) -> JobRequest.SettingsPolicy {
            switch policyWord {
            case nil, "requested_dates_only", "requestedDatesOnly": .requestedDatesOnly
            case "current_iphone_settings", "currentIPhoneSettings": .currentIPhoneSettings
            default: throw .unsupportedSettingsPolicy
            }
        }

        func responseMode() throws(ExportRequestError) -> JobRequest.ResponseMode {
            switch modeWord {
            case nil, "write_files", "writeFiles": .writeFiles
            case "raw_json", "rawJSON": .rawJSON
            default: throw .unsupportedResponseMode
            }
        }

        func rawProfile(_ mode: JobRequest.ResponseMode) throws(ExportRequestError) -> JobRequest.RawProfile? {
            guard let profileWord else { return nil }
            guard let profile = JobRequest.RawProfile(rawValue: profileWord) else { throw .unsupportedRawProfile }
            guard mode == .rawJSON else { throw .rawProfileRequiresRawJSON }
            return profile
        }

        func device() throws(ExportRequestError) -> UUID? {
            guard let deviceWord else { return nil }
            guard let id = UUID(strict: deviceWord) else { throw .invalidDeviceID }
            return id
        }

        func destinationPath(_ mode: JobRequest.ResponseMode) throws(ExportRequestError) -> String? {
            guard let destination else { return nil }
            guard mode == .writeFiles, DestinationRequest.isPath(destination) else { throw .invalidDestination }
            return destination
        }
    }
}
