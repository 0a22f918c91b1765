import CanonicalJSON
import ConnectedProtocol
import Foundation

/// Which days a command asks for: exactly one of four forms (cli.md 4).
enum DateForm: Equatable {
    case range(CivilDate, CivilDate)
    case all

    static let options: [OptionSpec] = [
        .value("--from", .date, "D", "first day, YYYY-MM-DD"),
        .value("--to", .date, "D", "last day, included"),
        .value("--last", .integer(1...Int.max), "N", "the N complete days up to yesterday"),
        .flag("--yesterday", "yesterday, by this computer's calendar"),
        .flag("--all", "every day that the phone has"),
    ]

    static let exclusive = [
        ["--from", "--last"], ["--from", "--yesterday"], ["--from", "--all"], ["--to", "--last"],
        ["--to", "--yesterday"], ["--to", "--all"], ["--last", "--yesterday"], ["--last", "--all"],
        ["--yesterday", "--all"],
    ]

    /// What is wrong with a text that is written as a day and is none; nil when it is not even written so. The text itself is not
    /// repeated.
    static func whyNoDay(_ text: String) -> String? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1])
        else { return nil }
        guard (1...12).contains(month) else { return "names a month that does not exist; months are 01 to 12" }
        let length = (28...31).last { CivilDate(year: year, month: month, day: $0) != nil } ?? 31
        return "names a day that does not exist; this month has \(length) days"
    }

    /// Whether any form was begun.
    static func isGiven(_ invocation: Invocation) -> Bool {
        options.contains { invocation.has($0.name) }
    }

    /// Reads the form; `today` is injected so that tests need no clock.
    static func read(_ invocation: Invocation, today: CivilDate) throws -> DateForm {
        if invocation.has("--all") { return .all }
        if invocation.has("--yesterday") {
            let yesterday = today.adding(days: -1) ?? today
            return .range(yesterday, yesterday)
        }
        if let count = invocation.integer("--last") {
            guard count <= RequestAcceptance.maximumDays, let last = today.adding(days: -1),
                let first = today.adding(days: -count)
            else {
                throw UsageError(
                    .valueValidation, "--last takes at most \(RequestAcceptance.maximumDays) days",
                    command: invocation.command.path)
            }
            return .range(first, last)
        }
        guard let first = invocation.date("--from"), let last = invocation.date("--to") else {
            throw UsageError(
                .missingRequiredArgument, "--from and --to are given together", command: invocation.command.path,
                accepted: ["--from", "--to"])
        }
        guard first <= last else {
            throw UsageError(.valueValidation, "--from is later than --to", command: invocation.command.path)
        }
        // A request names every day: more of them no request can carry.
        if let longest = first.adding(days: RequestAcceptance.maximumDays - 1), last > longest {
            throw UsageError(
                .valueValidation, "--from and --to are at most \(RequestAcceptance.maximumDays) days apart",
                command: invocation.command.path)
        }
        return .range(first, last)
    }

    /// The members of the create request.
    func add(to request: inout JSONObject) {
        switch self {
        case .all: request.append("date_selection", "all_available")
        case .range(let first, let last):
            request.append("date_selection", "explicit_range")
            request.append(
                "date_range", ["start": .string(first.description), "end": .string(last.description)])
        }
    }
}

/// Today by the local calendar of this computer (cli.md 4).
enum LocalCalendar {
    static func today() -> CivilDate {
        var seconds = time(nil)
        var parts = tm()
        localtime_r(&seconds, &parts)
        guard
            let date = CivilDate(
                year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
        else { preconditionFailure("the local calendar gave no date") }
        return date
    }
}
