import CanonicalJSON
import Foundation
import TestSupport

@testable import healthmd

/// `docs/JSON.md` as the tests read it: which members the documents of each command may have.
///
/// Lists are transparent here: `jobs[].job_id` is the path of a member, whatever list it stands in.
struct JSONPage: Sendable {
    /// One row: a member, what it may hold, and when it is there.
    struct Member: Sendable {
        /// `["jobs", "job_id"]`; `*` stands for any key.
        let path: [String]
        /// Not looked into.
        let isAny: Bool
        /// The anchor of the section that describes what is in it.
        let link: String?
        let isAlwaysThere: Bool
    }

    /// One heading with its rows.
    struct Section: Sendable {
        let title: String
        /// `schema`, or `protocol`, of its documents.
        var schema: String?
        /// `["status"]` for `status --job`.
        var commands: [[String]] = []
        var members: [Member] = []
    }

    let sections: [Section]
    private let byAnchor: [String: Section]

    /// The page of this checkout.
    static let current = Result {
        JSONPage(
            text: String(
                decoding: try Data(contentsOf: Checkout.root.appendingPathComponent("docs/JSON.md")), as: UTF8.self))
    }

    init(text: String) {
        var sections: [Section] = []
        for block in ("\n" + text).components(separatedBy: "\n#").dropFirst() {
            let lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            var section = Section(title: lines[0].trimmingCharacters(in: CharacterSet(charactersIn: "# ")))
            for paragraph in lines.dropFirst().joined(separator: "\n").components(separatedBy: "\n\n") {
                Self.read(paragraph.trimmingCharacters(in: .newlines), into: &section)
            }
            sections.append(section)
        }
        self.sections = sections
        byAnchor = Dictionary(sections.map { (Self.anchor($0.title), $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func read(_ paragraph: String, into section: inout Section) {
        if paragraph.hasPrefix("|") {
            section.members += paragraph.split(separator: "\n").dropFirst(2).compactMap(member)
        }
        if let range = paragraph.range(of: "Commands: ") {
            section.commands += quoted(paragraph[range.upperBound...]).compactMap(command)
            let schema = quoted(paragraph[..<range.lowerBound]).first { $0.hasPrefix("healthmd.") }
            section.schema = section.schema ?? schema
        }
    }

    private static func member(_ row: Substring) -> Member? {
        let cells = row.split(separator: "|", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard cells.count >= 5, let path = quoted(cells[1][...]).first else { return nil }
        let link = cells[2].range(of: "](#").map { String(cells[2][$0.upperBound...].prefix { $0 != ")" }) }
        return Member(
            path: path.replacing("[]", with: "").split(separator: ".").map(String.init),
            isAny: cells[2] == "any", link: link, isAlwaysThere: cells[3].hasPrefix("always"))
    }

    /// What stands between backticks.
    private static func quoted(_ text: Substring) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset.isMultiple(of: 2) ? nil : String($0.element) }
    }

    /// The command that a text begins with; nil when it is none.
    private static func command(_ text: String) -> [String]? {
        let words = text.split(separator: " ").map(String.init).prefix { !$0.hasPrefix("-") }
        return CommandLineTool.commands.first { ([$0.path] + $0.aliases).contains(Array(words)) }?.path
    }

    static func anchor(_ title: String) -> String {
        title.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.replacing(" ", with: "-")
    }

    /// The section behind a link.
    func section(_ anchor: String) -> Section? { byAnchor[anchor] }

    /// The sections that may describe a document of a command.
    func sections(for document: JSONValue, of command: [String]) -> [Section] {
        let schema = document["schema"]?.string ?? document["protocol"]?.string
        if let schema, case let named = sections.filter({ $0.schema == schema }), !named.isEmpty { return named }
        let own = sections.filter { $0.schema == nil && $0.commands.contains(command) && !$0.members.isEmpty }
        guard document["status"] == "failure", document["error"] != nil else { return own }
        // A failure may carry what the command got done before, whatever the schema of a success is.
        var failure = section("failures") ?? Section(title: "Failures")
        failure.members += sections.filter { $0.commands.contains(command) }.flatMap(\.members)
            .filter { $0.path != ["*"] }
        return [failure]
    }

    /// Members of a document that no section has.
    func undocumented(_ document: JSONValue, of command: [String]) -> [String] {
        let found = sections(for: document, of: command).map { undocumented(document, $0, below: []) }
        return found.min { $0.count < $1.count } ?? ["no section is of \(command.joined(separator: " "))"]
    }

    private func undocumented(_ value: JSONValue, _ section: Section, below path: [String]) -> [String] {
        if let list = value.array { return list.flatMap { undocumented($0, section, below: path) } }
        guard let object = value.object else { return [] }
        return object.members.flatMap { member -> [String] in
            let here = path + [member.key]
            guard let row = row(here, in: section) else {
                // Paths of deeper rows name their objects by themselves.
                let isBegun = section.members.contains { matches(Array($0.path.prefix(here.count)), here) }
                return isBegun ? undocumented(member.value, section, below: here) : [here.joined(separator: ".")]
            }
            if row.isAny { return [] }
            if let other = row.link.flatMap(self.section) {
                return undocumented(member.value, other, below: []).map { (here + [$0]).joined(separator: ".") }
            }
            return undocumented(member.value, section, below: here)
        }
    }

    /// The row of a path, in the section or in one that it takes over whole.
    private func row(_ path: [String], in section: Section) -> Member? {
        if let own = section.members.first(where: { $0.link == nil && matches($0.path, path) })
            ?? section.members.first(where: { $0.path != ["*"] && matches($0.path, path) })
        {
            return own
        }
        return section.members.lazy.filter { $0.path == ["*"] }.compactMap { $0.link.flatMap(self.section) }
            .compactMap { row(path, in: $0) }.first
    }

    private func matches(_ pattern: [String], _ path: [String]) -> Bool {
        pattern.count == path.count && zip(pattern, path).allSatisfy { $0 == "*" || $0 == $1 }
    }

    /// Members that a successful document should have by its section, and has not.
    func absent(_ document: JSONValue, of command: [String]) -> [String] {
        let found = sections(for: document, of: command).map { section in
            section.members.filter { $0.isAlwaysThere && $0.path.count == 1 && $0.path != ["*"] }
                .map { $0.path[0] }.filter { document[$0] == nil }
        }
        return found.min { $0.count < $1.count } ?? []
    }
}
