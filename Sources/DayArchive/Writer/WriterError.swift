/// Why the writer cannot go on.
public enum WriterError: Error, Equatable, Sendable {
    /// `init` was not run.
    case notSetUp
    /// Nothing was imported yet.
    case noDays
    /// No change of this name is known, or it was taken back.
    case unknownEdit(String)
    /// An address that is none.
    case badAddress

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .notSetUp: "writer_not_set_up"
        case .noDays: "no_days"
        case .unknownEdit: "unknown_edit"
        case .badAddress: "bad_address"
        }
    }
}

extension WriterError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .notSetUp: "The writer has no archive. Set it up: healthmd archive writer init --url ADDRESS"
        case .noDays: "There are no days to send. Import an export: healthmd phone import FILE --time-zone ZONE"
        case .unknownEdit(let name):
            "No change of \(name) stands. See what does: healthmd archive writer edits"
        case .badAddress: "The address of a service begins with http:// or https:// and has no query."
        }
    }
}
