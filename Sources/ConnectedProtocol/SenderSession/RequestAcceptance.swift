import CanonicalJSON
import Foundation

/// Decides about an `iphoneExportRequest`: the checks of corpus-protocol.md 4.1 in their order, the first that fails answers.
///
/// A pure function of the request and of facts about this source; looking the facts up is the driver's part.
public struct RequestAcceptance {
    /// More days than a hundred years have is a mistake, and would be a long list.
    public static let maximumDays = 36_600

    /// What the source knows when a request arrives.
    public struct Facts {
        /// A job that is running for another request, if any.
        public var activeJobID: UUID?
        /// The request stored under the same job identity, if any.
        public var storedRequest: ExportRequest?
        /// Whether the stored job is durable, so that an exact replay resumes it.
        public var storedJobIsDurable: Bool
        /// What both peers agreed upon for partitioned transfers.
        public var negotiation: CorpusNegotiation?
        /// What the peer announced.
        public var peer: PeerCapabilities
        /// What the peer lacks for a file job with the settings that would apply.
        public var missingForFiles: MissingCapability?
        /// Every metric that can be selected.
        public var knownMetricIDs: Set<String>
        /// Whether there is health data that may be read: an imported store.
        public var isAuthorized: Bool
        /// First and last day with data; nil when the history is empty or cannot be read.
        public var history: ClosedRange<CivilDate>?
        /// Today in the source's calendar.
        public var today: CivilDate
        /// The destination's last status, if it sent one.
        public var destination: MacStatus?
        /// Whether an allowance is used up. This source has none.
        public var isQuotaReached: Bool

        /// Facts of a source without a running or stored job.
        public init(
            peer: PeerCapabilities, negotiation: CorpusNegotiation?, knownMetricIDs: Set<String>, isAuthorized: Bool,
            history: ClosedRange<CivilDate>?, today: CivilDate, destination: MacStatus?
        ) {
            self.storedJobIsDurable = true
            self.peer = peer
            self.negotiation = negotiation
            self.missingForFiles = peer.missingForFileJobs
            self.knownMetricIDs = knownMetricIDs
            self.isAuthorized = isAuthorized
            self.history = history
            self.today = today
            self.destination = destination
            self.isQuotaReached = false
        }
    }

    /// What follows from a request.
    public enum Verdict: Sendable, Equatable {
        /// Begin a job for these days.
        case accept([RequestedDay])
        /// The stored job is asked for again: resume it.
        case replay
        /// Answer `iphoneExportRejected`.
        case reject(ExportRejectionReason, message: String)
    }

    private let request: ExportRequest
    private let facts: Facts
    private let calendar: any SourceCalendar

    /// Decides about one request.
    public static func decide(_ request: ExportRequest, facts: Facts, calendar: any SourceCalendar) -> Verdict {
        let acceptance = RequestAcceptance(request: request, facts: facts, calendar: calendar)
        return acceptance.decide()
    }

    private func decide() -> Verdict {
        if facts.storedRequest == request, facts.storedJobIsDurable { return .replay }
        if let refusal = activity() ?? context() ?? selection() ?? support() ?? identity() ?? authorization() {
            return refusal
        }
        switch days() {
        case .failure(let refusal): return refusal.verdict
        case .success(let days):
            if let refusal = quota() ?? destinationReadiness() { return refusal }
            return .accept(days)
        }
    }

    private struct Refusal: Error {
        let verdict: Verdict
        init(_ reason: ExportRejectionReason, _ message: String) { verdict = .reject(reason, message: message) }
    }

    // MARK: The checks, in the order of 4.1

    private func activity() -> Verdict? {
        guard let active = facts.activeJobID else { return nil }
        return .reject(
            .requestAlreadyInProgress,
            message: active == request.jobID
                ? "This job is running with another request." : "Another export is running. Wait for it or cancel it.")
    }

    private func context() -> Verdict? {
        guard request.responseMode == .contextStore else { return nil }
        return .reject(.unsupportedPeer, message: "This source has no encrypted context. Ask for files or raw JSON.")
    }

    private func selection() -> Verdict? {
        if let issue = request.selectionIssue {
            return .reject(issue.rejectionReason, message: "The request breaks a rule (\(issue.rawValue)).")
        }
        guard let selection = request.canonicalSelection else { return nil }
        guard facts.peer.supports(.canonicalHealthDataSelection) else {
            return .reject(.unsupportedPeer, message: "The destination does not announce selections.")
        }
        if let unknown = selection.metricIDs.first(where: { !facts.knownMetricIDs.contains($0) }) {
            return .reject(.unsupportedPeer, message: "The metric \(printable(unknown)) is not known here.")
        }
        if selection.sourceIDs != CanonicalSelection.defaultSourceIDs {
            return .reject(.unsupportedPeer, message: "The only source here is apple_health.")
        }
        return nil
    }

