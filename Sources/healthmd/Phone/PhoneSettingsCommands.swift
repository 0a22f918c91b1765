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
            try print(client(invocation).setSettings(try changes(invocation)), invocation, console)
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
            try print(client(invocation).resetSettings(keys), invocation, console)
            return .success
        })

    private static func client(_ invocation: Invocation) throws -> PhoneClient {
        try PhoneCommands.client(invocation)
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
