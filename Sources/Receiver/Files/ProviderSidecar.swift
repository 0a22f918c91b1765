import CanonicalJSON
import Foundation
import HMDCItem
import HealthData

/// What another provider delivered for a day, as a JSON file beside the day (hmdcitem.md 6.2, export-formats.md 12).
///
/// Names are ours, since none are published: `Providers/<provider>/<folder template>/<name>.json` below the health
/// subfolder. The layout is that of the daily file (health-data.md 4.1), the members those of the item.
struct ProviderSidecar {
    let path: String
    let record: ExternalDailyRecord

    /// The files of a day's records. Those whose provider cannot be a folder's name, and second ones of a provider, are
    /// counted in `unwritable`.
    static func all(
        _ records: [ExternalDailyRecord], on date: CivilDate, _ planner: FilePlanner
    ) throws -> (sidecars: [ProviderSidecar], unwritable: Int) {
        var sidecars: [ProviderSidecar] = []
        for record in records {
            guard let path = try planner.sidecarPath(provider: record.provider, on: date),
                !sidecars.contains(where: { $0.path == path })
            else { continue }
            sidecars.append(ProviderSidecar(path: path, record: record))
        }
        return (sidecars, records.count - sidecars.count)
    }

    /// The bytes of the file.
    func bytes() -> [UInt8] {
        var object: JSONObject = [
            "schema": .string(record.schema), "schema_version": .integer(record.schemaVersion),
            "provider": .string(record.provider), "provider_display_name": .string(record.providerDisplayName),
            "date": .string(record.date),
        ]
        object.append("fetched_at", ifPresent: Self.date(record.fetchedAt))
        object.append("payloads", .array(record.payloads.map(Self.payload)))
        object.append("warnings", .array(record.warnings.map { .string($0) }))
        var bytes = JSONWriter.encode(.object(object), style: .daily)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private static func payload(_ payload: ExternalDailyRecord.Payload) -> JSONValue {
        var object: JSONObject = [
            "name": .string(payload.name), "endpoint": .string(payload.endpoint),
            "status_code": .integer(payload.statusCode),
        ]
        object.append("fetched_at", ifPresent: date(payload.fetchedAt))
        object.append("data", ifPresent: payload.data.map(value))
        object.append("error", ifPresent: payload.error.map { .string($0) })
        return .object(object)
    }

    private static func date(_ date: Date) -> JSONValue? {
        RFC3339.nanoseconds(since2001: date.timeIntervalSinceReferenceDate).map { .string($0) }
    }

    private static func value(_ value: FreeJSON) -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let number): .double(number)
        case .string(let text): .string(text)
        case .array(let elements): .array(elements.map(Self.value))
        case .object(let members):
            .object(JSONObject(members.sorted { $0.key < $1.key }.map { .init($0.key, Self.value($0.value)) }))
        }
    }
}
