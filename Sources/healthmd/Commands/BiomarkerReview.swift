import Biomarkers
import CanonicalJSON
import HealthRecords

/// The review on a terminal: one proposal at a time, shown with what it was computed from, then decided.
struct BiomarkerReview {
    let record: BiomarkerRecord
    let pending: PendingReview
    let console: Console
    let now: () -> Instant

    private enum Answer {
        case decided(Decision)
        case skipped
        case ended
    }

    /// Goes through what waits. What is skipped, or comes after the end, goes on waiting.
    ///
    /// - Returns: the entries that were saved.
    func run() throws -> [RecordEntry] {
        var entries: [RecordEntry] = []
        let input = LineInput(console.standardInput)
        // What was rejected with the very same evidence is not asked again.
        let open = pending.proposals.filter { !$0.wasRejected }
        console.note(BiomarkerText.heading(pending))
        console.noteWithoutLineEnd(BiomarkerText.surroundings(pending.surroundings))
        BiomarkerCommands.tellRejected(pending, console)
        for (index, proposal) in open.enumerated() {
            console.note("")
            console.note("\(index + 1) of \(open.count)  " + BiomarkerText.evidence(proposal.evidence))
            try record.markShown([proposal.id], at: now())
            switch ask(proposal, input) {
            case .decided(let decision):
                let entry = try record.decide(
                    proposal.id, decision, evidenceDigest: proposal.evidenceDigest, at: now())
                console.note(entry == nil ? "  already in the record" : "  \(decision.word)")
                if let entry { entries.append(entry) }
            case .skipped: continue
            case .ended:
                console.note("the rest goes on waiting: healthmd biomarkers review")
                return entries
            }
        }
        return entries
    }

    private func ask(_ proposal: PendingProposal, _ input: LineInput) -> Answer {
        while true {
            console.noteWithoutLineEnd("  [a]ccept, [e]dit, [r]eject, [s]kip, [q]uit? ")
            guard let line = input.next() else {
                console.note("")
                return .ended
            }
            switch line.lowercased() {
            case "a", "accept": return .decided(.accepted)
            case "r", "reject": return .decided(.rejected)
            case "s", "skip", "": return .skipped
            case "q", "quit": return .ended
            case "e", "edit":
                if let value = askValue(proposal, input) { return .decided(.edited(value)) }
            default: console.note("  a, e, r, s or q")
            }
        }
    }

    /// A decimal number in the unit of the proposal; nil goes back to the question.
    private func askValue(_ proposal: PendingProposal, _ input: LineInput) -> Double? {
        let unit = TerminalText.safe(proposal.evidence["unit"]?.string ?? "")
        console.noteWithoutLineEnd("  the value in \(unit), with a point: ")
        guard let line = input.next(), !line.isEmpty else { return nil }
        let isDecimal = line.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E } && line.utf8.count <= 20
        guard isDecimal, let value = Double(line) else {
            console.note("  that is no decimal number")
            return nil
        }
        return value
    }
}
