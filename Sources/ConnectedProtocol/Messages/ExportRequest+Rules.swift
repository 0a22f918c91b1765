import CanonicalJSON

/// A rule of a request that is broken (corpus-protocol.md 4.1).
public enum ExportRequestIssue: String, Error, Sendable, CaseIterable {
    /// A raw profile without the raw mode, or the raw mode without a profile (legacy raw is never served).
    case rawProfile = "raw_profile"
    /// A selection is missing where it is required.
    case selectionMissing = "selection_missing"
    /// A selection stands where it is forbidden, or not with `requestedDatesOnly`.
    case selectionForbidden = "selection_forbidden"
    /// A list of the selection is not sorted and unique, or names no metric or source.
    case selectionLists = "selection_lists"
    /// The range ends before it starts.
    case rangeReversed = "range_reversed"
    /// Labels are empty, no dates, not ascending, not unique, or given for all history.
    case dateIdentifiers = "date_identifiers"

    /// What the source answers.
    public var rejectionReason: ExportRejectionReason {
        switch self {
        case .rawProfile, .selectionMissing, .selectionForbidden, .selectionLists: .unsupportedPeer
        case .rangeReversed, .dateIdentifiers: .invalidDateRange
        }
    }
}

extension ExportRequest {
    /// The first broken rule about mode, profile and selection.
    public var selectionIssue: ExportRequestIssue? {
        switch (responseMode, rawProfile) {
        case (.rawJSON, nil), (.writeFiles, _?), (.contextStore, _?): return .rawProfile
        case (.rawJSON, _?), (.writeFiles, nil), (.contextStore, nil): break
        }
        let requiresSelection = rawProfile == .healthDataProjection || responseMode == .contextStore
        guard let selection = canonicalSelection else { return requiresSelection ? .selectionMissing : nil }
        if rawProfile == .canonicalSourceRecords || settingsPolicy != .requestedDatesOnly {
            return .selectionForbidden
        }
        guard selection.isSortedAndUnique, !selection.metricIDs.isEmpty, !selection.sourceIDs.isEmpty else {
            return .selectionLists
        }
        return nil
    }

    /// The first broken rule about days.
    public var dateIssue: ExportRequestIssue? {
        if dateSelection == .allAvailable { return requestedDateIdentifiers == nil ? nil : .dateIdentifiers }
        if dateRangeStart > dateRangeEnd { return .rangeReversed }
        guard let identifiers = requestedDateIdentifiers else { return nil }
        let dates = identifiers.map { CivilDate($0) }
        guard !dates.isEmpty, !dates.contains(nil), dates.compactMap(\.self).isStrictlyAscending else {
            return .dateIdentifiers
        }
        return nil
    }
}
