import CanonicalJSON
import Foundation

/// Turns words into an ``Invocation``, by the command table alone.
struct ArgumentParser {
    /// What a command line asks for.
    enum Request {
        case run(Invocation)
        case help([String])
        /// Words that only begin a command, and those that may follow.
        case group([String], next: [String])
        case version
    }

    let commands: [CommandSpec]

    /// Reads a whole command line, without the program's own name.
    func parse(_ words: [String]) throws -> Request {
        var scanner = Scanner(words: words)
        var path: [String] = []
        var command: CommandSpec?
        if words.isEmpty { return .help([]) }
        if words.first == "help" { return try help(Array(words.dropFirst())) }
        while let word = scanner.next() {
            if word == "-h" || word == "--help" { return .help(path) }
            if word == "--version", path.isEmpty { return .version }
            if word.hasPrefix("-"), word != "-", !scanner.optionsEnded {
                if word == "--" {
                    scanner.optionsEnded = true
                    continue
                }
                try scanner.option(word, known: (command?.options ?? []) + GlobalOptions.all, command: path)
                continue
            }
            if command == nil || (command?.positionals.isEmpty == true && isPath(path + [word])) {
                path.append(word)
                guard isPath(path) else {
                    throw unknownCommand(path)
                }
                command = find(path)
                continue
            }
            scanner.positionals.append(word)
        }
        guard let command else {
            if !path.isEmpty { return .group(path, next: nextWords(after: path)) }
            throw UsageError(
                .missingSubcommand, "a command is missing", command: path, accepted: nextWords(after: path))
        }
        return .run(try complete(scanner, command))
    }

    /// `help COMMAND`: the same as `COMMAND --help`, for words that are a command or begin one.
    private func help(_ words: [String]) throws -> Request {
        var path: [String] = []
        for word in words where !word.hasPrefix("-") {
            path.append(word)
            guard isPath(path) else { throw unknownCommand(path) }
        }
        return .help(path)
    }

    private func find(_ path: [String]) -> CommandSpec? {
        commands.first { $0.path == path || $0.aliases.contains(path) }
    }

    private func isPath(_ path: [String]) -> Bool {
        commands.contains { ([$0.path] + $0.aliases).contains { $0.starts(with: path) } }
    }

    /// The words that may follow a path, sorted.
    func nextWords(after path: [String]) -> [String] {
        let words = commands.flatMap { [$0.path] + $0.aliases }
            .filter { $0.count > path.count && $0.starts(with: path) }.map { $0[path.count] }
        return Set(words).sorted()
    }

    private func unknownCommand(_ path: [String]) -> UsageError {
        let known = Array(path.dropLast())
        let words = nextWords(after: known)
        let meant = NearestWord.to(path.last ?? "", in: words)
        return UsageError(
            .invalidSubcommand, "there is no such command" + (meant.map { "; did you mean \($0)?" } ?? ""),
            command: known, accepted: words)
    }

    private func complete(_ scanner: Scanner, _ command: CommandSpec) throws -> Invocation {
        for group in command.exclusive + GlobalOptions.exclusive {
            let given = group.filter { scanner.options[$0] != nil }
            if given.count > 1 {
                throw UsageError(
                    .argumentConflict, "\(given[0]) and \(given[1]) exclude each other", command: command.path)
            }
        }
        let positionals = try positionalValues(scanner.positionals, command)
        let invocation = Invocation(command: command, options: scanner.options, positionals: positionals)
        if command.guidance(invocation) == nil {
            try requirePositionals(positionals.count, command)
            try requireOptions(scanner.options.keys, command)
            try command.validate(invocation)
        }
        return invocation
    }

    private func positionalValues(_ words: [String], _ command: CommandSpec) throws -> [ArgumentValue] {
        var values: [ArgumentValue] = []
        for (index, word) in words.enumerated() {
            guard let last = command.positionals.last else {
                throw UsageError(.tooManyValues, "\(command.spelled) takes no further words", command: command.path)
            }
            let spec = index < command.positionals.count ? command.positionals[index] : last
            switch (spec.count, index < command.positionals.count) {
            case (.oneOrMore, _), (.any, _), (_, true): break
            case (.one, false), (.optional, false):
                throw UsageError(
                    .tooManyValues, "\(command.spelled) takes \(command.positionals.count) word(s)",
                    command: command.path)
            }
            values.append(try ArgumentParser.value(word, spec.kind, name: spec.name, command: command.path))
        }
        return values
    }

