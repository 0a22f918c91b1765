import ConnectedProtocol
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// `docs/errors.md` and the table behind it.
@Suite("Error table")
struct ErrorTableTests {
    @Test("docs/errors.md is what the table says")
    func reference() throws {
        let file = Checkout.root.appendingPathComponent("docs/errors.md")
        if ProcessInfo.processInfo.environment["HEALTHMD_WRITE_SNAPSHOTS"] == "1" {
            try Data(ErrorReference.text.utf8).write(to: file)
        }
        let agreed = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(
            ErrorReference.text == agreed,
            "the table changed: HEALTHMD_WRITE_SNAPSHOTS=1 swift test --filter CommandLineTests")
    }

    @Test(
        "each code stands once under its heading, with a meaning and a next step",
        arguments: ErrorTable.sections.indices)
    func rows(index: Int) {
        let section = ErrorTable.sections[index]
        #expect(Set(section.rows.map(\.code)).count == section.rows.count, "\(section.title)")
        for row in section.rows {
            #expect(!row.meaning.isEmpty && !row.meaning.hasSuffix("."), "\(row.code): \(row.meaning)")
            #expect(row.remedy.hasSuffix("."), "\(row.code): \(row.remedy)")
        }
    }

    @Test("every code of an error type stands in the table", arguments: ErrorTable.sections.indices)
    func complete(index: Int) throws {
        let section = ErrorTable.sections[index]
        let listed = Set(section.rows.map(\.code))
        for path in section.sources {
            for (file, text) in try SourceText.files(path) where !isOfAnother(file, than: index) {
                for code in SourceText.codes(in: text, checksResults: path.hasSuffix("RawResult")) {
                    // `render` and `phone push` fail with the code that a single day has.
                    let isOfDays = section.title == ErrorTable.commandLine.title && ErrorTable.days[code] != nil
                    #expect(
                        listed.contains(code) || isOfDays, "\(file): \(code) is not listed under “\(section.title)”")
                }
            }
        }
        if section.title == ErrorTable.transfer.title {
            #expect(listed.isSuperset(of: AbortReason.allCases.map(\.rawValue)))
            #expect(listed.isSuperset(of: ExportRequestIssue.allCases.map(\.rawValue)))
        }
    }

    @Test("every code of the table is one that the program knows", arguments: ErrorTable.sections.indices)
    func known(index: Int) throws {
        let section = ErrorTable.sections[index]
        let words = try SourceText.words()
        for row in section.rows {
            // `invalid_` and the name of a parameter.
            let isJoined = ["invalid_state", "invalid_limit"].contains(row.code) && words.contains("invalid_")
            #expect(words.contains(row.code) || isJoined, "\(row.code) of “\(section.title)” stands nowhere")
        }
    }

    /// Files that a later or earlier section names more closely.
    private func isOfAnother(_ file: String, than index: Int) -> Bool {
        ErrorTable.sections.enumerated().contains { other, section in
            other != index && section.sources.contains(file)
                && !ErrorTable.sections[index].sources.contains(file)
        }
    }

    @Test("how a command ends is looked up: in its section, else where the code came from")
    func exits() {
        #expect(ErrorTable.exit("locked_by", in: ErrorTable.store) == .busy)
        #expect(ErrorTable.exit("disk_full", in: ErrorTable.store) == .failure)
        #expect(ErrorTable.exit("record_not_authentic", in: ErrorTable.phone) == .peerUnavailable)
        #expect(ErrorTable.exit("nothing_of_the_kind", in: ErrorTable.store) == .failure)
        #expect(ExitCode.meanings.map(\.code.rawValue) == ExitCode.allCases.map(\.rawValue))
    }
}

/// The sources as texts: what error types say is read where it is written.
enum SourceText {
    /// Swift files at a path below `Sources`, the error table itself aside.
    static func files(_ path: String) throws -> [(path: String, text: String)] {
        let root = Checkout.root.appendingPathComponent("Sources")
        let start = root.appendingPathComponent(path)
        if path.hasSuffix(".swift") {
            return [(path, String(decoding: try Data(contentsOf: start), as: UTF8.self))]
        }
        let inside = try FileManager.default.subpathsOfDirectory(atPath: start.path).sorted()
        return try inside.filter { $0.hasSuffix(".swift") && !(path == "healthmd" && $0.hasPrefix("Errors/")) }.map {
            name in
            (
                "\(path)/\(name)",
                String(decoding: try Data(contentsOf: start.appendingPathComponent(name)), as: UTF8.self)
            )
        }
    }

    /// The codes in a text: what a `code` property gives, what a `CommandFailure` or a `failureReason` is made with.
    static func codes(in text: String, checksResults: Bool) -> [String] {
        var codes: [String] = []
        var rest = text[...]
        while let head = rest.range(of: "var code: String {") {
            rest = rest[head.upperBound...]
            let body = rest.prefix(upTo: end(ofBlock: rest))
            codes += body.matches(of: /"([a-z][A-Za-z0-9_]+)"/).map { String($0.output.1) }
        }
        codes += text.matches(of: /CommandFailure\(\s*"([a-z][a-z0-9_]+)"/).map { String($0.output.1) }
        codes += text.matches(of: /failureReason(?::| =) "([A-Za-z][A-Za-z0-9_]+)"/).map { String($0.output.1) }
        if checksResults {
            let issue = /"((?:raw_result|canonical|daily|raw_response|success_response)_[a-z_]+)[":]/
            codes += text.matches(of: issue).map { String($0.output.1) }.filter { $0 != "canonical_selection" }
        }
        // Halves of a code that is put together.
        return codes.filter { !$0.hasSuffix("_") && $0 != "error" }
    }

    private static func end(ofBlock text: Substring) -> Substring.Index {
        var depth = 1
        for index in text.utf8.indices {
            if text.utf8[index] == UInt8(ascii: "{") { depth += 1 }
            if text.utf8[index] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return index }
        }
        return text.endIndex
    }

    /// Words that begin a text, and names of cases, of all sources; the error table itself aside.
    static func words() throws -> Set<String> { try all.get() }

    private static let all = Result {
        let sources = Checkout.root.appendingPathComponent("Sources")
        var words: Set<String> = []
        for room in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
            for file in try files(room) { collect(Array(file.text.utf8), into: &words) }
        }
        return words
    }

    private static func collect(_ text: [UInt8], into words: inout Set<String>) {
        var start = 0
        for index in 0...text.count {
            if index < text.count, isWord(text[index]) { continue }
            let isLiteral = start > 0 && text[start - 1] == UInt8(ascii: "\"")
            let isCase = start >= 5 && text[(start - 5)..<start].elementsEqual("case ".utf8)
            if index > start, isLiteral || isCase { words.insert(String(decoding: text[start..<index], as: UTF8.self)) }
            start = index + 1
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
