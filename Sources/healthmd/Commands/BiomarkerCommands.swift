import Biomarkers
import CanonicalJSON
import DurableStore
import Foundation
import HealthExport
import HealthRecords

/// `biomarkers propose|review|accept|list|history`: values from an export, looked at and saved (extensions.md 7, 11).
/// Nothing is saved unseen.
enum BiomarkerCommands {
    static let all = [propose, review, accept, list, history]

    private static let readingOptions: [OptionSpec] = [
        .flag("--rescue", "take what a truncated archive still gives; the result is marked incomplete"),
        .value("--time-zone", .text, "ZONE", "IANA name, for clinical dates without a time; UTC"),
        .value(
            "--bands", .file, "FILE", "ranges that you call optimal; default biomarkers/bands.json of the state folder"),
    ]

    static let propose = CommandSpec(
        "biomarkers", "propose",
        summary: "Computes values from an Apple Health export; they wait for review and are not saved.",
        examples: [
            Example(
                "healthmd biomarkers propose export.zip", "what the export proposes, with what it was computed from"),
            Example("healthmd biomarkers propose export.zip --json", "the same as one document"),
        ],
        positionals: [
            PositionalSpec(name: "EXPORT", kind: .file, count: .one, summary: "a zip, a folder or the bare XML")
        ],
        options: readingOptions,
        run: { invocation, console in
            guard let path = invocation.words.first else { return .usage }
            let record = try BiomarkerRecord.open(in: try folder(invocation))
            let report = try computed(path, invocation, record)
            if isForPeople(invocation, console) {
                console.print(text: BiomarkerText.report(report))
            } else {
                console.print(report.document, invocation)
            }
            try record.markShown(report.proposals.map(\.id), at: now())
            tellRejected(try record.pending(), console)
            return report.source.isComplete ? .success : .failure
        })

    static let review = CommandSpec(
        "biomarkers", "review",
        summary: "Shows each proposed value with what it was computed from, and asks: accept, edit or reject.",
        examples: [
            Example("healthmd biomarkers review", "what the last propose left to decide"),
            Example("healthmd biomarkers review export.zip", "reads the export first"),
        ],
        positionals: [
            PositionalSpec(name: "EXPORT", kind: .file, count: .optional, summary: "a zip, a folder or the bare XML")
        ],
        options: readingOptions,
        run: { invocation, console in
            let record = try BiomarkerRecord.open(in: try folder(invocation))
            if let path = invocation.words.first { _ = try computed(path, invocation, record) }
            guard let pending = try record.pending(), !pending.proposals.isEmpty else {
                throw BiomarkersError.nothingPending
            }
            let entries = try BiomarkerReview(record: record, pending: pending, console: console, now: now).run()
            // That nothing was decided is no empty record: what waits was said already.
            if !entries.isEmpty || !isForPeople(invocation, console) { print(entries, invocation, console) }
            return .success
        })

    static let accept = CommandSpec(
        "biomarkers", "accept", summary: "Saves proposed values that propose or review has shown.",
        examples: [
            Example("healthmd biomarkers accept hrv_60_day_mean spo2", "these two"),
            Example("healthmd biomarkers accept --all", "everything that the last propose printed"),
        ],
        positionals: [PositionalSpec(name: "ID", kind: .text, count: .any, summary: "ids of biomarkers")],
        options: [.flag("--all", "all that wait for a decision")],
        validate: { invocation in
            if invocation.has("--all"), !invocation.words.isEmpty {
                throw UsageError(
                    .argumentConflict, "--all and ids exclude each other", command: ["biomarkers", "accept"])
            }
            if !invocation.has("--all"), invocation.words.isEmpty {
                throw UsageError(
                    .missingRequiredArgument, "give ids, or --all", command: ["biomarkers", "accept"],
                    accepted: ["ID", "--all"])
            }
        },
        run: { invocation, console in
            let record = try BiomarkerRecord.open(in: try folder(invocation))
            let isAll = invocation.has("--all")
            let rejected = isAll ? try record.pending() : nil
            let entries = try record.accept(isAll ? nil : invocation.words, at: now())
            tellRejected(rejected, console)
            print(entries, invocation, console)
            return .success
        })

