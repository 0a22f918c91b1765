/// What can go wrong at the source. Every case has a stable code and a sentence that names the next step; no text holds a health
/// value or a secret.
public enum SenderError: Error, Sendable, Equatable {
    /// Another process dials for this phone folder.
    case alreadyServing(pid: Int32?)
    /// Nothing has been imported yet.
    case nothingImported
    /// No workstation is paired.
    case notPaired
    /// The pairing code is not 20 digits.
    case pairingCodeInvalid
    /// The workstation refused the code.
    case pairingRejected
    /// The workstation could not be reached or went away.
    case unreachable(String)
    /// The other side broke the protocol, or is not the one that was paired.
    case peerFault(code: String, String)
    /// A setting does not exist or cannot have this value.
    case setting(key: String, String)
    /// A day or a range is not one.
    case invalidDays(String)
    /// A day outside of what was imported.
    case dayNotImported(String, first: String?, last: String?)
    /// The workstation does not know this side any more.
    case pairAgain
    /// No job of this id can be cancelled.
    case noSuchJob
    /// A stored row cannot be understood.
    case storedStateDamaged(String)
    /// An item file is missing or was changed.
    case itemDamaged(name: String)
    /// The disk failed a sync of the journal: this process can store nothing any more.
    case journalLost
    /// The import that a job reads is not there any more.
    case generationGone(Int)

    /// A stable name of the case.
    public var code: String {
        switch self {
        case .alreadyServing: "already_serving"
        case .nothingImported: "nothing_imported"
        case .notPaired: "not_paired"
        case .pairingCodeInvalid: "pairing_code_invalid"
        case .pairingRejected: "pairing_rejected"
        case .unreachable: "unreachable"
        case .peerFault(let code, _): code
        case .setting: "invalid_setting"
        case .invalidDays: "invalid_date_range"
        case .dayNotImported: "day_not_imported"
        case .pairAgain: "pair_again"
        case .noSuchJob: "no_such_job"
        case .storedStateDamaged: "stored_state_damaged"
        case .itemDamaged: "item_damaged"
        case .journalLost: "journal_sync_failed"
        case .generationGone: "generation_gone"
        }
    }
}

extension SenderError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .alreadyServing(let pid):
            "Another healthmd\(pid.map { " (process \($0))" } ?? "") serves this phone folder. Stop it first."
        case .nothingImported: "No Apple Health export has been imported yet. Run `healthmd phone import PATH`."
        case .notPaired: "No workstation is paired. Run `healthmd pair` there, then `healthmd phone pair HOST` here."
        case .pairingCodeInvalid:
            "A pairing code has exactly 20 digits. Take it from `healthmd pair` on the workstation."
        case .pairingRejected:
            "The workstation refused the pairing. While `healthmd pair` still waits there, run this again and type its code "
                + "once more; if it does not wait any more, open a new one and use its code."
        case .unreachable(let detail):
            "The workstation cannot be reached: \(detail). Is `healthmd serve` running there?"
        case .peerFault(_, let detail): "The workstation did not keep to the protocol: \(detail)."
        case .setting(let key, let detail): "The setting \(key) cannot be changed so: \(detail)."
        case .invalidDays(let detail): "These are not usable days: \(detail). Write them as yyyy-MM-dd."
        case .dayNotImported(let day, let first?, let last?):
            "\(day) was not imported: the store holds \(first) to \(last). Name one of these days, or import a newer export."
        case .dayNotImported(let day, _, _): "\(day) was not imported: the store holds no days. Import an export."
        case .pairAgain:
            "The workstation does not know this phone side any more. Pair again: `healthmd pair` there, then "
                + "`healthmd phone pair HOST` here."
        case .noSuchJob:
            "No job of this id is under way or waits. `healthmd phone status` lists the jobs with their states."
        case .storedStateDamaged(let detail):
            "The stored state of the phone is damaged: \(detail). Restore it from a backup."
        case .itemDamaged(let name): "The prepared day \(name) is missing or was changed. Ask for the export again."
        case .journalLost:
            "The disk failed to keep the journal, so nothing more is done with it. Check the disk, then start again; what was "
                + "confirmed before is there."
        case .generationGone(let number):
            "Import \(number), which the job reads, is not there any more. Ask for the export again."
        }
    }
}
