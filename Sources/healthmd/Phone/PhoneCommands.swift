import CanonicalJSON
import Foundation
import HealthData
import Sender

/// `phone pair | serve | push | show | status | forget` (extensions.md 4). Import and settings stand beside them.
enum PhoneCommands {
    static let all =
        [ImportCommand.spec, pair, serve, push] + PhoneSettingsCommands.all + [
            show, status, cancel, forget,
        ]

    /// The phone side of the state folder in use.
    static func client(_ invocation: Invocation) throws -> PhoneClient {
        try PhoneClient(
            PhoneClient.Options(
                dataDirectory: try StateRoot.path(invocation), deviceName: HostName.current,
                version: ProductVersion.text, maximumWindow: invocation.integer("--maximum-window") ?? 4))
    }

    static let pair = CommandSpec(
        "phone", "pair", summary: "Pairs this phone side with a receiver, by the code that the receiver shows.",
        examples: [
            Example("healthmd phone pair workstation.local", "asks for the 20 digits of: healthmd pair"),
            Example("healthmd phone pair 192.168.1.5:17646 --code-file code.txt", "the digits stand in a file"),
        ],
        positionals: [
            PositionalSpec(name: "HOST[:PORT]", kind: .text, count: .one, summary: "the receiver; port 17646")
        ],
        options: [.value("--code-file", .file, "FILE", "the code's file; - is standard input")],
        validate: { invocation in
            if let host = invocation.words.first, HostAndPort(host) == nil {
                throw UsageError(
                    .valueValidation, "HOST[:PORT] is a name or address, with a port from 1 to 65535",
                    command: ["phone", "pair"])
            }
        },
        guidance: { invocation in
            guard invocation.words.isEmpty else { return nil }
            return Guidance(
                message: "Which receiver? healthmd pair prints its addresses.", missing: ["HOST[:PORT]"],
                exactlyOneOf: [],
                examples: [Example("healthmd phone pair 192.168.1.5", "with an address from: healthmd pair")])
        },
        run: { invocation, console in
            guard let target = invocation.words.first.flatMap(HostAndPort.init) else { return .usage }
            let code = try PairingCodeInput.read(codeFile: invocation.text("--code-file"), console)
            let report = try client(invocation).pair(host: target.host, port: target.port, code: code)
            guard var document = try JSONValue(report: report).object else { return .failure }
            document.append("status", "paired")
            console.print(.object(document), invocation)
            return .success
        })

    static let serve = CommandSpec(
        "phone", "serve", summary: "Connects to the paired receiver, answers its requests, resumes, reconnects.",
        examples: [Example("healthmd phone serve", "runs until it is stopped; jobs survive that")],
        options: [.value("--maximum-window", .integer(1...8), "N", "chunks in flight that are offered (4)")],
        run: { invocation, console in
            let interruption = Interruption.watch()
            let token = StopToken()
            interruption.onSignal { token.stop() }
            let report = ServiceReport(invocation, console)
            let notice = ServiceNotice()
            interruption.onSignal { notice.stopping() }
            try client(invocation).serve(token, report: { report.take($0) }, ready: { notice.ready() })
            return .success
        })

    static let push = CommandSpec(
        "phone", "push", summary: "Sends days to the receiver without being asked; it writes their files.",
        examples: [Example("healthmd phone push --last 7", "the seven days up to yesterday")],
        options: DateForm.options.filter { $0.name != "--all" },
        exclusive: DateForm.exclusive.filter { !$0.contains("--all") },
        validate: { invocation in _ = try DateForm.read(invocation, today: LocalCalendar.today()) },
        guidance: { invocation in
            guard !DateForm.isGiven(invocation) else { return nil }
            return Guidance(
                message: "Which days?", missing: ["dates"],
                exactlyOneOf: [["--from D --to D", "--last N", "--yesterday"]],
                examples: [Example("healthmd phone push --last 7", "the seven days up to yesterday")])
        },
        run: { invocation, console in
            guard case .range(let first, let last) = try DateForm.read(invocation, today: LocalCalendar.today())
            else { return .usage }
            let interruption = Interruption.watch()
            let token = StopToken()
            interruption.onSignal { token.stop() }
            let events = ServiceReport(invocation, console)
            let report = try client(invocation).push(from: first.description, to: last.description, token: token) {
                events.take($0)
            }
            let outcome = PushOutcome(report)
            console.print(outcome.document(console.advice), invocation)
            if interruption.signal != nil { return interruption.exitStatus }
            if let note = outcome.note { console.note(note) }
            return outcome.exit
        })

