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
            "The workstation refused the pairing. Run `healthmd pair` there again and use the new code."
        case .unreachable(let detail):
            "The workstation cannot be reached: \(detail). Is `healthmd serve` running there?"
        case .peerFault(_, let detail): "The workstation did not keep to the protocol: \(detail)."
        case .setting(let key, let detail): "The setting \(key) cannot be changed so: \(detail)."
        case .invalidDays(let detail): "These are not usable days: \(detail). Write them as yyyy-MM-dd."
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
