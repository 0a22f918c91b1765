import CanonicalJSON
import Foundation

/// The program: parses, runs one command, prints failures as documents, gives the exit code.
struct CommandLineTool {
    let console: Console

    /// Every command. Parser, help, completion and documentation read this table.
    static let commands: [CommandSpec] = CommandTable.sections.flatMap(\.commands)

    /// Runs a command line without the program's own name.
    func run(_ words: [String]) -> Int32 {
        let parser = ArgumentParser(commands: Self.commands)
        do {
            switch try parser.parse(words) {
            case .version:
                console.print(text: "healthmd \(ProductVersion.text)\n")
                return ExitCode.success.rawValue
            case .help(let path):
                console.print(text: Help(commands: Self.commands).text(for: path))
                return ExitCode.success.rawValue
            case .run(let invocation):
                return run(invocation)
            }
        } catch let error as UsageError {
            return refuse(error, asDocument: words.contains("--json"), asText: words.contains("--human"))
        } catch {
            preconditionFailure("the parser throws usage errors only")
        }
    }

    private func run(_ invocation: Invocation) -> Int32 {
        let extended = invocation.text("--exit-codes") == "extended"
        if let guidance = invocation.command.guidance(invocation) {
            console.print(document(guidance, invocation.command))
            return ExitCode.success.rawValue
        }
        do {
            return try invocation.command.run(invocation, console).number(extended: extended)
        } catch let error as UsageError {
            return refuse(error, asDocument: invocation.has("--json"), asText: invocation.has("--human"))
        } catch {
            let failure = FailureText.failure(of: error)
            console.print(document(failure))
            return failure.status.number(extended: extended)
        }
    }

    private func refuse(_ error: UsageError, asDocument: Bool, asText: Bool) -> Int32 {
        if asText || (console.errorIsTerminal && !asDocument) {
            console.note("healthmd: \(error.message)")
            if !error.accepted.isEmpty { console.note("accepted: \(error.accepted.joined(separator: ", "))") }
            console.note("try: \(error.helpCommand)")
        } else {
            console.print(error.document)
        }
        return ExitCode.usage.rawValue
    }

    private func document(_ failure: CommandFailure) -> JSONValue {
        var document: JSONObject = [
            "status": "failure", "error": .string(failure.code), "message": .string(failure.message),
        ]
        for (name, value) in failure.details { document.append(name, value) }
        return .object(document)
    }

    private func document(_ guidance: Guidance, _ command: CommandSpec) -> JSONValue {
        let actions = guidance.examples.map { example -> JSONValue in
            ["command": .string(example.command), "description": .string(example.explanation)]
        }
        return [
            "schema": "healthmd.cli_guidance", "schema_version": 1, "status": "guidance",
            "command": .string(command.spelled), "message": .string(guidance.message), "request_sent": false,
            "missing": .array(guidance.missing.map(JSONValue.string)),
            "required_choices": .array(
                guidance.exactlyOneOf.map { ["exactly_one_of": .array($0.map(JSONValue.string))] }),
            "next_actions": .array(actions),
        ]
    }
}

/// The version that `--version`, hello and `GET /v1/version` say.
enum ProductVersion {
    static let text = "0.1.0"
}