    static let show = CommandSpec(
        "phone", "show", summary: "Prints the canonical document of a day as it would be sent: health data.",
        examples: [
            Example("healthmd phone show 2026-03-01", "the day's values"),
            Example("healthmd phone show 2026-03-01 --detail lossless --output day.json", "with every source record"),
        ],
        positionals: [PositionalSpec(name: "DAY", kind: .date, count: .one, summary: "YYYY-MM-DD")],
        options: [
            .value(
                "--detail", .choice(["summary", "time-series", "lossless"]), "LEVEL",
                "summary (default), with sample series, or with all source records"),
            .flag("--compact", "without white space: the bytes that extract prints"),
            .output(),
        ],
        guidance: { invocation in
            guard invocation.dates.isEmpty else { return nil }
            return Guidance(
                message: "Which day? healthmd phone status shows the first and the last.", missing: ["DAY"],
                exactlyOneOf: [], examples: [Example("healthmd phone status", "what was imported")])
        },
        run: { invocation, console in
            guard let day = invocation.dates.first else { return .usage }
            let detail: DetailLevel =
                switch invocation.text("--detail") {
                case "lossless": .lossless
                case "time-series": .timeSeries
                default: .summary
                }
            let bytes = try client(invocation).show(
                day: day.description, detail: detail, compact: invocation.has("--compact"))
            if let path = invocation.text("--output") {
                try OutputFile.write(path) { sink in try bytes.withUnsafeBytes(sink) }
            } else {
                console.write(bytes)
            }
            return .success
        })

    static let status = CommandSpec(
        "phone", "status", summary: "Shows what was imported, who is paired, which jobs are under way.",
        examples: [Example("healthmd phone status", "asks nobody")],
        run: { invocation, console in
            let status = try client(invocation).status()
            console.print(PhoneStatusDocument.of(status), invocation)
            if let data = status.data {
                if !data.isComplete {
                    console.note("the imported export is incomplete; export it again on the phone and import that")
                }
                for line in ImportNotes.gaps(data.gaps) { console.note(line) }
            }
            return .success
        })

    static let cancel = CommandSpec(
        "phone", "cancel", summary: "Cancels a transfer from this side. Files that are already written stay.",
        examples: [Example("healthmd phone cancel UUID", "with an id from: healthmd phone status")],
        positionals: [PositionalSpec(name: "UUID", kind: .uuid, count: .one, summary: "the job's id")],
        guidance: { invocation in
            guard invocation.identifier == nil else { return nil }
            return Guidance(
                message: "Which job? healthmd phone status lists them.", missing: ["UUID"], exactlyOneOf: [],
                examples: [
                    Example("healthmd phone status", "lists the jobs with their ids"),
                    Example("healthmd phone cancel UUID", "with the id of one of them"),
                ])
        },
        run: { invocation, console in
            guard let job = invocation.identifier else { return .usage }
            let interruption = Interruption.watch()
            let token = StopToken()
            interruption.onSignal { token.stop() }
            let events = ServiceReport(invocation, console)
            var report = try client(invocation).cancel(job, token: token) { events.take($0) }
            report.state = StateWord.snake(report.state)
            console.print(try JSONValue(report: report), invocation)
            if interruption.signal != nil { return interruption.exitStatus }
            return report.state == "cancelled" ? .success : .failure
        })

    static let forget = CommandSpec(
        "phone", "forget", summary: "Drops the trust in the receiver. The receiver forgets separately.",
        examples: [Example("healthmd phone forget", "imported days and jobs stay")],
        run: { invocation, console in
            console.print(["status": "success", "forgotten": .bool(try client(invocation).forget())], invocation)
            return .success
        })
}
