import CanonicalJSON

/// One value of a day under its output key, as other stores keep it (health-data.md 9).
public struct DayValue: Sendable {
    /// What stands under the key.
    public enum Content: Sendable, Equatable {
        /// A number in the key's unit, not rounded.
        case number(Double)
        /// A text, a clock time, an instant or an identifier.
        case text(String)
        /// True or false.
        case flag(Bool)
        /// Lower-case hyphenated tokens, sorted and unique.
        case list([String])
        /// Objects as the document holds them.
        case objects([JSONValue])
    }

    /// The output key.
    public let key: OutputKey
    /// Its value.
    public let content: Content
}

extension DayDocument {
    /// The values of all output keys that the day has, by key sorted bytewise.
    public func dayValues() -> [DayValue] {
        OutputValues(self).values.map { key, value in
            switch value {
            case .number(let number, _, _): DayValue(key: key, content: .number(number))
            case .text(let text): DayValue(key: key, content: .text(text))
            case .bool(let flag): DayValue(key: key, content: .flag(flag))
            case .list(let tokens): DayValue(key: key, content: .list(tokens))
            case .structured(let objects): DayValue(key: key, content: .objects(objects))
            }
        }
    }
}
