import Cryptography

/// The edits that a writer has answered, kept to know a repeat (day-archive.md 9.4). A value: the writer stores it.
public struct AnsweredEdits: Equatable, Sendable {
    /// A genuine edit is signed at most this many seconds before a newer one that was answered (day-archive.md 9.4).
    static let window = 900

    /// One edit.
    public struct Entry: Equatable, Sendable {
        /// SHA-256 of the sealed bytes.
        public let digest: Digest
        /// Its name.
        public let name: EditName
        /// When its editor signed it, Unix seconds.
        public let signedAt: Int

        /// An answered edit.
        public init(digest: Digest, name: EditName, signedAt: Int) {
            self.digest = digest
            self.name = name
            self.signedAt = signedAt
        }
    }

    /// What is remembered.
    public private(set) var entries: [Entry]

    /// What was remembered.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    private var newest: Int? { entries.map(\.signedAt).max() }

    /// Whether a verified edit must not be applied: its bytes were answered under any name, or it was signed too long
    /// before the newest that was.
    public func isReplay(digest: Digest, signedAt: Int) -> Bool {
        entries.contains { $0.digest == digest } || newest.map { signedAt < $0 - Self.window } ?? false
    }

    /// Remembers an edit whose outcome the service took, and forgets those that the window covers anyway.
    public mutating func record(_ entry: Entry) {
        entries.append(entry)
        let oldest = (newest ?? entry.signedAt) - Self.window
        entries.removeAll { $0.signedAt < oldest }
    }
}
