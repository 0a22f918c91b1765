/// Why a service did not give what was asked for.
public enum ClientError: Error, Equatable, Sendable {
    /// No connection, or it broke.
    case unreachable(String)
    /// More bytes than one answer may have.
    case answerTooLarge(maximum: Int)
    /// The service said no. `message` is its own sentence.
    case refused(target: String, status: Int, message: String, now: Int?)
    /// The service said something that no service says.
    case badAnswer(target: String, what: String)
    /// A day that was listed did not come.
    case missingDay(ArchiveDay)
    /// A day that came does not open or is malformed.
    case unreadableDay(ArchiveDay, WireError)

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .unreachable: "service_unreachable"
        case .answerTooLarge: "answer_too_large"
        case .refused: "service_refused"
        case .badAnswer: "bad_answer"
        case .missingDay: "missing_day"
        case .unreadableDay(_, let error): error.code
        }
    }
}

extension ClientError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .unreachable(let why):
            "The archive's service cannot be reached (\(why)). Check its address and the network."
        case .answerTooLarge(let maximum):
            "The service's answer is larger than \(maximum) bytes, which none is. Check the address."
        case .refused(let target, let status, let message, _): "\(target) answered \(status): \(message)"
        case .badAnswer(let target, let what):
            "\(target) answered what no service answers (\(what)). Check the address."
        case .missingDay(let day): "The service lists \(day) and does not hand it over. Try again later."
        case .unreadableDay(let day, let error): "\(day) cannot be read. \(error)"
        }
    }
}
