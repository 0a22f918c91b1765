import Foundation

/// Makes the commands that an advice names reach the state of the command that runs: `healthmd serve` becomes
/// `healthmd serve --data-dir '/a b'` when this command was given that folder.
///
/// Only commands of the same side get it: what has to be typed at the phone, or where a reader is, has a state folder of its own.
struct Advice: Sendable {
    /// Whose state a command uses.
    private enum Side {
        case receiver
        /// What was imported: the phone side, and all that works on it.
        case source
        case reader
        case service

        /// Nil for commands without state.
        init?(_ path: [String]) {
            switch path.first {
            case "serve", "doctor", "pair", "devices", "peers", "unpair", "reset-trust", "direct", "destination",
                "status",
                "jobs", "resume", "cancel", "export", "extract":
                self = .receiver
            case "phone", "biomarkers": self = .source
            case "archive":
                switch path.dropFirst().first {
                case "writer": self = .source
                case "serve": self = .service
                default: self = .reader
                }
            default: return nil
            }
        }
    }

    private let side: Side?
    /// ` --data-dir 'x'`; empty when no folder was given.
    private let folder: String
    /// ` --base-url 'x' --control-token-file 'y'`, for whoever asks the receiver.
    private let receiver: String

    /// Repeats nothing.
    static let none = Advice(side: nil, folder: "", receiver: "")

    private init(side: Side?, folder: String, receiver: String) {
        self.side = side
        self.folder = folder
        self.receiver = receiver
    }

    /// Repeats what this command was given.
    init(_ invocation: Invocation) {
        func option(_ name: String) -> String { Self.option(name, invocation.text(name)) }
        side = Side(invocation.command.path)
        folder = Self.option("--data-dir", StateRoot.given(invocation))
        receiver = option("--base-url") + option("--control-token-file")
    }

    private static func option(_ name: String, _ value: String?) -> String {
        value.map { " \(name) \(ShellText.quoted($0))" } ?? ""
    }

    /// What a command has to repeat.
    private func options(for path: [String]) -> String {
        guard let side, Side(path) == side else { return "" }
        return folder + (side == .receiver && path != ["serve"] ? receiver : "")
    }

    /// A text with the options put behind each command of ours that it names.
    func carrying(_ text: String) -> String {
        guard !folder.isEmpty || !receiver.isEmpty, text.contains(Self.program) else { return text }
        var result = ""
        var rest = text[...]
        while let found = rest.range(of: Self.program) {
            result += rest[..<found.upperBound]
            let isWord = rest[..<found.lowerBound].last.map { !$0.isLetter && $0 != "/" && $0 != "." } ?? true
            rest = rest[found.upperBound...]
            guard isWord else { continue }
            let (path, end) = Self.command(rest)
            let line = rest[..<end]
            result += line
            rest = rest[end...]
            // A line that names its folder was composed with care, or went through here before.
            if !line.contains(" --data-dir"), !line.contains(" --base-url") { result += options(for: path) }
        }
        return result + rest
    }

    private static let program = "healthmd "

    /// The longest path of a command that a text begins with, and where the command line that begins there ends.
    private static func command(_ text: Substring) -> (path: [String], end: Substring.Index) {
        var path: [String] = []
        var rest = text
        while true {
            let word = rest.prefix { $0.isLetter || $0 == "-" }
            guard !word.isEmpty, CommandTable.isPath(path + [String(word)]) else { break }
            path.append(String(word))
            rest = rest[word.endIndex...]
            guard rest.first == " " else { return (path, rest.startIndex) }
            rest = rest.dropFirst()
        }
        let command = CommandLineTool.commands.first { ([$0.path] + $0.aliases).contains(path) }
        var end = rest.startIndex == text.startIndex ? rest.startIndex : text.index(before: rest.startIndex)
        var isValue = false
        while let length = argumentLength(rest, isValue: isValue) {
            let word = rest.prefix(length)
            isValue = command?.options.contains { $0.name == word && !$0.placeholder.isEmpty } ?? false
            rest = rest.dropFirst(length)
            end = rest.startIndex
            guard rest.first == " " else { break }
            rest = rest.dropFirst()
        }
        return (path, end)
    }

    /// How long the word is that a text begins with, when it can only be an argument and no prose: an option or its value, a
    /// quoted text, an id, a date, a placeholder. Nil else.
    private static func argumentLength(_ text: Substring, isValue: Bool) -> Int? {
        if text.first == "'" { return quotedLength(text) }
        var word = text.prefix { !$0.isWhitespace }
        while let last = word.last, ".,;:)”`".contains(last) { word.removeLast() }
        guard let first = word.first else { return nil }
        let isPlaceholder = word.allSatisfy { $0.isUppercase || "[]:=".contains($0) }
        let isOption = word.hasPrefix("--") || word == "-o"
        let isPlain = first.isNumber || UUID(uuidString: String(word)) != nil || "/~".contains(first)
        return isValue || isPlaceholder || isOption || isPlain ? word.count : nil
    }

    /// A word of single quotes and what stands escaped between them: `'it'\''s'`.
    private static func quotedLength(_ text: Substring) -> Int {
        var length = 0
        var isQuoted = false
        var isEscaped = false
        for letter in text {
            if !isQuoted, !isEscaped, letter != "'", letter != "\\" { break }
            length += 1
            if isEscaped {
                isEscaped = false
            } else if letter == "'" {
                isQuoted.toggle()
            } else if letter == "\\", !isQuoted {
                isEscaped = true
            }
        }
        return length
    }
}
