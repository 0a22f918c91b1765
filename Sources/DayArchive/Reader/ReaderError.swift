/// Why the reader cannot answer.
public enum ReaderError: Error, Equatable, Sendable {
    /// The profile folder holds no reading key.
    case notConnected(profile: String)
    /// The profile folder holds an archive already.
    case alreadyConnected(profile: String)
    /// The profile names no service.
    case noEndpoint(profile: String)
    /// A file of the profile is not what this program wrote.
    case badProfileFile(name: String)
    /// A mirrored day that cannot be parsed.
    case badDayFile(day: ArchiveDay, line: Int)
    /// The connection came without an editor key.
    case readOnly(profile: String)
    /// An argument of a tool or command.
    case badArgument(name: String, what: String)
    /// A tool that does not exist.
    case unknownTool(String)
    /// More days or groups than one answer gives.
    case tooMuch(what: String, maximum: Int)
    /// An address that is none.
    case badAddress

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .notConnected: "not_connected"
        case .alreadyConnected: "already_connected"
        case .noEndpoint: "no_endpoint"
        case .badProfileFile: "bad_profile_file"
        case .badDayFile: "bad_day_file"
        case .readOnly: "read_only_connection"
        case .badArgument: "bad_argument"
        case .unknownTool: "unknown_tool"
        case .tooMuch: "too_much"
        case .badAddress: "bad_address"
        }
    }
}

extension ReaderError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .notConnected(let profile):
            "\(profile) holds no archive. Connect one: healthmd archive reader connect --handoff FILE"
        case .alreadyConnected(let profile):
            "\(profile) holds an archive already. Use another EFFERENT_HOME for this one."
        case .noEndpoint(let profile): "\(profile) names no service. Give its address once with --url."
        case .badProfileFile(let name):
            "\(name) of the profile is damaged. Restore it, or connect again in a new folder."
        case .badDayFile(let day, let line):
            "The mirrored day \(day) is damaged in line \(line). Remove its file and its entry in mirror.json, then sync."
        case .readOnly(let profile):
            "\(profile) has no editor key, so it can only read. Connect a handoff that carries one."
        case .badArgument(let name, let what): "\(name) \(what)."
        case .unknownTool(let name): "There is no tool named \(name); ask for the list of tools."
        case .tooMuch(let what, let maximum): "That is more than \(maximum) \(what). Ask for a shorter range."
        case .badAddress: "The address of a service begins with http:// or https:// and has no query."
        }
    }
}
