import Cryptography
import HealthRecords

/// Gathers results of laboratories from all files and answers for each biomarker with the newest (biomarkers.md 4).
///
/// Kept are the best result of each biomarker and what cannot be placed; a file that was read is forgotten.
struct LaboratoryResults {
    /// Entries that cannot be placed and are listed; further ones are counted. A real export has a few thousand.
    static let unplaceableLimit = 20_000
    /// Results that are kept until withdrawals are known.
    static let resultLimit = 100_000
    /// The statuses whose value stands, the one that wins among equal dates last.
    private static let standing = ["final", "amended", "corrected"]
    /// Statuses of results that have no value yet, or never will.
    private static let withoutValue: Set<String> = ["registered", "cancelled"]

    /// One result that has a place, a number and a date.
    struct Result {
        var biomarker: Biomarker
        var value: Double
        var date: ClinicalDate
        var observation: Observation
        var code: LoincCode?
        var conflict: String?
        var origin: Origin
    }

    /// Where an observation was read.
    struct Origin {
        var file: String
        var digest: Digest
        var institution: String?
    }

    /// A resource of one server.
    private struct Key: Hashable {
        var id: String
        var institution: String?
    }

    private let catalogue: Catalogue
    private let latestPlausible: Instant
    private var results: [Result] = []
    private var withdrawn: Set<Key> = []
    private var withdrawnIDs: Set<String> = []
    private(set) var unplaceable: [Unplaceable] = []
    private(set) var unlistedCount = 0
    /// Observations by what became of them, and other resources by type.
    private(set) var counts: [String: Int] = [:]

    /// - Parameter latestPlausible: later dates are in the future.
    init(catalogue: Catalogue, latestPlausible: Instant) {
        self.catalogue = catalogue
        self.latestPlausible = latestPlausible
    }

    /// Takes in what one file holds.
    mutating func add(_ contents: ObservationReader.Contents, from origin: Origin) {
        for (type, count) in contents.counts { counts[type, default: 0] += count }
        for var report in contents.reports {
            report.source = origin.institution
            list(report)
        }
        for observation in contents.observations { add(observation, from: origin) }
    }

    private mutating func add(_ observation: Observation, from origin: Origin) {
        switch observation.category {
        case .laboratory, .unstated: break
        case .vitalSigns:
            list(entry(observation, .notInCatalogue, origin, kind: .vitalSign))
            return
        case .other:
            counts["observations_of_other_kind", default: 0] += 1
            return
        }
        if observation.status == "entered-in-error" {
            if let id = observation.id {
                withdrawn.insert(Key(id: id, institution: origin.institution))
                withdrawnIDs.insert(id)
            }
            list(entry(observation, .withdrawn, origin))
            return
        }
        if Self.withoutValue.contains(observation.status) {
            counts["observations_without_value", default: 0] += 1
            return
        }
        switch LaboratoryMatcher(catalogue: catalogue).place(observation) {
        case .unplaceable(let reason, let biomarker):
            list(entry(observation, reason, origin, biomarker: biomarker))
        case .placed(let place):
            settle(observation, place, origin)
        }
    }

    /// Checks what a placed result needs beside its number.
    private mutating func settle(_ observation: Observation, _ place: LaboratoryMatcher.Place, _ origin: Origin) {
        let id = place.biomarker.id
        guard Self.standing.contains(observation.status) else {
            list(entry(observation, .notFinal, origin, biomarker: id))
            return
        }
        guard let date = observation.date else {
            list(entry(observation, .noDate, origin, biomarker: id))
            return
        }
        guard date.instant <= latestPlausible else {
            list(entry(observation, .futureDate, origin, biomarker: id))
            return
        }
        guard results.count < Self.resultLimit else {
            unlistedCount += 1
            return
        }
        results.append(
            Result(
                biomarker: place.biomarker, value: place.value, date: date, observation: observation,
                code: place.code, conflict: place.conflict, origin: origin))
    }

    private mutating func list(_ entry: Unplaceable) {
        if unplaceable.count < Self.unplaceableLimit { unplaceable.append(entry) } else { unlistedCount += 1 }
    }

    private func entry(
        _ observation: Observation, _ reason: Unplaceable.Reason, _ origin: Origin, kind: Unplaceable.Kind = .lab,
        biomarker: String? = nil
    ) -> Unplaceable {
        Unplaceable(
            kind: kind, name: observation.name, loinc: observation.loincCodes.first?.code,
            valueText: observation.valueText, unit: observation.unit, date: observation.dateText, reason: reason,
            biomarker: biomarker, source: origin.institution)
    }

    // MARK: The answers

    /// The newest standing result of each biomarker, as proposals; withdrawn results go to the unplaceable list.
    mutating func proposals() -> [Proposal] {
        var best: [String: (result: Result, count: Int)] = [:]
        for result in results {
            if isWithdrawn(result) {
                list(entry(result.observation, .withdrawn, result.origin, biomarker: result.biomarker.id))
                continue
            }
            guard let known = best[result.biomarker.id] else {
                best[result.biomarker.id] = (result, 1)
                continue
            }
            best[result.biomarker.id] = (
                Self.isNewer(result, than: known.result) ? result : known.result, known.count + 1
            )
        }
        return catalogue.biomarkers.compactMap { biomarker in
            best[biomarker.id].map { Self.proposal($0.result, of: $0.count) }
        }
    }

    /// Ids are unique for one server; a file without an index entry does not tell its server.
    private func isWithdrawn(_ result: Result) -> Bool {
        guard let id = result.observation.id, withdrawnIDs.contains(id) else { return false }
        guard let institution = result.origin.institution else { return true }
        return withdrawn.contains(Key(id: id, institution: institution))
            || withdrawn.contains(Key(id: id, institution: nil))
    }

    /// By clinical date, then the status that corrects the other, then what was issued or versioned last, then the
    /// name of the file, so that the order of reading never decides.
    private static func isNewer(_ left: Result, than right: Result) -> Bool {
        func rank(_ result: Result) -> (Double, Int, Double, Int, String) {
            (
                result.date.instant.secondsSince1970, standing.firstIndex(of: result.observation.status) ?? 0,
                result.observation.issued?.secondsSince1970 ?? -.infinity, result.observation.version,
                result.origin.file
            )
        }
        return rank(left) > rank(right)
    }

    private static func proposal(_ result: Result, of count: Int) -> Proposal {
        let observation = result.observation
        var proposal = Proposal(
            result.biomarker, value: result.value, statistic: .latest, windowDays: nil,
            readings: [.init(time: result.date.instant, value: result.value)], available: count, excluded: [:],
            sources: [result.origin.institution].compactMap(\.self), origin: .lab)
        proposal.laboratory = Proposal.LaboratoryEvidence(
            name: observation.name, loinc: result.code, date: result.date.text, status: observation.status,
            valueText: [observation.valueText, observation.unit].compactMap(\.self).joined(separator: " "),
            file: result.origin.file, sha256: result.origin.digest.hex)
        if let conflict = result.conflict {
            proposal.warnings.append(
                ProposalWarning(
                    code: .nameConflict,
                    message: "the laboratory calls it \"\(observation.name)\", which means \(conflict); its code "
                        + "\(result.code?.code ?? "") means \(result.biomarker.id)"))
        }
        if result.code == nil {
            proposal.warnings.append(
                ProposalWarning(
                    code: .matchedByName,
                    message: "recognised by the name \"\(observation.name)\", for want of a LOINC code"))
        }
        if let plausible = result.biomarker.plausible, !plausible.contains(result.value) {
            proposal.warnings.append(.implausible(plausible, result.biomarker))
        }
        return proposal
    }
}
