import CanonicalJSON
import Foundation

/// `pair`, `devices`, `unpair` on the receiver's side (extensions.md 2.1, cli.md 7).
enum PairingCommands {
    static let all = [pair, devices, unpair, resetTrust]

    static let pair = CommandSpec(
        "pair", aliases: [["direct", "pair"]], summary: "Opens a pairing, prints its code and waits for the phone.",
        examples: [
            Example("healthmd pair", "a 20-digit code for: healthmd phone pair HOST"),
            Example("healthmd pair --phone-app", "a six-digit code for the phone app; asks before it trusts"),
            Example("healthmd pair --close", "gives up the pairing that another window opened"),
        ],
        options: [
            .flag("--phone-app", "six digits, for the phone app"),
            .value(
                "--timeout", .integer(10...600), "S", "how long the code lives (600; with --phone-app 120, at most 300)"
            ),
            .flag("--no-wait", "print the pairing object on standard output and return"),
            .value("--approve", .text, "ID", "say yes to a phone app that waits for approval"),
            .flag("--close", "close the pairing that is open; its code works no more"),
        ],
        exclusive: [
            ["--approve", "--phone-app"], ["--approve", "--no-wait"], ["--approve", "--close"],
            ["--close", "--phone-app"], ["--close", "--no-wait"], ["--close", "--timeout"],
        ],
        validate: { invocation in
            if invocation.has("--phone-app"), let seconds = invocation.integer("--timeout"), seconds > 300 {
                throw UsageError(
                    .valueValidation, "with --phone-app --timeout takes at most 300", command: ["pair"])
            }
        },
        run: { invocation, console in
            let client = try ControlClient(invocation)
            if invocation.has("--close") { return try close(invocation, client, console) }
            if let identifier = invocation.text("--approve") {
                guard UUID(uuidString: identifier) != nil else {
                    throw UsageError(.invalidValue, "--approve takes a pairing id", command: ["pair"])
                }
                let answer = try approve(identifier, accept: true, client)
                console.print(answer, invocation)
                return answer.status == 200 ? .success : JobExit.failure(answer)
            }
            return try open(invocation, client, console)
        })

    static let devices = CommandSpec(
        "devices", aliases: [["direct", "devices"], ["peers"]], summary: "Lists the phones that are trusted.",
        examples: [Example("healthmd devices", "names, ids, when they were last there")],
        run: { invocation, console in
            let answer = try ControlClient(invocation).send("GET", "/v1/peers")
            console.print(answer, invocation)
            return answer.status == 200 ? .success : .failure
        })

    static let unpair = CommandSpec(
        "unpair", aliases: [["direct", "unpair"]],
        summary: "Forgets a phone. The phone forgets separately; unfinished jobs stay, paused.",
        examples: [Example("healthmd unpair UUID", "with an id from: healthmd devices")],
        positionals: [PositionalSpec(name: "UUID", kind: .uuid, count: .one, summary: "the phone's installation id")],
        guidance: { invocation in
            guard invocation.identifier == nil else { return nil }
            return Guidance(
                message: "Which phone? healthmd devices lists them.", missing: ["UUID"], exactlyOneOf: [],
                examples: [Example("healthmd devices", "lists the phones with their ids")])
        },
        run: { invocation, console in
            guard let peer = invocation.identifier else { return .usage }
            let answer = try ControlClient(invocation).send("DELETE", "/v1/peers/" + peer.uuidString)
            console.print(answer, invocation)
            return answer.status == 200 ? .success : answer.status == 404 ? .notFound : .failure
        })

    static let resetTrust = CommandSpec(
        "reset-trust", aliases: [["direct", "reset-trust"]],
        summary: "Forgets every phone. The phones forget separately; unfinished jobs stay, paused.",
        examples: [Example("healthmd reset-trust --confirm", "nothing is removed without --confirm")],
        options: [.flag("--confirm", "really remove the trust in every phone")],
        guidance: { invocation in
            guard !invocation.has("--confirm") else { return nil }
            return Guidance(
                message: "This removes the trust in every phone. Nothing was removed.", missing: ["--confirm"],
                exactlyOneOf: [],
                examples: [
                    Example("healthmd devices", "shows which phones that would be"),
                    Example("healthmd reset-trust --confirm", "removes them all"),
                ])
        },
        run: { invocation, console in
            let client = try ControlClient(invocation)
            let list = try client.send("GET", "/v1/peers")
            guard list.status == 200, let devices = list.document["devices"]?.array else {
                console.print(list, invocation)
                return .failure
            }
            var removed: [JSONValue] = []
            for identifier in devices.compactMap({ $0["installation_id"]?.string }) {
                let answer = try client.send("DELETE", "/v1/peers/" + identifier)
                // 404: another command was quicker; it is gone all the same.
                guard answer.status == 200 || answer.status == 404 else {
                    throw CommandFailure(
                        answer.document["error"]?.string ?? "direct_storage_outcome_unknown",
                        "not every phone was forgotten; healthmd devices shows which remain",
                        details: [("removed", .array(removed))])
                }
                removed.append(.string(identifier))
            }
            console.print(["status": "success", "removed": .array(removed)], invocation)
            return .success
        })

