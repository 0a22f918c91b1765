import CanonicalJSON

extension ControlResponse {
    /// The response object, its members sorted by key; absent optional members are left out (control-api.md 7).
    public var json: JSONObject {
        var object = JSONObject()
        object.append("status", .string(status.rawValue))
        object.append("message", .string(message))
        object.append("job_id", ifPresent: jobID.map { .string($0.uuidString) })
        object.append("failure_reason", ifPresent: failureReason.map { .string($0) })
        object.append("success_count", ifPresent: successCount.map { .integer($0) })
        object.append("total_count", ifPresent: totalCount.map { .integer($0) })
        object.append("files_written", ifPresent: filesWritten.map { .integer($0) })
        object.append("files_written_is_lower_bound", ifPresent: filesWrittenIsLowerBound.map { .bool($0) })
        object.append("external_record_count", ifPresent: externalRecordCount.map { .integer($0) })
        object.append("daily_notes_updated", ifPresent: dailyNotesUpdated.map { .integer($0) })
        object.append("daily_notes_skipped", ifPresent: dailyNotesSkipped.map { .integer($0) })
        object.append("destination_display_name", ifPresent: destinationDisplayName.map { .string($0) })
        object.append("destination_path", ifPresent: destinationPath.map { .string($0) })
        object.append("partial_failures", ifPresent: partialFailures.map { .array($0.map(\.json)) })
        object.append("active_job_id", ifPresent: activeJobID.map { .string($0.uuidString) })
        object.append("device_ids", ifPresent: deviceIDs.map { .array($0.map { .string($0.uuidString) }) })
        durable?.append(to: &object, withTotalDays: false)
        object.members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return object
    }
}

extension ControlResponse.PartialFailure {
    fileprivate var json: JSONValue {
        var object = JSONObject()
        object.append("code", .string(code))
        object.append("date", ifPresent: date.map { .string($0) })
        object.append("message", .string(message))
        return .object(object)
    }
}

extension DurableState {
    /// Adds the durable keys to an object; `total_days` stands in `active_export` only.
    public func append(to object: inout JSONObject, withTotalDays: Bool) {
        object.append("durable", .bool(isDurable))
        object.append("state", .string(state.rawValue))
        object.append("session_id", ifPresent: sessionID.map { .string($0.uuidString) })
        object.append("paused", .bool(isPaused))
        object.append("processed_days", .integer(processedDays))
        if withTotalDays { object.append("total_days", .integer(totalDays)) }
        object.append("fraction_complete", .double(fractionComplete))
        object.append("committed_partitions", .integer(committedPartitions))
        object.append("committed_bytes", .number(JSONNumber(committedBytes)))
        object.append("expires_at", ifPresent: RFC3339.seconds(since1970: expiresAt).map { .string($0) })
    }
}

extension RFC3339 {
    /// `2026-03-15T12:34:56Z` of whole Unix seconds; nil outside the years 0 to 9999.
    static func seconds(since1970 seconds: Int64) -> String? {
        RFC3339.seconds(since2001: Double(seconds - Int64(RFC3339.referenceSince1970)))
    }
}
