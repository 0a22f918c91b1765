import CanonicalJSON
import Foundation
import Testing

@testable import ConnectedProtocol

/// A calendar without a time zone's surprises.
struct UniversalCalendar: SourceCalendar {
    let timeZoneIdentifier = "UTC"
    /// A day that this calendar does not have, as Pacific/Apia has no 2011-12-30.
    var skipped: CivilDate?

    func start(of day: CivilDate) -> ProtocolDate? {
        if skipped == day { return nil }
        return ProtocolDate(secondsSince1970: Double(day.daysSince1970) * 86_400)
    }

    func day(containing instant: ProtocolDate) -> CivilDate? {
        CivilDate(daysSince1970: Int((instant.secondsSince1970 / 86_400).rounded(.down)))
    }
}

@Suite("Request acceptance (corpus-protocol.md 4.1)")
struct RequestAcceptanceTests {
    private let jobID = SessionFixture.uuid("10B0", 1)
    private let calendar = UniversalCalendar()

    private func request() -> ExportRequest {
        ExportRequest(
            jobID: jobID, createdAt: SessionFixture.created,
            dateRangeStart: ProtocolDate(secondsSince2001: 721_692_800),
            dateRangeEnd: ProtocolDate(secondsSince2001: 721_779_200),
            requestedDateIdentifiers: ["2023-11-14", "2023-11-15"], requestedBy: .cli,
            settingsPolicy: .requestedDatesOnly, responseMode: .rawJSON, rawProfile: .canonicalSourceRecords)
    }

    private func facts() throws -> RequestAcceptance.Facts {
        let peer = PeerCapabilities(
            platform: PeerPlatform.workstation, installationID: SessionFixture.destination,
            flags: Set(PeerCapability.allCases))
        let own = PeerCapabilities(
            platform: PeerPlatform.phone, installationID: SessionFixture.source, flags: Set(PeerCapability.allCases))
        return RequestAcceptance.Facts(
            peer: peer, negotiation: CorpusNegotiation(source: own, destination: peer),
            knownMetricIDs: ["steps", "heart_rate"], isAuthorized: true,
            history: try #require(CivilDate("2023-01-01"))...(try #require(CivilDate("2023-11-20"))),
            today: try #require(CivilDate("2023-12-01")),
            destination: MacStatus(
                isConnected: true, destinationFolderSelected: true, folderAccessHealthy: true, capabilities: peer))
    }

    private func reason(_ verdict: RequestAcceptance.Verdict) -> ExportRejectionReason? {
        if case .reject(let reason, _) = verdict { return reason }
        return nil
    }

    private func decide(
        _ change: (inout ExportRequest) -> Void = { _ in },
        _ changeFacts: (inout RequestAcceptance.Facts) -> Void = { _ in }
    ) throws -> RequestAcceptance.Verdict {
        var request = request()
        var facts = try facts()
        change(&request)
        changeFacts(&facts)
        return RequestAcceptance.decide(request, facts: facts, calendar: calendar)
    }

    @Test("listed days are accepted with the first instants of the source's own calendar")
    func accepts() throws {
        guard case .accept(let days) = try decide() else {
            Issue.record("not accepted")
            return
        }
        #expect(days.map(\.date.description) == ["2023-11-14", "2023-11-15"])
        #expect(days.first?.instant == calendar.start(of: try #require(CivilDate("2023-11-14"))))
    }

    @Test("a range without labels is cut into days by the source's calendar")
    func acceptsRange() throws {
        guard case .accept(let days) = try decide({ $0.requestedDateIdentifiers = nil }) else {
            Issue.record("not accepted")
            return
        }
        #expect(days.map(\.date.description) == ["2023-11-14", "2023-11-15"])
    }

    @Test("all history is every day from the first with data through today")
    func allHistory() throws {
        let verdict = try decide {
            $0.dateSelection = .allAvailable
            $0.requestedDateIdentifiers = nil
        }
        guard case .accept(let days) = verdict else {
            Issue.record("not accepted")
            return
        }
        #expect(days.first?.date.description == "2023-01-01")
        #expect(days.last?.date.description == "2023-12-01")
        #expect(days.count == 335)
    }

