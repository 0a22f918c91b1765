import CanonicalJSON
import Cryptography
import HealthExport
import HealthRecords

/// Reads an export once and computes what it proposes (biomarkers.md 1 to 5). Nothing is saved.
///
/// Blocks on disks: never call from Swift's cooperative threads.
public enum ExportProposals {
    /// A laboratory's result that is older than the newest reading of a device by more is flagged (biomarkers.md 4).
    static let muchOlderSeconds = 365.0 * 86_400

    /// Reads an export: a zip, a folder or the bare XML.
    ///
    /// - Throws: ``ExportError`` when nothing can be read.
    public static func propose(
        path: String, options: ProposalOptions, catalogue: Catalogue = .current
    ) throws -> ProposalReport {
        var exportOptions = ExportOptions()
        exportOptions.rescue = options.rescue
        let archive = try ExportArchive.open(path: path, options: exportOptions)
        let main = try archive.mainFile()
        let digest = SourceDigest(path: path, mainFile: main.name)
        let (visitor, summary) = try read(archive, main, options, catalogue)
        var reading = Reading(
            archive: archive, main: main, visitor: visitor, summary: summary, options: options, catalogue: catalogue)
        try reading.readLaboratory()
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return reading.report(pathName: name, digest: try digest.take())
    }

    /// One pass; a second one when the date of the export stood behind records, which it would have judged otherwise.
    private static func read(
        _ archive: ExportArchive, _ main: ExportFile, _ options: ProposalOptions, _ catalogue: Catalogue
    ) throws -> (ReductionVisitor, ExportSummary) {
        let visitor = ReductionVisitor(catalogue: catalogue, exportDate: nil, now: options.now)
        let summary = try archive.readMain(main, visitor: visitor)
        guard visitor.isDateLate, let date = summary.exportDate else { return (visitor, summary) }
        let second = ReductionVisitor(catalogue: catalogue, exportDate: date, now: options.now)
        return (second, try archive.readMain(main, visitor: second))
    }

    /// One export while its answers are put together.
    private struct Reading {
        let archive: ExportArchive
        let main: ExportFile
        let visitor: ReductionVisitor
        let summary: ExportSummary
        let options: ProposalOptions
        let catalogue: Catalogue
        private var laboratory: LaboratoryResults
        private var problems: ExportProblems
        private var clinicalFileCount = 0

        init(
            archive: ExportArchive, main: ExportFile, visitor: ReductionVisitor, summary: ExportSummary,
            options: ProposalOptions, catalogue: Catalogue
        ) {
            self.archive = archive
            self.main = main
            self.visitor = visitor
            self.summary = summary
            self.options = options
            self.catalogue = catalogue
            problems = summary.problems
            let newest = (summary.exportDate ?? options.now).secondsSince1970
            laboratory = LaboratoryResults(
                catalogue: catalogue,
                latestPlausible: Instant(secondsSince1970: newest + Double(ReductionVisitor.futureTolerance)))
        }

        // MARK: Laboratory

        /// Reads the clinical files one by one, in the order of their names. One that cannot be read costs itself.
        mutating func readLaboratory() throws {
            let names = archive.files.map(\.name).filter { $0.lowercased().hasSuffix(".json") }.sorted()
            for name in names {
                do {
                    guard let file = try archive.file(named: name) else { continue }
                    var bytes = try archive.bytes(file, limit: ExportArchive.clinicalByteLimit)
                    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
                    let contents = ObservationReader.read(try JSONParser.parse(bytes), zone: options.zone)
                    guard !contents.counts.isEmpty else { continue }
                    clinicalFileCount += 1
                    laboratory.add(
                        contents,
                        from: LaboratoryResults.Origin(
                            file: name, digest: SHA256.hash(bytes), institution: institution(of: name)))
                } catch is JSONError {
                    problems.note(.clinicalFileUnreadable, at: ExportPlace(entry: name))
                } catch is ExportError {
                    problems.note(.clinicalFileUnreadable, at: ExportPlace(entry: name))
                }
            }
        }

        /// The main file names paths beside itself, without the folder that it lies in.
        private func institution(of name: String) -> String? {
            let folder = main.name.split(separator: "/").dropLast().joined(separator: "/")
            let path = folder.isEmpty ? name : String(name.dropFirst(folder.count + 1))
            return visitor.institutions[path]
        }

