import CanonicalJSON
import Foundation
import Testing

@testable import healthmd

/// The command line without processes: what is taken, what is refused, what is said.
@Suite("Command line")
struct CommandLineTests {
    private let parser = ArgumentParser(commands: CommandLineTool.commands)

    private func invocation(_ line: String) throws -> Invocation {
        let words = line.split(separator: " ").map(String.init)
        guard case .run(let invocation) = try parser.parse(words) else {
            throw UsageError(.unknownArgument, "not a command")
        }
        return invocation
    }

    private func kind(_ line: String) -> UsageError.Kind? {
        do {
            _ = try invocation(line)
            return nil
        } catch let error as UsageError {
            return error.kind
        } catch {
            return nil
        }
    }

    @Test(
        "combinations that make no sense are refused",
        arguments: [
            "export --all --yesterday", "export --last 3 --from 2026-03-01 --to 2026-03-02",
            "export --last 3 --raw --metric steps", "export --last 3 --use-iphone-settings --metric steps",
            "export --last 3 --raw --destination /tmp", "pair --approve x --phone-app",
            "export --last 3 --json --human",
        ])
    func conflicts(line: String) {
        #expect(kind(line) == .argumentConflict)
    }

    @Test(
        "values outside their bounds are refused, those on the bounds pass",
        arguments: [
            ("export --last 3 --timeout 4", UsageError.Kind.invalidValue),
            ("export --last 3 --timeout 901", .invalidValue),
            ("export --last 3 --timeout nan", .invalidValue), ("export --last 3 --timeout inf", .invalidValue),
            ("export --last 3 --timeout 5", nil), ("export --last 3 --timeout 900", nil),
            ("export --last 3 --wake-timeout 3600", nil), ("export --last 3 --wake-timeout 3601", .invalidValue),
            ("export --last 0", .invalidValue), ("export --last 1", nil), ("export --last -1", .invalidValue),
            ("export --from 2026-02-30 --to 2026-03-01", .invalidValue),
            ("export --from 2026-3-1 --to 2026-03-01", .invalidValue),
            ("export --from 2026-03-02 --to 2026-03-01", .valueValidation),
            ("export --from 2026-03-01", .missingRequiredArgument), ("export --last 3 --output x", .argumentConflict),
            ("export --last 3 --detail summary", .missingRequiredArgument),
            ("pair --phone-app --timeout 301", .valueValidation), ("pair --timeout 9", .invalidValue),
            ("extract --last 3", .missingRequiredArgument), ("extract --last 3 --object nothing", .valueValidation),
            ("extract --last 3 --all-metrics --field sleep", .valueValidation),
            ("resume 123", .invalidValue), ("status --fetch", .missingRequiredArgument),
            ("export --last 3 --token x", .unknownArgument), ("export --last=3", nil),
            ("export --last 3 extra", .tooManyValues),
        ] as [(String, UsageError.Kind?)])
    func bounds(line: String, expected: UsageError.Kind?) {
        #expect(kind(line) == expected)
    }

    @Test("options of every command stand before or behind its name")
    func globalOptions() throws {
        #expect(try invocation("--data-dir /a export --last 3").text("--data-dir") == "/a")
        #expect(try invocation("export --last 3 --data-dir=/a").text("--data-dir") == "/a")
    }

    @Test("the value that was typed is never repeated")
    func privacy() throws {
        do {
            _ = try invocation("export --from secret-value --to 2026-03-01")
            Issue.record("the value was taken")
        } catch let error as UsageError {
            let text = String(decoding: JSONWriter.encode(error.document, style: .compact), as: UTF8.self)
            #expect(!text.contains("secret-value"))
        }
    }

    @Test("last N ends yesterday, across a year")
    func lastDays() throws {
        let today = try #require(CivilDate("2026-01-02"))
        let form = try DateForm.read(try invocation("export --last 3"), today: today)
        #expect(form == .range(try #require(CivilDate("2025-12-30")), try #require(CivilDate("2026-01-01"))))
    }

    @Test(
        "a base URL leads to this machine and nowhere else",
        arguments: [
            ("http://LOCALHOST:17645/", "http://localhost:17645"), ("http://127.0.0.1", "http://127.0.0.1"),
            ("http://[::1]:80", "http://[::1]:80"), ("https://127.0.0.1", nil), ("http://example.org", nil),
            ("http://a@127.0.0.1", nil), ("http://127.0.0.1/x", nil), ("http://127.0.0.1?x", nil),
            ("http://127.0.0.1#x", nil), ("http://127.0.0.1.example.org", nil), ("http://127.0.0.1:0", nil),
        ] as [(String, String?)])
    func baseURL(given: String, expected: String?) {
        #expect(BaseURL(given)?.text == expected)
    }

