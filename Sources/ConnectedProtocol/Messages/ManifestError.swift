import CanonicalJSON

/// Which rule an export manifest breaks (corpus-protocol.md 5.3).
public enum ManifestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Requested days are empty, not ascending or not unique.
    case requestedDates
    /// Labels are no dates, not unique, or not one per requested day; or missing where they are required.
    case requestedDateIdentifiers
    /// Days that are sent are empty, not ascending, not unique, or lack a requested day; or differ from the requested
    /// ones in a mode without supporting days.
    case transferDates
    /// The range does not start and end with the requested days.
    case dateRange
    /// The zone is not known here.
    case timeZone
    /// A setting names a place outside the destination.
    case unsafePath(key: String)
    /// Two different pins.
    case enginePin
    /// A raw profile where there is none.
    case rawProfile
    /// A selection that is missing or whose lists are empty, unsorted or repeated.
    case canonicalSelection
    /// Sources that are not sorted and unique, or differ from the selection's.
    case selectedSourceIDs
    /// A target where there is none.
    case requestedTarget

    /// Stable name of the rule.
    public var code: String {
        switch self {
        case .requestedDates: "manifest_requested_dates"
        case .requestedDateIdentifiers: "manifest_date_identifiers"
        case .transferDates: "manifest_transfer_dates"
        case .dateRange: "manifest_date_range"
        case .timeZone: "manifest_time_zone"
        case .unsafePath: "manifest_unsafe_path"
        case .enginePin: "manifest_engine_pin"
        case .rawProfile: "manifest_raw_profile"
        case .canonicalSelection: "manifest_canonical_selection"
        case .selectedSourceIDs: "manifest_selected_sources"
        case .requestedTarget: "manifest_requested_target"
        }
    }

    /// The rule in words.
    public var description: String {
        let rule =
            switch self {
            case .requestedDates: "requested days are one or more, ascending and unique"
            case .requestedDateIdentifiers: "each requested day has one label yyyy-MM-dd of its own"
            case .transferDates: "transferred days are ascending, unique and contain every requested day"
            case .dateRange: "the range starts on the first and ends on the last requested day"
            case .timeZone: "the time zone is one of the IANA database of this machine"
            case .unsafePath(let key): "\(key) is a relative path without '.', '..' and control characters"
            case .enginePin: "manifest and settings carry the same engine pin"
            case .rawProfile: "a context session has no raw profile"
            case .canonicalSelection: "a context session selects metrics and sources, sorted and unique"
            case .selectedSourceIDs: "selected sources are sorted, unique and those of the selection"
            case .requestedTarget: "a context session has no target"
            }
        return "\(code): expected that \(rule); check the settings on the device that sends"
    }
}

/// What needs a time zone database; the pure rooms have none.
public protocol CalendarRules: Sendable {
    /// Whether a zone of that name exists here.
    func isKnown(zone: String) -> Bool
    /// The civil day of an instant in a zone, or in the calendar of this machine for nil.
    func day(of instant: ProtocolDate, in zone: String?) -> CivilDate?
}

extension ExportManifest {
    /// The first broken rule that needs a calendar. Instants are compared in the source's zone
    /// (extensions.md 4).
    public func calendarError(_ calendar: some CalendarRules) -> ManifestError? {
        let zone = content.sourceTimeZoneIdentifier
        if let zone, !calendar.isKnown(zone: zone) { return .timeZone }
        // Days are named by their dates, and an instant outside of the calendar has no name.
        guard content.requestedDates.allSatisfy({ calendar.day(of: $0, in: zone) != nil }) else {
            return .requestedDates
        }
        func isSameDay(_ one: ProtocolDate, _ other: ProtocolDate) -> Bool {
            if one == other { return true }
            let day = calendar.day(of: one, in: zone)
            return day != nil && day == calendar.day(of: other, in: zone)
        }
        guard let first = content.requestedDates.first, let last = content.requestedDates.last,
            isSameDay(content.dateRangeStart, first), isSameDay(content.dateRangeEnd, last)
        else { return .dateRange }
        return nil
    }
}

extension ManifestContent {
    /// The first broken rule among days, profile and selection.
    var firstError: ManifestError? {
        guard !requestedDates.isEmpty, requestedDates.isStrictlyAscending else { return .requestedDates }
        if let identifiers = requestedDateIdentifiers {
            guard identifiers.count == requestedDates.count, Set(identifiers).count == identifiers.count,
                identifiers.allSatisfy({ CivilDate($0) != nil })
            else { return .requestedDateIdentifiers }
        } else if mode == .strictRaw {
            return .requestedDateIdentifiers
        }
        guard !transferDates.isEmpty, transferDates.isStrictlyAscending,
            Set(transferDates).isSuperset(of: requestedDates),
            mode == .writeFiles || transferDates == requestedDates
        else { return .transferDates }
        return selectionError
    }

    private var selectionError: ManifestError? {
        if let sources = selectedSourceIDs {
            let selection = CanonicalSelection(metricIDs: [], sourceIDs: sources, detailLevel: .summary)
            guard selection.isSortedAndUnique else { return .selectedSourceIDs }
        }
        guard mode == .encryptedContext else { return nil }
        if rawProfile != nil { return .rawProfile }
        if requestedTarget != nil { return .requestedTarget }
        guard let selection = canonicalSelection, selection.isSortedAndUnique, !selection.metricIDs.isEmpty,
            !selection.sourceIDs.isEmpty
        else { return .canonicalSelection }
        return selectedSourceIDs == nil || selectedSourceIDs == selection.sourceIDs ? nil : .selectedSourceIDs
    }

    /// The first broken rule among the settings.
    func firstError(with settings: SettingsSnapshot) -> ManifestError? {
        if let key = settings.unsafePathKey { return .unsafePath(key: key) }
        if let pin = appleExportEnginePin, let other = settings.content.appleExportEnginePin, pin != other {
            return .enginePin
        }
        return nil
    }
}
