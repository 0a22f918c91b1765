/// What this room refuses. The codes are stable.
public enum HealthDatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file exists and is no database of this kind: it is left alone.
    case foreignFile(path: String)
    /// The folder holds no day document at all.
    case noDocuments(folder: String)

    /// A stable code.
    public var code: String {
        switch self {
        case .foreignFile: "not_a_health_database"
        case .noDocuments: "no_documents"
        }
    }

    /// A sentence that names the next step.
    public var description: String {
        switch self {
        case .foreignFile(let path):
            "\(path) is not a database that `healthmd database update` made, and was not touched. Give another name."
        case .noDocuments(let folder):
            "There is no JSON day document in \(folder). Export with the format JSON, or name the folder of the files."
        }
    }
}
