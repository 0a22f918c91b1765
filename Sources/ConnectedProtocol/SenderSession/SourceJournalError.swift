/// Why a stored source journal cannot be used (corpus-protocol.md 17.1).
///
/// A job with such a journal fails; it is never repaired, because a repaired journal could send other bytes under an old identity.
public enum SourceJournalError: Error, Sendable, Equatable {
    /// The session's version is not one of 1…4, or a durable session has no peer binding.
    case session(version: Int, hasPeerBinding: Bool)
    /// The fingerprint does not follow from the manifest.
    case fingerprint
    /// Two counters contradict each other, or the dates of the manifest.
    case counts(String)
    /// An item is not one that the manifest can have, or its offset lies outside.
    case item(index: Int, String)
    /// The pending partition does not continue the committed ones or the items.
    case pendingPartition(String)
    /// A completed job with work left, or an acknowledgement where none can be.
    case completion(String)

    /// A stable name of the case.
    public var code: String {
        switch self {
        case .session: "journal_session"
        case .fingerprint: "journal_fingerprint"
        case .counts: "journal_counts"
        case .item: "journal_item"
        case .pendingPartition: "journal_pending_partition"
        case .completion: "journal_completion"
        }
    }
}

extension SourceJournalError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        let detail: String =
            switch self {
            case .session(let version, let hasPeerBinding):
                "protocol version \(version) \(hasPeerBinding ? "with" : "without") a peer binding"
            case .fingerprint: "the request fingerprint does not follow from the export manifest"
            case .counts(let text): text
            case .item(let index, let text): "item \(index): \(text)"
            case .pendingPartition(let text): "pending partition: \(text)"
            case .completion(let text): text
            }
        return "The stored journal of this job is not usable (\(code)): \(detail). Ask for the export again."
    }
}