    /// What the peer must be able to do for this request (corpus-protocol.md 3.5).
    private func support() -> Verdict? {
        let missing =
            switch request.rawProfile {
            case .some(let profile): facts.peer.missing(for: profile)
            case .none: facts.missingForFiles
            }
        let missingForDays =
            request.dateSelection == .allAvailable ? facts.peer.missingForAllHistory(facts.negotiation) : nil
        if let fault = missing ?? missingForDays {
            return .reject(.unsupportedPeer, message: "The destination lacks \(fault.key). Update it.")
        }
        guard facts.negotiation != nil else {
            return .reject(.unsupportedPeer, message: "There is no version of partitioned transfers in common.")
        }
        return nil
    }

    private func identity() -> Verdict? {
        guard facts.storedRequest != nil else { return nil }
        return .reject(.requestAlreadyInProgress, message: "This job identity was used for another request.")
    }

    private func authorization() -> Verdict? {
        facts.isAuthorized
            ? nil
            : .reject(
                .healthKitNotAuthorized,
                message: "No health data has been imported yet. Run `healthmd phone import` on the source.")
    }

    private func quota() -> Verdict? {
        facts.isQuotaReached ? .reject(.exportLimitReached, message: "The allowance is used up.") : nil
    }

    private func destinationReadiness() -> Verdict? {
        guard request.responseMode == .writeFiles, let status = facts.destination, !status.isReady(for: request.jobID)
        else { return nil }
        return .reject(
            .macDestinationUnavailable,
            message:
                "The destination folder is not ready. Choose one with `healthmd destination set` on the destination.")
    }

    // MARK: Days

    private func days() -> Result<[RequestedDay], Refusal> {
        switch request.dateSelection {
        case .explicitRange: explicitDays()
        case .allAvailable: allDays()
        }
    }

    private func explicitDays() -> Result<[RequestedDay], Refusal> {
        if let issue = request.dateIssue {
            return .failure(Refusal(.invalidDateRange, "The request breaks a rule (\(issue.rawValue))."))
        }
        if let labels = request.requestedDateIdentifiers { return listed(labels.compactMap { CivilDate($0) }) }
        guard let first = calendar.day(containing: request.dateRangeStart),
            let last = calendar.day(containing: request.dateRangeEnd)
        else { return .failure(Refusal(.invalidDateRange, "The range lies outside the calendar.")) }
        return span(first, last)
    }

    private func listed(_ dates: [CivilDate]) -> Result<[RequestedDay], Refusal> {
        guard dates.count <= RequestAcceptance.maximumDays else {
            return .failure(Refusal(.invalidDateRange, "More than \(RequestAcceptance.maximumDays) days."))
        }
        let days = existing(dates)
        guard days.count == dates.count else {
            return .failure(Refusal(.invalidDateRange, "A day does not exist in \(calendar.timeZoneIdentifier)."))
        }
        return .success(days)
    }

    /// The days with their instants, without those that the zone skips.
    private func existing(_ dates: [CivilDate]) -> [RequestedDay] {
        dates.compactMap { date in calendar.start(of: date).map { RequestedDay(date: date, instant: $0) } }
    }

    private func allDays() -> Result<[RequestedDay], Refusal> {
        if let issue = request.dateIssue {
            return .failure(Refusal(.invalidDateRange, "The request breaks a rule (\(issue.rawValue))."))
        }
        guard let history = facts.history else {
            return .failure(Refusal(.healthKitFetchFailed, "There is no day with data."))
        }
        return span(history.lowerBound, max(history.upperBound, facts.today))
    }

    private func span(_ first: CivilDate, _ last: CivilDate) -> Result<[RequestedDay], Refusal> {
        let count = last.daysSince1970 - first.daysSince1970 + 1
        guard (1...RequestAcceptance.maximumDays).contains(count) else {
            return .failure(Refusal(.invalidDateRange, "No day, or more than \(RequestAcceptance.maximumDays)."))
        }
        return .success(existing((0..<count).compactMap { first.adding(days: $0) }))
    }

    /// A text of the peer, cut and without control characters, for our own answer.
    private func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(64).filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
