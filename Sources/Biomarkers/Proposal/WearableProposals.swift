import CanonicalJSON
import HealthRecords

/// Makes proposals of what one reading collected from devices.
struct WearableProposals {
    /// History that begins so many seconds before its end looks cut to 30 days (biomarkers.md 5, trap 20).
    static let cutSpan: ClosedRange<Int64> = 28 * 86_400...31 * 86_400
    /// The permission that cuts a history gives so many days.
    static let cutDays = 30

    private(set) var proposals: [Proposal] = []
    private(set) var unplaceable: [Unplaceable] = []
    private(set) var warnings: [ProposalWarning] = []
    private let visitor: ReductionVisitor
    private let isHistoryCut: Bool

    init(_ visitor: ReductionVisitor, _ catalogue: Catalogue) {
        self.visitor = visitor
        isHistoryCut = Self.looksCut(visitor.reductions)
        let pairs = PressurePairs(
            systolic: visitor.reductions.first { $0.biomarker.id == "blood_pressure_systolic" },
            diastolic: visitor.reductions.first { $0.biomarker.id == "blood_pressure_diastolic" })
        for reduction in visitor.reductions {
            guard !reduction.biomarker.isInert else { continue }
            if let window = reduction.window {
                add(reduction, window, pairs.partners(of: reduction.biomarker.id))
            } else if let latest = reduction.latest {
                add(reduction, latest)
            }
        }
        unplaceable = catalogue.inert.map { biomarker in
            inert(biomarker, visitor.reductions.first { $0.biomarker.id == biomarker.id })
        }
        if isHistoryCut {
            warnings.append(
                ProposalWarning(
                    code: .historyLooksCut,
                    message: "history looks cut to 30 days: nothing is older. If the phone shared only the past 30 "
                        + "days, share all recorded data; a longer window is not what it says"))
        }
    }

    // MARK: A window

    private mutating func add(_ reduction: RecordReduction, _ window: WindowReduction, _ partners: [Double?]?) {
        let biomarker = reduction.biomarker
        guard !window.isOverfull else {
            warnings.append(
                ProposalWarning(
                    code: .tooManyReadings,
                    message: "\(biomarker.id) has more than \(WindowReduction.sampleLimit) readings in one window "
                        + "and is not proposed"))
            return
        }
        let values = window.samples.map(\.value)
        let result =
            switch reduction.rule.statistic {
            case .median: Statistics.median(values)
            case .mean: Statistics.mean(values)
            case .latest: values.last
            }
        guard let result else { return }
        var excluded = reduction.excluded
        excluded[.outsideWindow] += window.outsideCount
        excluded[.duplicate] += window.duplicateCount
        let readings = window.samples.enumerated().map { index, sample in
            Proposal.Reading(
                time: Instant(secondsSince1970: Double(sample.end)), value: sample.value,
                pairedValue: partners?[index])
        }
        var proposal = Proposal(
            biomarker, value: result, statistic: reduction.rule.statistic, windowDays: reduction.rule.windowDays,
            readings: readings, available: window.samples.count + window.outsideCount, excluded: excluded.byReason,
            sources: sources(of: window.samples), origin: .wearable)
        proposal.unknownUnits = reduction.unknownUnits
        if let partners {
            let paired = partners.count { $0 != nil }
            proposal.pairing = Proposal.Pairing(paired: paired, unpaired: partners.count - paired)
        }
        addWindowWarnings(&proposal, window)
        addValueWarnings(&proposal, biomarker)
        proposals.append(proposal)
    }

    private func addWindowWarnings(_ proposal: inout Proposal, _ window: WindowReduction) {
        let days = proposal.windowDays ?? 0
        let covered = Int64(proposal.newest.secondsSince1970 - proposal.first.secondsSince1970)
        if covered * 2 < window.span {
            proposal.warnings.append(
                ProposalWarning(
                    code: .shortWindow,
                    message: "\(proposal.statistic.rawValue) of \(proposal.used) "
                        + "\(proposal.used == 1 ? "reading" : "readings") over \(covered / 86_400) of \(days) days"))
        }
        if isHistoryCut, days > Self.cutDays {
            proposal.warnings.append(
                ProposalWarning(
                    code: .historyLooksCut,
                    message: "history looks cut to 30 days: this is not a value of \(days) days"))
        }
        if let pairing = proposal.pairing, pairing.unpaired > 0 {
            proposal.warnings.append(
                ProposalWarning(
                    code: .unpairedReadings,
                    message: "\(pairing.unpaired) of \(proposal.used) readings have no partner at the same time"))
        }
    }