        // MARK: Together

        mutating func report(pathName: String, digest: Digest) -> ProposalReport {
            visitor.finish()
            let wearables = WearableProposals(visitor, catalogue)
            let labs = laboratory.proposals()
            let isComplete = summary.isComplete && !archive.isRescued
            var proposals = merged(wearables.proposals, labs)
            for index in proposals.indices {
                proposals[index].band = options.bands[proposals[index].id]
                if !isComplete { proposals[index].warnings.append(.incompleteSource) }
            }
            return ProposalReport(
                source: ProposalReport.Source(
                    pathName: pathName, sha256: digest.hex, exportDate: summary.exportDate,
                    recordCount: summary.recordCount, isComplete: isComplete,
                    brokenOffAt: summary.brokenOffAt?.offset),
                proposals: proposals, unplaceable: laboratory.unplaceable + wearables.unplaceable,
                dropped: dropped(), counters: counters(),
                warnings: warnings(wearables, isComplete: isComplete))
        }

        /// One answer for each biomarker: the laboratory's, whatever the dates, with the other one shown
        /// (biomarkers.md 4, rule 6).
        private func merged(_ wearables: [Proposal], _ labs: [Proposal]) -> [Proposal] {
            catalogue.biomarkers.compactMap { biomarker in
                let wearable = wearables.first { $0.id == biomarker.id }
                guard var lab = labs.first(where: { $0.id == biomarker.id }) else { return wearable }
                guard let wearable else { return lab }
                lab.superseded = wearable
                let age = wearable.newest.secondsSince1970 - lab.newest.secondsSince1970
                if age > ExportProposals.muchOlderSeconds {
                    lab.warnings.append(
                        ProposalWarning(
                            code: .labMuchOlder,
                            message: "the laboratory's result is \(Int(age / 86_400)) days older than the newest "
                                + "reading of the device, which was \(wearable.display) \(wearable.unit)"))
                }
                return lab
            }
        }

        /// Everything that nothing can grade, by type.
        private func dropped() -> [String: Int] {
            var counts: [String: Int] = [:]
            for (type, found) in summary.types where catalogue.biomarker(ofType: type) == nil {
                counts[type] = found.count + found.nestedCount
            }
            for element in ["Workout", "ActivitySummary", "Audiogram", "VisionPrescription"] {
                if let count = summary.elements[element] { counts[element] = count }
            }
            return counts
        }

        private func counters() -> [String: Int] {
            var counters = [
                "records": summary.recordCount, "nested_records": summary.nestedRecordCount,
                "skipped": problems.leftOut,
                "characters_dropped": problems.count(.controlCharacterDropped)
                    + problems.count(.forbiddenReferenceDropped),
                "characters_replaced": problems.count(.invalidUTF8Replaced), "clinical_files": clinicalFileCount,
                "clinical_files_unreadable": problems.count(.clinicalFileUnreadable),
            ]
            for (name, count) in laboratory.counts { counters["fhir_" + name] = count }
            if laboratory.unlistedCount > 0 { counters["lab_results_not_listed"] = laboratory.unlistedCount }
            return counters
        }

        private func warnings(_ wearables: WearableProposals, isComplete: Bool) -> [ProposalWarning] {
            var warnings = wearables.warnings
            if !isComplete {
                let place = summary.brokenOffAt.map { " (\($0))" } ?? ""
                warnings.append(
                    ProposalWarning(
                        code: .incompleteSource,
                        message: "the export is incomplete\(place); export or copy it again for whole values"))
            }
            if summary.exportDate == nil {
                warnings.append(
                    ProposalWarning(
                        code: .noExportDate,
                        message: "the export does not say when it was made; readings later than today were left out"))
            }
            let unreadable = problems.count(.clinicalFileUnreadable)
            if unreadable > 0 {
                warnings.append(
                    ProposalWarning(
                        code: .clinicalFilesUnreadable, message: "\(unreadable) clinical files could not be read"))
            }
            return warnings
        }
    }
}

extension ProposalWarning {
    static let incompleteSource = ProposalWarning(
        code: .incompleteSource, message: "from an incomplete file: readings may be missing")
}
