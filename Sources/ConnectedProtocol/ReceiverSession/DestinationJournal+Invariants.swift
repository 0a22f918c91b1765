import Foundation

/// Why a stored journal is not believed; its session is quarantined (corpus-protocol.md 17.2).
public enum DestinationJournalError: Error, Sendable, Equatable {
    /// The fingerprint cannot be derived again from the stored manifest, or session and manifest disagree.
    case fingerprint
    /// The protocol version is unknown.
    case version(Int)
    /// A partition's size is out of range, or the sum overflows.
    case partition(index: Int)
    /// A partial item breaks a rule.
    case partialItem(UUID, String)
    /// A day breaks a rule.
    case day(UUID, String)
    /// State and final acknowledgement do not fit.
    case terminal(String)

    /// The stable code.
    public var code: String {
        switch self {
        case .fingerprint: "journal_fingerprint_mismatch"
        case .version: "journal_protocol_version"
        case .partition: "journal_partition_invalid"
        case .partialItem: "journal_partial_item_invalid"
        case .day: "journal_day_invalid"
        case .terminal: "journal_terminal_invalid"
        }
    }
}

extension DestinationJournal {
    /// Checks all that can be checked without the item files.
    func checkInvariants() throws(DestinationJournalError) {
        guard CorpusCapabilities.knownVersions.contains(session.protocolVersion) else {
            throw .version(session.protocolVersion)
        }
        guard session.requestFingerprint == manifest.fingerprint, session.createdAt == manifest.createdAt else {
            throw .fingerprint
        }
        try checkPartitions()
        try checkItems()
        try checkTerminal()
    }

    private func checkPartitions() throws(DestinationJournalError) {
        var total: Int64 = 0
        for (index, partition) in committedPartitions.enumerated() {
            let (sum, overflow) = total.addingReportingOverflow(partition.byteCount)
            guard (1...PartitionDescriptor.maximumByteCount).contains(partition.byteCount), !overflow else {
                throw .partition(index: index)
            }
            total = sum
        }
        guard total == totalPartitionBytes else { throw .partition(index: committedPartitions.count) }
    }

    private func checkItems() throws(DestinationJournalError) {
        let transferDates = Set(manifest.transferDates)
        let requestedDates = Set(manifest.requestedDates)
        var itemIDs: Set<UUID> = []
        for (date, day) in days {
            guard day.sourceDate == date, transferDates.contains(date) else {
                throw .day(day.itemID, "its date is no transfer date")
            }
            guard day.itemByteCount > 0 else { throw .day(day.itemID, "it is empty") }
            guard itemIDs.insert(day.itemID).inserted else { throw .day(day.itemID, "its id is used twice") }
            guard day.content.kind == manifest.mode.itemKind else { throw .day(day.itemID, "its kind") }
        }
        var partialDates: Set<ProtocolDate> = []
        for (itemID, item) in partialItems {
            guard item.itemID == itemID, itemIDs.insert(itemID).inserted else {
                throw .partialItem(itemID, "its id is used twice")
            }
            guard item.kind == manifest.mode.itemKind else { throw .partialItem(itemID, "its kind") }
            guard transferDates.contains(item.sourceDate), days[item.sourceDate] == nil,
                partialDates.insert(item.sourceDate).inserted
            else { throw .partialItem(itemID, "its date") }
            guard item.isRequestedDate == requestedDates.contains(item.sourceDate) else {
                throw .partialItem(itemID, "its flag")
            }
            guard item.nextOffset > 0, item.nextOffset < item.totalItemBytes else {
                throw .partialItem(itemID, "its offset")
            }
        }
    }

    private func checkTerminal() throws(DestinationJournalError) {
        switch state {
        case .open:
            guard terminalAcknowledgement == nil else { throw .terminal("an open session has an acknowledgement") }
        case .finalizing, .completed, .failed:
            guard partialItems.isEmpty, days.count == manifest.transferDates.count else {
                throw .terminal("\(state.rawValue) without every day")
            }
            guard (state == .finalizing) == (terminalAcknowledgement == nil) else {
                throw .terminal("\(state.rawValue) and its acknowledgement")
            }
            if let terminalAcknowledgement {
                guard terminalAcknowledgement.accepted == (state == .completed),
                    terminalAcknowledgement.isAboutRequest(of: session),
                    terminalAcknowledgement.finalPartitionSHA256 == lastPartitionSHA256
                else { throw .terminal("the acknowledgement is of another session") }
            }
        case .cancelled:
            guard terminalAcknowledgement == nil else { throw .terminal("a cancelled session was acknowledged") }
        }
    }
}

extension DestinationJournal.DayContent {
    /// The kind of item that this came from.
    var kind: ItemKind {
        switch self {
        case .record, .noData, .failed: .macHealthDay
        case .raw: .strictRawDay
        }
    }
}