    static let list = CommandSpec(
        "biomarkers", "list", summary: "Lists the saved values: the last accepted one of each biomarker.",
        examples: [
            Example("healthmd biomarkers list", "the record as it stands"),
            Example("healthmd biomarkers list --json", "with the evidence of each value"),
        ],
        run: { invocation, console in
            print(try existing(invocation)?.current() ?? [], invocation, console)
            return .success
        })

    static let history = CommandSpec(
        "biomarkers", "history", summary: "Lists every decision, oldest first; with an id those about one biomarker.",
        examples: [
            Example("healthmd biomarkers history", "all decisions"),
            Example("healthmd biomarkers history hba1c", "how one value came about"),
        ],
        positionals: [PositionalSpec(name: "ID", kind: .text, count: .optional, summary: "id of a biomarker")],
        run: { invocation, console in
            let id = invocation.words.first
            let entries = try existing(invocation)?.history(of: id) ?? []
            if let id, entries.isEmpty, Catalogue.current.biomarker(id) == nil {
                throw BiomarkersError.unknownBiomarker(id: id)
            }
            print(entries, invocation, console)
            return .success
        })

    // MARK: Parts

    /// Says which proposals were rejected before with the very same evidence, and how to take one all the same.
    static func tellRejected(_ pending: PendingReview?, _ console: Console) {
        let ids = (pending?.proposals ?? []).filter(\.wasRejected).map(\.id)
        guard let first = ids.first else { return }
        console.note(
            TerminalText.safe(
                "rejected before with the same evidence, and left so: " + ids.joined(separator: ", ")
                    + "; to take one: healthmd biomarkers accept \(first)"))
    }

    /// Reads an export and lets what it proposes wait for a decision, not yet shown.
    private static func computed(
        _ path: String, _ invocation: Invocation, _ record: BiomarkerRecord
    ) throws -> ProposalReport {
        var options = ProposalOptions(now: now())
        options.rescue = invocation.has("--rescue")
        if let name = invocation.text("--time-zone") {
            guard let zone = CalendarZone(identifier: name) else { throw ExportError.unknownTimeZone(name) }
            options.zone = zone
        }
        options.bands = try bands(invocation)
        let report = try ExportProposals.propose(path: try AbsolutePath.of(path), options: options)
        try record.replacePending(with: report, at: now())
        return report
    }

    private static func bands(_ invocation: Invocation) throws -> [String: OptimalBand] {
        if let path = invocation.text("--bands") {
            return try OptimalBands.parse(
                try InspectedFile(path).contents(maximumByteCount: OptimalBands.byteLimit))
        }
        let folder = try folder(invocation)
        guard try folder.status(of: "bands.json") != nil else { return [:] }
        return try OptimalBands.parse(
            try folder.file("bands.json").contents(maximumByteCount: OptimalBands.byteLimit))
    }

    private static func folder(_ invocation: Invocation) throws -> Directory {
        try StateFolders(path: try StateRoot.path(invocation)).folder(.biomarkers)
    }

    private static func existing(_ invocation: Invocation) throws -> BiomarkerRecord? {
        try StateRoot.existing(.biomarkers, invocation).flatMap { try BiomarkerRecord.openForReading(in: $0) }
    }

    private static func now() -> Instant { Instant(secondsSince1970: Date().timeIntervalSince1970) }

    private static func isForPeople(_ invocation: Invocation, _ console: Console) -> Bool {
        invocation.has("--human") || (console.outputIsTerminal && !invocation.has("--json"))
    }

    private static func print(_ entries: [RecordEntry], _ invocation: Invocation, _ console: Console) {
        if isForPeople(invocation, console) {
            console.print(text: BiomarkerText.entries(entries))
        } else {
            console.print(RecordEntry.document(of: entries), invocation)
        }
    }
}