    // MARK: The latest

    private mutating func add(_ reduction: RecordReduction, _ latest: LatestReduction) {
        let biomarker = reduction.biomarker
        let result = latest.result
        var sensorWarning: ProposalWarning?
        if result.sensorCount > 0 {
            sensorWarning = ProposalWarning(
                code: .continuousSensor,
                message: "a sensor wrote more than \(SensorDetector.samplesPerDayLimit) readings on a day; its "
                    + "\(result.sensorCount) readings do not answer for \(biomarker.id)")
        }
        guard let sample = result.latest else {
            if let sensorWarning { warnings.append(sensorWarning) }
            return
        }
        var excluded = reduction.excluded
        excluded[.duplicate] += Int(sample.copies) - 1
        excluded[.continuousSensor] += result.sensorCount
        var proposal = Proposal(
            biomarker, value: sample.value, statistic: .latest, windowDays: nil,
            readings: [.init(time: Instant(secondsSince1970: Double(sample.end)), value: sample.value)],
            available: result.count - (Int(sample.copies) - 1), excluded: excluded.byReason,
            sources: [visitor.sourceName(sample.source)], origin: .wearable)
        proposal.unknownUnits = reduction.unknownUnits
        if let sensorWarning { proposal.warnings.append(sensorWarning) }
        if sample.isMealTimeUnknown {
            proposal.warnings.append(
                ProposalWarning(
                    code: .mealTimeUnknown, message: "the reading does not say whether it was taken before a meal"))
        }
        addValueWarnings(&proposal, biomarker)
        proposals.append(proposal)
    }

    // MARK: Both

    private func addValueWarnings(_ proposal: inout Proposal, _ biomarker: Biomarker) {
        if let plausible = biomarker.plausible, !plausible.contains(proposal.value) {
            proposal.warnings.append(.implausible(plausible, biomarker))
        }
        if !proposal.unknownUnits.isEmpty {
            let units = proposal.unknownUnits.sorted { $0.key < $1.key }.map { "\($0.value) in \"\($0.key)\"" }
            proposal.warnings.append(
                ProposalWarning(
                    code: .unknownUnit,
                    message: "records that cannot be converted were left out: \(units.joined(separator: ", "))"))
        }
    }

    private func sources(of samples: [Sample]) -> [String] {
        Set(samples.map(\.source)).map(visitor.sourceName).sorted()
    }

    /// A mapping that waits for its place: shown with its newest value, also without any, so that the gap is visible.
    private func inert(_ biomarker: Biomarker, _ reduction: RecordReduction?) -> Unplaceable {
        let sample = reduction?.latest?.result.latest
        return Unplaceable(
            kind: .wearable, name: biomarker.id, loinc: biomarker.loinc.first?.code,
            valueText: sample.map { Statistics.display($0.value, biomarker.decimals) },
            unit: sample == nil ? nil : biomarker.unit,
            date: sample.flatMap { DocumentText.instant(Instant(secondsSince1970: Double($0.end))) },
            reason: .notInCatalogue, count: reduction?.recordCount ?? 0, type: biomarker.wearable?.type,
            biomarker: biomarker.id, source: sample.map { visitor.sourceName($0.source) })
    }

    /// Whether the data of all types together begin about 30 days before their end. A type with few records begins
    /// later by chance, so the oldest of all of them tells.
    private static func looksCut(_ reductions: [RecordReduction]) -> Bool {
        let spans = reductions.compactMap(\.span)
        guard let oldest = spans.map(\.oldest).min(), let newest = spans.map(\.newest).max() else { return false }
        return cutSpan.contains(newest - oldest)
    }
}

extension ProposalWarning {
    static func implausible(_ plausible: ClosedRange<Double>, _ biomarker: Biomarker) -> ProposalWarning {
        let low = Statistics.display(plausible.lowerBound, .upTo(2))
        let high = Statistics.display(plausible.upperBound, .upTo(2))
        return ProposalWarning(
            code: .implausibleValue,
            message: "outside of \(low) to \(high) \(biomarker.unit): check the unit and the reading")
    }
}