    private static func open(
        _ invocation: Invocation, _ client: ControlClient, _ console: Console
    ) throws -> ExitCode {
        var request: JSONObject = ["code_style": invocation.has("--phone-app") ? "phone_app" : "strong"]
        if let seconds = invocation.integer("--timeout") { request.append("timeout_seconds", .integer(seconds)) }
        let answer = try client.send("POST", "/v1/pairing", .object(request))
        guard answer.status == 201, let identifier = answer.document["pairing_id"]?.string,
            let code = answer.document["code"]?.string
        else {
            console.print(answer, invocation)
            return answer.status == 409 ? .busy : .failure
        }
        if invocation.has("--no-wait") {
            console.print(answer, invocation)
            return .success
        }
        explain(answer.document, code, console, phoneApp: invocation.has("--phone-app"))
        return try wait(identifier, answer.document["listener"], invocation, client, console)
    }

    /// Closes the pairing that the receiver says is open.
    private static func close(
        _ invocation: Invocation, _ client: ControlClient, _ console: Console
    ) throws -> ExitCode {
        let status = try client.send("GET", "/v1/status")
        guard let identifier = status.document["open_pairing"]?["pairing_id"]?.string else {
            throw CommandFailure(
                "pairing_not_found", "no pairing is open; healthmd pair opens one", status: .notFound)
        }
        let answer = try client.send("DELETE", "/v1/pairing/" + identifier)
        console.print(answer, invocation)
        return answer.status == 200 ? .success : JobExit.failure(answer)
    }

    private static func explain(_ document: JSONValue, _ code: String, _ console: Console, phoneApp: Bool) {
        let size = phoneApp ? 3 : 4
        let groups = stride(from: 0, to: code.count, by: size).map { String(code.dropFirst($0).prefix(size)) }
        console.note("code: " + groups.joined(separator: " "))
        let port = document["listener"]?["port"]?.number?.int ?? 0
        for address in document["listener"]?["addresses"]?.array?.compactMap(\.string) ?? [] {
            console.note("address: \(address.contains(":") ? "[\(address)]" : address):\(port)")
        }
        if phoneApp {
            console.note(
                "six digits do not protect against someone who controls this network; use your own hotspot or a VPN")
        } else {
            console.note("on the other machine: healthmd phone pair HOST:\(port)")
        }
        console.note("waiting for the phone …")
    }

    private static func wait(
        _ identifier: String, _ listener: JSONValue?, _ invocation: Invocation, _ client: ControlClient,
        _ console: Console
    ) throws -> ExitCode {
        let interruption = Interruption.watch()
        var asked = false
        while true {
            if interruption.signal != nil {
                _ = try client.send("DELETE", "/v1/pairing/" + identifier)
                console.note("the pairing is closed")
                return interruption.exitStatus
            }
            let answer = try client.send("GET", "/v1/pairing/" + identifier)
            switch answer.document["state"]?.string {
            case "waiting": break
            case "awaiting_approval" where !asked:
                asked = true
                if isatty(console.standardInput) == 1 {
                    let accept = ask(answer.document, console)
                    _ = try approve(identifier, accept: accept, client)
                } else {
                    console.note("a phone waits for approval: healthmd pair --approve \(identifier)")
                }
            case "awaiting_approval": break
            case "paired":
                console.print(try result(answer.document, listener, client), invocation)
                return .success
            default: throw failure(answer.document)
            }
            Thread.sleep(forTimeInterval: 0.3)
        }
    }

    /// `healthmd.direct_pairing_result` v1 (cli.md 7).
    private static func result(
        _ pairing: JSONValue, _ listener: JSONValue?, _ client: ControlClient
    ) throws -> JSONValue {
        let identifier = pairing["peer"]?["installation_id"]
        let devices = try client.send("GET", "/v1/peers").document["devices"]?.array ?? []
        let device = devices.first { $0["installation_id"] == identifier } ?? pairing["peer"]
        var document: JSONObject = [
            "schema": "healthmd.direct_pairing_result", "schema_version": 1, "status": "success",
            "backend": "receiver",
        ]
        document.append("pairing_id", ifPresent: pairing["pairing_id"])
        document.append("device", ifPresent: device)
        document.append("listener", ifPresent: listener)
        return .object(document)
    }

    private static func failure(_ pairing: JSONValue) -> CommandFailure {
        let state = pairing["state"]?.string ?? "failed"
        let why = state == "expired" ? "nobody used the code in time" : "the pairing was refused, closed or given up"
        return CommandFailure(
            "direct_pairing_failed", "\(why); open another one with: healthmd pair",
            details: [("pairing_id", pairing["pairing_id"]), ("state", .string(state)), ("reason", pairing["reason"])]
                .compactMap { name, value in value.map { (name, $0) } })
    }

    /// Shows name and address of the phone; only `y` is a yes.
    private static func ask(_ document: JSONValue, _ console: Console) -> Bool {
        let name = TerminalText.safe(document["peer"]?["name"]?.string ?? "a phone without a name")
        let address = TerminalText.safe(document["peer"]?["address"]?.string ?? "an unknown address")
        console.noteWithoutLineEnd("trust \(name) at \(address)? [y/N] ")
        return readLine(strippingNewline: true)?.lowercased() == "y"
    }

    private static func approve(
        _ identifier: String, accept: Bool, _ client: ControlClient
    ) throws -> ControlClient.Answer {
        try client.send("POST", "/v1/pairing/\(identifier)/approve", ["accept": .bool(accept)])
    }
}

/// Text from a peer, made safe for a terminal.
enum TerminalText {
    /// Control characters and other unprintables become `\u{…}`, so that a name cannot move the cursor.
    static func safe(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                return "\\u{" + String(scalar.value, radix: 16) + "}"
            default: return String(scalar)
            }
        }.joined()
    }
}