    private func requirePositionals(_ count: Int, _ command: CommandSpec) throws {
        let required = command.positionals.filter {
            switch $0.count {
            case .one, .oneOrMore: return true
            case .optional, .any: return false
            }
        }
        if count < required.count {
            throw UsageError(
                .missingRequiredArgument, "\(command.spelled) needs \(required[count].name)", command: command.path,
                accepted: required.map(\.name))
        }
    }

    private func requireOptions(_ given: some Collection<String>, _ command: CommandSpec) throws {
        let missing = command.options.filter { $0.isRequired && !given.contains($0.name) }
        guard let first = missing.first else { return }
        throw UsageError(
            .missingRequiredArgument, "\(command.spelled) needs \(first.usage): \(first.summary)",
            command: command.path,
            accepted: missing.map(\.name))
    }

    /// Checks one value. The text itself never reaches the error.
    static func value(_ text: String, _ kind: ValueKind, name: String, command: [String]) throws -> ArgumentValue {
        func refuse(_ expected: String) -> UsageError {
            UsageError(.invalidValue, "\(name) takes \(expected)", command: command)
        }
        switch kind {
        case .flag:
            throw refuse("no value")
        case .date:
            guard let date = CivilDate(text) else {
                throw UsageError(
                    .invalidValue, "\(name) \(DateForm.whyNoDay(text) ?? "takes a date as YYYY-MM-DD")",
                    command: command)
            }
            return .date(date)
        case .integer(let range):
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number)
            else {
                let bound = range.upperBound == Int.max ? "" : " to \(range.upperBound)"
                throw refuse("a whole number from \(range.lowerBound)\(bound)")
            }
            return .integer(number)
        case .seconds(let range):
            guard let number = Double(text), number.isFinite, range.contains(number) else {
                throw refuse("seconds from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
            }
            return .seconds(number)
        case .choice(let words):
            guard words.contains(text) else { throw refuse("one of: \(words.joined(separator: ", "))") }
            return .text(text)
        case .uuid:
            guard text.utf8.count == 36, let identifier = UUID(uuidString: text) else { throw refuse("a UUID") }
            return .uuid(identifier)
        case .file, .folder, .text:
            guard !text.isEmpty else { throw refuse("a text that is not empty") }
            return .text(text)
        }
    }

    /// The words of a command line and what was read from them.
    private struct Scanner {
        var words: ArraySlice<String>
        var optionsEnded = false
        var options: [String: [ArgumentValue]] = [:]
        var positionals: [String] = []

        init(words: [String]) { self.words = words[...] }

        mutating func next() -> String? { words.popFirst() }

        mutating func option(_ word: String, known: [OptionSpec], command: [String]) throws {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if name == "--token" || name == "--token-file" {
                throw UsageError(
                    .unknownArgument, "tokens do not stand in arguments; use --control-token-file FILE",
                    command: command)
            }
            guard let spec = known.first(where: { $0.name == name || $0.aliases.contains(name) }) else {
                let meant = NearestWord.to(name, in: known.map(\.name))
                throw UsageError(
                    .unknownArgument, "there is no such option" + (meant.map { "; did you mean \($0)?" } ?? ""),
                    command: command, accepted: known.map(\.name))
            }
            if options[spec.name] != nil, !spec.repeats {
                throw UsageError(.tooManyValues, "\(spec.name) may be given once", command: command)
            }
            var value = ArgumentValue.flag
            if case .flag = spec.kind {
                if parts.count > 1 {
                    throw UsageError(.invalidValue, "\(spec.name) takes no value", command: command)
                }
            } else {
                guard let text = parts.count > 1 ? String(parts[1]) : next() else {
                    throw UsageError(.tooFewValues, "\(spec.name) needs \(spec.placeholder)", command: command)
                }
                value = try ArgumentParser.value(text, spec.kind, name: spec.name, command: command)
            }
            options[spec.name, default: []].append(value)
        }
    }
}
