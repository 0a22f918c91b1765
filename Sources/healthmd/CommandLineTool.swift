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
            case .group(let path, let next):
                let guidance = Guidance(group: path, next: next, commands: Self.commands)
                return guide(
                    guidance, (["healthmd"] + path).joined(separator: " "), asDocument: words.contains("--json"),
                    asText: words.contains("--human"))
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
        var console = console
        console.advice = Advice(invocation)
        let extended = invocation.text("--exit-codes") == "extended"
        if let guidance = invocation.command.guidance(invocation) {
            return guide(
                guidance.carrying(console.advice), invocation.command.spelled, asDocument: invocation.has("--json"),
                asText: invocation.has("--human"))
        }
        do {
            return try invocation.command.run(invocation, console).number(extended: extended)
        } catch let error as UsageError {
            return refuse(error, asDocument: invocation.has("--json"), asText: invocation.has("--human"))
        } catch {
            let failure = FailureText.failure(of: error)
            console.report(failure, invocation)
            return failure.status.number(extended: extended)
        }
    }

    private func refuse(_ error: UsageError, asDocument: Bool, asText: Bool) -> Int32 {
        if asText || (console.errorIsTerminal && !asDocument) {
            console.note("healthmd: \(error.message) (\(error.kind.rawValue))")
            if !error.accepted.isEmpty { console.note("accepted: \(error.accepted.joined(separator: ", "))") }
            console.note("try: \(error.helpCommand)")
        } else {
            console.print(error.document)
        }
        return ExitCode.usage.rawValue
    }

    private func guide(_ guidance: Guidance, _ command: String, asDocument: Bool, asText: Bool) -> Int32 {
        if asText || (console.outputIsTerminal && !asDocument) {
            console.print(text: guidance.text)
        } else {
            console.print(guidance.document(command: command))
        }
        return ExitCode.success.rawValue
    }
}

/// The version that `--version`, hello and `GET /v1/version` say.
enum ProductVersion {
    static let text = "0.1.0"
}
