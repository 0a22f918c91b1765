/// What one update of the database did.
public struct UpdateReport: Sendable, Equatable {
    /// A document with its day, where that is known.
    public struct Document: Sendable, Equatable {
        /// Relative to the folder.
        public let path: String
        /// `2026-03-15`.
        public let date: String?
        /// The stable code of what is wrong with it; nil for a missing one.
        public let code: String?
    }

    /// The most documents that are listed by name of a kind; all are counted.
    public static let listLimit = 1_000

    /// Days that were not in the database.
    public internal(set) var addedDays = 0
    /// Days whose document has other bytes than before.
    public internal(set) var changedDays = 0
    /// Days whose document has the same bytes.
    public internal(set) var unchangedDays = 0
    /// JSON files that are no day documents: dictionaries, roll-ups, files of other programs.
    public internal(set) var otherFiles = 0
    /// Documents that cannot be read. Their days keep the rows of the last document that could be.
    public internal(set) var failedCount = 0
    /// The first of them.
    public internal(set) var failed: [Document] = []
    /// Documents of the database that the folder no longer has. Their days keep their rows.
    public internal(set) var missingCount = 0
    /// The first of them.
    public internal(set) var missing: [Document] = []
    /// Folders that could not be read; days of documents in them keep their rows.
    public internal(set) var unreadableCount = 0
    /// The first of them, each with a `/` at its end.
    public internal(set) var unreadable: [Document] = []
    /// Whether the update was stopped before it had seen every document.
    public internal(set) var isInterrupted = false
    /// Elements of changed days that could not be read and were left out.
    public internal(set) var skippedElements = 0
    /// Days in the database now.
    public internal(set) var totalDays = 0
    /// Days removed because their document is gone, when that was asked for.
    public internal(set) var removedDays = 0

    /// Whether the folder had a day document, readable or not.
    var hasMetDays: Bool { addedDays + changedDays + unchangedDays + failedCount > 0 }

    mutating func fail(_ document: Document) {
        failedCount += 1
        if failed.count < Self.listLimit { failed.append(document) }
    }

    mutating func skip(_ folder: Document) {
        unreadableCount += 1
        if unreadable.count < Self.listLimit { unreadable.append(folder) }
    }

    mutating func miss(_ document: Document) {
        missingCount += 1
        if missing.count < Self.listLimit { missing.append(document) }
    }
}
