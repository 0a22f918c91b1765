import CanonicalJSON
import Foundation

/// A value that has passed its ``ValueKind``.
enum ArgumentValue: Sendable, Equatable {
    case flag
    case date(CivilDate)
    case integer(Int)
    case seconds(Double)
    case uuid(UUID)
    case text(String)
}

/// A parsed command line: only options that the command knows, only values of the right kind.
struct Invocation: Sendable {
    let command: CommandSpec
    let options: [String: [ArgumentValue]]
    let positionals: [ArgumentValue]

    func has(_ name: String) -> Bool { options[name] != nil }

    func date(_ name: String) -> CivilDate? {
        guard case .date(let date)? = options[name]?.last else { return nil }
        return date
    }

    func integer(_ name: String) -> Int? {
        guard case .integer(let number)? = options[name]?.last else { return nil }
        return number
    }

    func seconds(_ name: String) -> Double? {
        guard case .seconds(let number)? = options[name]?.last else { return nil }
        return number
    }

    func uuid(_ name: String) -> UUID? {
        guard case .uuid(let identifier)? = options[name]?.last else { return nil }
        return identifier
    }

    func text(_ name: String) -> String? { texts(name).last }

    func texts(_ name: String) -> [String] {
        (options[name] ?? []).compactMap {
            guard case .text(let text) = $0 else { return nil }
            return text
        }
    }

    /// The positional texts, in order.
    var words: [String] {
        positionals.compactMap {
            guard case .text(let text) = $0 else { return nil }
            return text
        }
    }

    /// The first positional as a UUID.
    var identifier: UUID? {
        guard case .uuid(let identifier)? = positionals.first else { return nil }
        return identifier
    }

    /// The positional dates, in order.
    var dates: [CivilDate] {
        positionals.compactMap {
            guard case .date(let date) = $0 else { return nil }
            return date
        }
    }
}

extension Invocation {
    /// The command line with its options as they were read, state options aside: those are repeated by ``Advice``.
    var spelled: String {
        ([command.spelled] + positionals.compactMap(\.typed) + spelled(command.options.map(\.name)))
            .joined(separator: " ")
    }

    /// The same for other days: what a person types to have just these.
    func spelled(from first: String, to last: String) -> String {
        let others = command.options.map(\.name).filter { name in !DateForm.options.contains { $0.name == name } }
        return ([command.spelled, "--from \(first)", "--to \(last)"] + spelled(others)).joined(separator: " ")
    }

    private func spelled(_ names: [String]) -> [String] {
        names.flatMap { name in
            (options[name] ?? []).map { ([name] + [$0.typed].compactMap(\.self)).joined(separator: " ") }
        }
    }
}

extension ArgumentValue {
    /// The value as it is typed; nil for a flag.
    fileprivate var typed: String? {
        switch self {
        case .flag: nil
        case .date(let date): date.description
        case .integer(let number): String(number)
        case .seconds(let number): number == number.rounded() ? String(Int(number)) : String(number)
        case .uuid(let identifier): identifier.uuidString
        case .text(let text):
            text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/".contains($0)) }
                ? text : ShellText.quoted(text)
        }
    }
}
