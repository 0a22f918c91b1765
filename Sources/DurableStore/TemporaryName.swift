/// Names of files that are being written: hidden, short, and not to be guessed.
enum TemporaryName {
    private static let prefix = ".healthmd-"
    private static let suffix = ".tmp"

    /// A fresh name with 64 random bits.
    static func next() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return prefix + String(repeating: "0", count: 16 - digits.count) + digits + suffix
    }

    static func matches(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.hasSuffix(suffix)
            && name.utf8.count == prefix.utf8.count + 16 + suffix.utf8.count
    }
}

extension Directory {
    /// Removes what a killed process left behind while it wrote files in this folder (not below it); returns the count.
    ///
    /// Without a limit only for the holder of the folder's lock: a live writer's file has such a name too.
    ///
    /// - Parameter limit: spares files that were changed at this time or later, in nanoseconds since 1970. For folders
    ///   that have no lock: what was last changed before this process began is nobody's any more.
    @discardableResult
    public func removeAbandonedTemporaries(changedBefore limit: Int64 = .max) throws(StoreError) -> Int {
        var count = 0
        for entry in try entries() where entry.kind == .regularFile && TemporaryName.matches(entry.name) {
            guard let status = try status(of: entry.name), status.modifiedNanoseconds < limit else { continue }
            try unlink(entry.name)
            count += 1
        }
        if count > 0 { try sync() }
        return count
    }
}
