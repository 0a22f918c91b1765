import CanonicalJSON

/// One thing that `doctor` looked at.
struct DoctorCheck: Equatable {
    /// What was found (cli.md 8).
    enum State: String {
        case ready
        case warning
        case actionRequired = "action_required"
        /// It could not be looked at, because something else is missing.
        case unavailable
    }

    /// The next step: a command that works when it is typed.
    struct Action: Equatable {
        let code: String
        let message: String
        let command: String
    }

    let code: String
    let state: State
    /// Whether nothing works until it is ready.
    let isBlocking: Bool
    let message: String
    let action: Action?

    static func ready(_ code: String, blocking: Bool, _ message: String) -> DoctorCheck {
        DoctorCheck(code: code, state: .ready, isBlocking: blocking, message: message, action: nil)
    }

    static func unavailable(_ code: String, blocking: Bool, _ message: String) -> DoctorCheck {
        DoctorCheck(code: code, state: .unavailable, isBlocking: blocking, message: message, action: nil)
    }
}

/// `healthmd.cli_doctor` v1 (cli.md 8). No health values.
struct DoctorReport {
    /// The body of `GET /v1/status`, when the receiver answered.
    var publicStatus: JSONValue?
    /// The body of `GET /v1/agent/readiness`, when the receiver answered.
    var localReadiness: JSONValue?
    var checks: [DoctorCheck]

    /// The same with messages whose commands reach the state in use.
    func carrying(_ advice: Advice) -> DoctorReport {
        var report = self
        report.checks = checks.map { check in
            DoctorCheck(
                code: check.code, state: check.state, isBlocking: check.isBlocking,
                message: advice.carrying(check.message),
                action: check.action.map {
                    DoctorCheck.Action(
                        code: $0.code, message: advice.carrying($0.message), command: advice.carrying($0.command))
                })
        }
        return report
    }

    /// Nothing that blocks is open.
    var isReady: Bool { checks.allSatisfy { $0.state == .ready || !$0.isBlocking } }

    var document: JSONValue {
        [
            "schema": "healthmd.cli_doctor", "schema_version": 1, "status": isReady ? "ready" : "action_required",
            "public_status": publicStatus ?? nil, "local_readiness": localReadiness ?? nil,
            "checks": .array(
                checks.map { check in
                    [
                        "code": .string(check.code), "status": .string(check.state.rawValue),
                        "blocking": .bool(check.isBlocking), "message": .string(check.message),
                    ]
                }),
            "next_actions": .array(
                checks.compactMap(\.action).map { action in
                    [
                        "code": .string(action.code), "message": .string(action.message),
                        "command": .string(action.command),
                    ]
                }),
        ]
    }

    /// One line a check, and below it the next step.
    var text: String {
        var lines: [String] = []
        let width = checks.map(\.code.count).max() ?? 0
        for check in checks {
            let word =
                switch check.state {
                case .ready: "ok     "
                case .warning: "warning"
                case .actionRequired: "PROBLEM"
                case .unavailable: "unknown"
                }
            let padding = String(repeating: " ", count: width - check.code.count)
            lines.append("\(word)  \(check.code)\(padding)  \(TerminalText.safe(check.message))")
            if let action = check.action {
                lines.append(
                    "         \(String(repeating: " ", count: width))  → \(action.command)  # \(action.message)")
            }
        }
        lines.append(isReady ? "ready" : "not ready: see the problems above")
        return lines.joined(separator: "\n") + "\n"
    }
}