    @Test("archive parts force lossless, named parts add their category")
    func aliases() throws {
        let resolved = try ObjectAlias.resolve(["Reproductive_Health", "records", "/heart/hrv", "records"])
        #expect(
            resolved.pointers == ["/healthkit_record_archive/records", "/heart/hrv", "/reproductiveHealth"])
        #expect(resolved.categories == ["Reproductive Health"])
    }

    @Test(
        "the table of objects: pointer and category of each name, in any case, with - or _",
        arguments: [
            ("sleep", "/sleep", "Sleep"), ("activity", "/activity", "Activity"), ("heart", "/heart", "Heart"),
            ("vitals", "/vitals", "Vitals"), ("body", "/body", "Body Measurements"),
            ("nutrition", "/nutrition", "Nutrition"), ("mindfulness", "/mindfulness", "Mindfulness"),
            ("mobility", "/mobility", "Mobility"), ("hearing", "/hearing", "Hearing"),
            ("Reproductive_Health", "/reproductiveHealth", "Reproductive Health"),
            ("CYCLING", "/cyclingPerformance", "Cycling"), ("vitamins", "/vitamins", "Vitamins"),
            ("minerals", "/minerals", "Minerals"), ("symptoms", "/symptoms", "Symptoms"),
            ("medications", "/medications", "Medications"), ("other", "/other", "Other"),
            ("workouts", "/workouts", "Workouts"), ("archive", "/healthkit_record_archive", nil),
            ("records", "/healthkit_record_archive/records", nil),
            ("external_records", "/healthkit_record_archive/external_records", nil),
            ("query-results", "/healthkit_record_archive/query_manifest/results", nil),
            ("warnings", "/healthkit_record_archive/integrity_warnings", nil),
        ] as [(String, String, String?)])
    func object(name: String, pointer: String, category: String?) throws {
        let resolved = try ObjectAlias.resolve([name])
        #expect(resolved.pointers == [pointer] && resolved.categories == [category].compactMap(\.self))
        // The parts of the archive choose no metrics: they need some beside them, and then force lossless.
        let line = "extract --last 1 --object \(name)"
        #expect(kind(line) == (category == nil ? .missingRequiredArgument : nil))
        #expect(kind(line + " --metric steps --detail summary") == nil)
    }

    @Test("help of every command begins with an example that its own parser takes")
    func examples() throws {
        for command in CommandLineTool.commands {
            let text = Help(commands: CommandLineTool.commands).text(for: command.path)
            #expect(text.hasPrefix("Example"))
            for example in command.examples {
                let line = example.command.replacingOccurrences(
                    of: "UUID", with: "10B00000-0000-4000-8000-000000000001"
                )
                .replacingOccurrences(of: "healthmd ", with: "")
                #expect(kind(line) == nil, "\(example.command)")
            }
        }
    }

    @Test("no option and no command stands twice in the table")
    func consistency() {
        let paths = CommandLineTool.commands.flatMap { [$0.path] + $0.aliases }
        #expect(Set(paths).count == paths.count)
        for command in CommandLineTool.commands {
            let names = (command.options + GlobalOptions.all).flatMap { [$0.name] + $0.aliases }
            #expect(Set(names).count == names.count, "\(command.spelled)")
            for name in command.exclusive.joined() {
                #expect(names.contains(name), "\(command.spelled) \(name)")
            }
        }
    }

    @Test("text from a peer cannot move the cursor")
    func terminalText() {
        #expect(TerminalText.safe("Robin’s\u{1B}[2J iPhone\u{202E}") == "Robin’s\\u{1b}[2J iPhone\\u{202e}")
    }

    @Test(
        "the extended exit codes are plain failures unless asked for",
        arguments: [
            (ExitCode.partial, Int32(3)), (.notFound, 4), (.busy, 5), (.peerUnavailable, 6), (.timedOut, 7),
            (.integrity, 8),
        ])
    func exitCodes(status: ExitCode, extended: Int32) {
        #expect(status.number(extended: true) == extended)
        #expect(status.number(extended: false) == 1)
    }
}