    @Test("all history with an empty store cannot be resolved")
    func emptyHistory() throws {
        let verdict = try decide(
            {
                $0.dateSelection = .allAvailable
                $0.requestedDateIdentifiers = nil
            }, { $0.history = nil })
        #expect(reason(verdict) == .healthKitFetchFailed)
    }

    @Test("an exact replay of the stored request resumes, another request under the same identity is refused")
    func replay() throws {
        let stored = request()
        #expect(try decide({ _ in }, { $0.storedRequest = stored }) == .replay)
        let other = try decide({ $0.settingsPolicy = .currentIPhoneSettings }, { $0.storedRequest = stored })
        #expect(reason(other) == .requestAlreadyInProgress)
        let notDurable = try decide(
            { _ in },
            {
                $0.storedRequest = stored
                $0.storedJobIsDurable = false
            })
        #expect(reason(notDurable) == .requestAlreadyInProgress)
    }

    @Test("the checks come in the published order", arguments: 0..<8)
    func order(step: Int) throws {
        // Everything is wrong at once; each step mends the first fault, and the next one answers.
        let expected: [ExportRejectionReason] = [
            .requestAlreadyInProgress, .unsupportedPeer, .unsupportedPeer, .unsupportedPeer, .requestAlreadyInProgress,
            .healthKitNotAuthorized, .invalidDateRange, .exportLimitReached,
        ]
        let verdict = try decide(
            { request in
                request.requestedDateIdentifiers =
                    step < 7 ? ["2023-11-15", "2023-11-14"] : request.requestedDateIdentifiers
                request.responseMode = step < 2 ? .contextStore : .rawJSON
                request.rawProfile = .healthDataProjection
                request.canonicalSelection = CanonicalSelection(
                    metricIDs: [step < 3 ? "unknown_metric" : "steps"], detailLevel: .summary)
            },
            { facts in
                facts.activeJobID = step < 1 ? SessionFixture.uuid("10B0", 2) : nil
                if step < 4 { facts.peer.flags.remove(.strictRawStreaming) }
                if step < 5 { facts.storedRequest = self.request() }
                facts.isAuthorized = step >= 6
                facts.isQuotaReached = true
            })
        #expect(reason(verdict) == expected[step])
    }

    @Test("files need a destination that is ready; raw results do not")
    func destination() throws {
        let notReady = MacStatus(isConnected: true, destinationFolderSelected: false, folderAccessHealthy: true)
        let files = try decide(
            {
                $0.responseMode = .writeFiles
                $0.rawProfile = nil
            }, { $0.destination = notReady })
        #expect(reason(files) == .macDestinationUnavailable)
        guard case .accept = try decide({ _ in }, { $0.destination = notReady }) else {
            Issue.record("a raw result was refused")
            return
        }
    }

    @Test("a metric of the peer never appears with control characters or at full length in an answer")
    func printable() throws {
        let verdict = try decide {
            $0.rawProfile = .healthDataProjection
            $0.canonicalSelection = CanonicalSelection(
                metricIDs: ["\u{1B}[2J" + String(repeating: "x", count: 500)], detailLevel: .summary)
        }
        guard case .reject(_, let message) = verdict else {
            Issue.record("accepted")
            return
        }
        #expect(message.count < 120)
        #expect(!message.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test("a listed day that the zone skips is refused; a range goes over it")
    func skippedDay() throws {
        var request = request()
        let calendar = UniversalCalendar(skipped: CivilDate("2023-11-15"))
        #expect(
            reason(RequestAcceptance.decide(request, facts: try facts(), calendar: calendar)) == .invalidDateRange)
        request.requestedDateIdentifiers = nil
        guard case .accept(let days) = RequestAcceptance.decide(request, facts: try facts(), calendar: calendar) else {
            Issue.record("not accepted")
            return
        }
        #expect(days.map(\.date.description) == ["2023-11-14"])
    }

    @Test("more days than a century are refused")
    func tooManyDays() throws {
        let verdict = try decide {
            $0.requestedDateIdentifiers = nil
            $0.dateRangeStart = ProtocolDate(secondsSince1970: -40_000 * 86_400)
        }
        #expect(reason(verdict) == .invalidDateRange)
    }
}
