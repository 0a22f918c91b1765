/// Why a review cannot go on. Each case has a stable code and says what to do next.
public enum BiomarkersError: Error, Hashable, Sendable {
    /// Nothing was proposed, or everything is decided.
    case nothingPending
    /// This biomarker is not among what waits for a decision.
    case notPending(id: String)
    /// The proposal is another one than the one that was looked at.
    case proposalChanged(id: String)
    /// The proposal has not been shown to anybody yet.
    case notShown(id: String)
    /// All proposals of a broken file were to be accepted at once.
    case incompleteSource
    /// No biomarker has this id.
    case unknownBiomarker(id: String)
    /// The file of optimal ranges cannot be used.
    case invalidBands(detail: String)
    /// A number was expected.
    case invalidValue(id: String)

    /// Stable, snake case.
    public var code: String {
        switch self {
        case .nothingPending: "nothing_pending"
        case .notPending: "not_pending"
        case .proposalChanged: "proposal_changed"
        case .notShown: "not_shown"
        case .incompleteSource: "incomplete_source"
        case .unknownBiomarker: "unknown_biomarker"
        case .invalidBands: "invalid_bands"
        case .invalidValue: "invalid_value"
        }
    }
}

extension BiomarkersError: CustomStringConvertible {
    /// A sentence or two for a person: what is wrong, and the next step.
    public var description: String {
        switch self {
        case .nothingPending:
            "nothing waits for a decision. Run healthmd biomarkers propose EXPORT first."
        case .notPending(let id):
            "\(id) does not wait for a decision. Run healthmd biomarkers propose EXPORT, and look at what it prints."
        case .proposalChanged(let id):
            "the proposal for \(id) was replaced after it was shown. Look at it again with healthmd biomarkers review."
        case .notShown(let id):
            "the proposal for \(id) was not shown yet, and nothing is saved unseen. Run healthmd biomarkers review."
        case .incompleteSource:
            "the export was incomplete, so its values are not accepted all at once. "
                + "Decide one by one with healthmd biomarkers review, or export again."
        case .unknownBiomarker(let id):
            "\(id) is no biomarker of the catalogue. Run healthmd biomarkers list to see ids."
        case .invalidBands(let detail):
            "the optimal ranges cannot be used: \(detail). Write {\"ID\": {\"low\": NUMBER, \"high\": NUMBER}}."
        case .invalidValue(let id):
            "the value for \(id) must be a decimal number with a point, such as 5.3."
        }
    }
}
