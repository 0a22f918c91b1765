import CanonicalJSON
import HealthData

/// `GET /v1/agent/metrics`: the metrics that a selection may name (control-api.md 13).
enum MetricCatalog {
    /// `healthmd.metric_catalog` version 1, compact. Made once: the registry is part of the program.
    static let bytes = JSONWriter.encode(json, style: .compactSorted)

    private static var json: JSONValue {
        let metrics = Registry.current.metrics.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return [
            "schema": "healthmd.metric_catalog", "schema_version": 1,
            "metrics": .array(
                metrics.map { metric in
                    [
                        "id": .string(metric.id), "name": .string(metric.name), "category": .string(metric.category),
                        "unit": .string(metric.selectionUnit), "archive_only": .bool(metric.isArchiveOnly),
                        "availability": .string(metric.selectionDefault.rawValue),
                        // The phone asks for each of these apart from the general permission.
                        "requires_separate_authorization": .bool(metric.selectionDefault != .enabled),
                    ]
                }),
        ]
    }
}

/// `GET /v1/agent/readiness`: whether jobs can run, and what to do if not (control-api.md 13).
struct ReadinessReport {
    private enum State: String {
        case ready
        case warning
        case actionRequired = "action_required"
    }

    private struct Check {
        let code: String
        let state: State
        /// Whether nothing works until it is ready.
        let isBlocking: Bool
        let message: String
        /// What to do when it is not ready.
        var action: (code: String, message: String)?
    }

    private let phone: ReceiverStatus.Phone
    private let checks: [Check]

    init(_ status: ReceiverStatus) {
        phone = status.phone
        checks = [
            Check(code: "receiver", state: .ready, isBlocking: true, message: "The receiver runs."),
            Self.pairing(status), Self.connection(status), Self.destination(status.destination),
        ]
    }

    private static func pairing(_ status: ReceiverStatus) -> Check {
        let isReady = !status.phones.isEmpty
        return Check(
            code: "paired_peer", state: isReady ? .ready : .actionRequired, isBlocking: true,
            message: isReady ? "A phone is paired." : "No phone is paired.",
            action: isReady ? nil : ("pair_phone", "Pair a phone with `healthmd pair`."))
    }

    private static func connection(_ status: ReceiverStatus) -> Check {
        let isReady = status.phone.isConnected
        return Check(
            code: "peer_connected", state: isReady ? .ready : .warning, isBlocking: false,
            message: isReady ? "A phone is connected." : "No phone is connected; jobs wait for it.",
            action: isReady ? nil : ("connect_phone", "Open the app on the phone, or run `healthmd phone serve` there.")
        )
    }

    private static func destination(_ destination: DestinationInformation) -> Check {
        let choice = ("choose_destination", "Choose a folder with `healthmd destination set DIR`.")
        guard destination.isSelected else {
            return Check(
                code: "destination", state: .warning, isBlocking: false,
                message: "No folder is chosen; raw results work, files do not.", action: choice)
        }
        let isReady = destination.isWritable
        return Check(
            code: "destination", state: isReady ? .ready : .actionRequired, isBlocking: true,
            message: isReady ? "The folder for files can be written." : "The folder for files cannot be written.",
            action: isReady ? nil : choice)
    }

    /// `healthmd.local_readiness` version 1.
    var json: JSONValue {
        let isReady = checks.allSatisfy { $0.state == .ready || !$0.isBlocking }
        var iphone: JSONObject = [
            "connected": .bool(phone.isConnected),
            // Both belong to typed queries.
            "supports_request_scoped_context_acquisition": false, "can_trigger_fresh_acquisition": false,
        ]
        iphone.append("name", ifPresent: phone.name.map { .string($0) })
        return [
            "schema": "healthmd.local_readiness", "schema_version": 1,
            "status": isReady ? "ready" : "action_required", "query_store": "unavailable", "iphone": .object(iphone),
            "checks": .array(
                checks.map { check in
                    [
                        "code": .string(check.code), "status": .string(check.state.rawValue),
                        "blocking": .bool(check.isBlocking), "message": .string(check.message),
                    ]
                }),
            "next_actions": .array(
                checks.compactMap(\.action).map { ["code": .string($0.code), "message": .string($0.message)] }),
        ]
    }
}
