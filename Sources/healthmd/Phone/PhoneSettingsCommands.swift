import CanonicalJSON
import Foundation
import Sender

/// `phone settings [show | set KEY=VALUE…]`: the saved settings that requests refer to (extensions.md 4).
enum PhoneSettingsCommands {
    static let all = [show, set, reset]

    static let show = CommandSpec(
        "phone", "settings", "show", aliases: [["phone", "settings"]],
        summary: "Shows the saved settings: formats, names and folders of the files.",
        examples: [
            Example("healthmd phone settings", "one line a setting, as set takes them"),
            Example("healthmd phone settings show --json", "the snapshot that travels with a job"),
        ],
        run: { invocation, console in
            try print(client(invocation).settings(), invocation, console)
            return .success
        })

    static let set = CommandSpec(
        "phone", "settings", "set", summary: "Changes saved settings, all of them or none.",
        examples: [
            Example("healthmd phone settings set exportFormats=JSON,CSV", "which files a day has"),
            Example(
                "healthmd phone settings set folderStructure={year}/{month} filenameFormat={date}", "where they lie"),
            Example(
                "healthmd phone settings set healthSubfolder=", "no subfolder: files stand in the destination itself"),
        ],
        positionals: [
            PositionalSpec(name: "KEY=VALUE", kind: .text, count: .oneOrMore, summary: "as phone settings prints them")
        ],
        validate: { invocation in _ = try changes(invocation) },
        guidance: { invocation in
            guard invocation.words.isEmpty else { return nil }
            return Guidance(
                message: "Which setting? healthmd phone settings lists them with their values.",
                missing: ["KEY=VALUE"], exactlyOneOf: [],
                examples: [Example("healthmd phone settings", "all settings")])
        },
        run: { invocation, console in
            let changes = try changes(invocation)
            try knowing(changes.map(\.key), invocation) { client in
                try print(client.setSettings(changes), invocation, console)
            }
            return .success
        })

    static let reset = CommandSpec(
        "phone", "settings", "reset", summary: "Restores the defaults of settings, or of all with --all.",
        examples: [
            Example("healthmd phone settings reset filenameFormat", "this one"),
            Example("healthmd phone settings reset --all", "as on the first day"),
        ],
        positionals: [PositionalSpec(name: "KEY", kind: .text, count: .any, summary: "as phone settings prints them")],
        options: [.flag("--all", "every setting")],
        validate: { invocation in
            if invocation.has("--all"), !invocation.words.isEmpty {
                throw UsageError(
                    .argumentConflict, "--all and keys exclude each other", command: ["phone", "settings", "reset"])
            }
        },
        guidance: { invocation in
            guard invocation.words.isEmpty, !invocation.has("--all") else { return nil }
            return Guidance(
                message: "Which setting? healthmd phone settings lists them.", missing: ["KEY"], exactlyOneOf: [],
                oneOrMoreOf: [["KEY", "--all"]], examples: [Example("healthmd phone settings", "all settings")])
        },
        run: { invocation, console in
            let keys = invocation.has("--all") ? nil : invocation.words
            try knowing(keys ?? [], invocation) { client in
                try print(client.resetSettings(keys), invocation, console)
            }
            return .success
        })

    private static func client(_ invocation: Invocation) throws -> PhoneClient {
        try PhoneCommands.client(invocation)
    }

    /// Does something with settings; when one of them does not exist the failure names the one that was probably meant.
    private static func knowing(
        _ keys: [String], _ invocation: Invocation, _ body: (PhoneClient) throws -> Void
    ) throws {
        let client = try client(invocation)
        do {
            try body(client)
        } catch {
            let failure = FailureText.failure(of: error)
            let known = failure.code == "invalid_setting" ? try client.settings().all.map(\.key) : []
            guard !known.isEmpty, let unknown = keys.first(where: { !known.contains($0) }) else { throw error }
            let meant = NearestWord.to(unknown, in: known).map { "; did you mean \($0)?" } ?? "."
            throw CommandFailure(
                failure.code, "there is no setting \(TerminalText.safe(String(unknown.prefix(64))))\(meant)",
                status: failure.status, steps: [NextStep("all of them, with their values", "healthmd phone settings")])
        }
    }

    private static func changes(_ invocation: Invocation) throws -> [(key: String, value: String)] {
        try invocation.words.map { word in
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw UsageError(
                    .missingEquals, "a setting is written KEY=VALUE", command: ["phone", "settings", "set"])
            }
            return (String(word[..<equals]), String(word[word.index(after: equals)...]))
        }
    }

    /// Lines on a terminal, the snapshot elsewhere.
    private static func print(_ settings: PhoneSettings, _ invocation: Invocation, _ console: Console) throws {
        guard console.isForPeople(invocation) else {
            console.print(try JSONParser.parse(try settings.snapshot().text))
            return
        }
        console.print(text: settings.all.map { "\($0.key)=\(TerminalText.safe($0.value))\n" }.joined())
    }
}
