import CanonicalJSON

/// The arguments of a tool. What a tool does not read is refused, so that a misspelt filter never widens a question.
struct ToolArguments {
    private let object: JSONObject

    init(_ object: JSONObject, reading names: [String]) throws(ReaderError) {
        for key in object.keys where !names.contains(key) {
            throw .badArgument(
                name: "An argument", what: "is not one that this tool reads (\(names.joined(separator: ", ")))")
        }
        self.object = object
    }

    /// The value; nil when absent, null or an empty string.
    func value(_ name: String) -> JSONValue? {
        guard let value = object[name], value != .null, value != "" else { return nil }
        return value
    }

    func text(_ name: String) throws(ReaderError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string else { throw .badArgument(name: name, what: "is a text") }
        return text
    }

    /// One of a closed set.
    func word(_ name: String, of words: [String]) throws(ReaderError) -> String? {
        guard let text = try text(name) else { return nil }
        guard words.contains(text) else {
            throw .badArgument(name: name, what: "is one of \(words.joined(separator: ", "))")
        }
        return text
    }

    func required(_ name: String, of words: [String]) throws(ReaderError) -> String {
        guard let word = try word(name, of: words) else { throw .badArgument(name: name, what: "is needed") }
        return word
    }

    /// A day: the first ten characters must be one.
    func day(_ name: String) throws(ReaderError) -> ArchiveDay? {
        guard let text = try text(name) else { return nil }
        do {
            return try ArchiveDay(text: text.prefix(10))
        } catch {
            throw .badArgument(name: name, what: "is a day, YYYY-MM-DD")
        }
    }

    func whole(_ name: String) throws(ReaderError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.number?.int else { throw .badArgument(name: name, what: "is a whole number") }
        return number
    }

    /// `since` and `until`, both inclusive; without `since` exactly `defaultDays` days, `until` included (extensions.md 10).
    func range(defaultDays: Int, today: ArchiveDay) throws(ReaderError) -> DayRange {
        let until = try day("until") ?? today
        let since = try day("since") ?? until.adding(days: 1 - defaultDays) ?? until
        guard since <= until else { throw .badArgument(name: "since", what: "lies after until") }
        return DayRange(first: since, last: until)
    }
}

/// Days from a first to a last one, both included.
struct DayRange: Equatable {
    let first: ArchiveDay
    let last: ArchiveDay

    var count: Int { last.number - first.number + 1 }

    func contains(_ day: ArchiveDay) -> Bool { first <= day && day <= last }

    /// One day more at each end.
    var widened: DayRange { DayRange(first: first.previous, last: last.adding(days: 1) ?? last) }
}
