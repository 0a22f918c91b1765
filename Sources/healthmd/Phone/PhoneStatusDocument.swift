import CanonicalJSON
import HealthExport
import Sender

/// `healthmd.phone_status` v1.
enum PhoneStatusDocument {
    static func of(_ status: PhoneStatus) -> JSONValue {
        var document: JSONObject = [
            "schema": "healthmd.phone_status", "schema_version": 1,
            "installation_id": .string(status.installationID.uuidString), "serving": .bool(status.isServing),
            "jobs": .array(status.jobs.map(job)),
            "pushes": .array(
                status.pushes.map {
                    ["job_id": .string($0.jobID.uuidString), "from": .string($0.from), "to": .string($0.to)]
                }),
        ]
        document.append("serving_pid", ifPresent: status.servingPid.map { .integer(Int($0)) })
        document.append("workstation", ifPresent: status.workstation.map(workstation))
        document.append("data", ifPresent: status.data.map(data))
        return .object(document)
    }

    private static func workstation(_ workstation: PhoneStatus.Workstation) -> JSONValue {
        var document: JSONObject = [
            "installation_id": .string(workstation.installationID.uuidString), "name": .string(workstation.name),
            "host": .string(workstation.host), "port": .integer(workstation.port),
            "provisional": .bool(workstation.isProvisional),
        ]
        document.append("paired_at", ifPresent: time(workstation.pairedAt))
        return .object(document)
    }

    private static func data(_ data: PhoneStatus.Data) -> JSONValue {
        var document: JSONObject = [
            "generation": .integer(data.generation), "time_zone": .string(data.timeZone),
            "record_count": .integer(data.recordCount), "status": data.isComplete ? "complete" : "incomplete",
            "left_out": .integer(data.leftOutCount), "gaps": .array(data.gaps.map(DayGapDocument.of)),
        ]
        document.append("first_day", ifPresent: data.firstDay.map(JSONValue.string))
        document.append("last_day", ifPresent: data.lastDay.map(JSONValue.string))
        return .object(document)
    }

    private static func job(_ job: PhoneStatus.Job) -> JSONValue {
        var document: JSONObject = [
            "job_id": .string(job.jobID.uuidString), "origin": .string(job.origin), "mode": .string(job.mode),
            "state": .string(StateWord.snake(job.state)), "processed_days": .integer(job.processedDays),
            "total_days": .integer(job.totalDays), "committed_partitions": .integer(job.committedPartitions),
            "committed_bytes": .number(JSONNumber(job.committedBytes)),
        ]
        document.append("first_day", ifPresent: job.firstDay.map(JSONValue.string))
        document.append("last_day", ifPresent: job.lastDay.map(JSONValue.string))
        document.append("message", ifPresent: job.message.map(JSONValue.string))
        document.append("updated_at", ifPresent: time(job.updatedAt))
        return .object(document)
    }

    private static func time(_ unixSeconds: Int64) -> JSONValue? {
        RFC3339.seconds(since2001: Double(unixSeconds - Int64(RFC3339.referenceSince1970))).map(JSONValue.string)
    }
}

/// A stretch without any day, in the report of an import and in the phone side's status.
enum DayGapDocument {
    static func of(_ gap: DayGap) -> JSONValue {
        [
            "last_day_before": .string(gap.lastDayBefore), "first_day_after": .string(gap.firstDayAfter),
            "empty_days": .integer(gap.emptyDayCount), "days_before": .integer(gap.earlierDayCount),
            "days_after": .integer(gap.laterDayCount),
            "dates_before": .array(gap.earlierDays.map(JSONValue.string)),
        ]
    }
}
