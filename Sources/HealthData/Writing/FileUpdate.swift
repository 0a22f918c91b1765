/// What a file holds after a write, by the mode (export-formats.md 9). Pure: the caller reads and replaces the file.
public enum FileUpdate {
    /// The new content of a file.
    ///
    /// - Parameters:
    ///   - rendered: the file as it would be written afresh.
    ///   - existing: what is there now; nil when there is no file.
    ///   - format: the format of both.
    ///   - mode: what to do with the old content.
    ///
    /// Throws `content_unmergeable` where the result would be no valid document: JSON or CSV in the mode Append, and
    /// Markdown that is not UTF-8 in the mode Update.
    ///
    /// A repetition changes nothing: merging is idempotent, and content that already ends the file is not appended again,
    /// so that a write that a crash interrupted can be done once more.
    public static func content(
        rendered: [UInt8], existing: [UInt8]?, format: ExportFormat, mode: WriteMode
    ) throws(HealthDataError) -> [UInt8] {
        guard let existing, !existing.isEmpty else { return rendered }
        switch (mode, format) {
        case (.overwrite, _), (.update, .json), (.update, .csv), (.update, .bases): return rendered
        case (.append, .json), (.append, .csv):
            throw .unmergeable(
                format: format.rawValue, reason: "cannot be appended to: two documents in a file are none")
        case (.append, .markdown), (.append, .bases): return appended(rendered, to: existing)
        case (.update, .markdown):
            guard let old = String(validating: existing, as: UTF8.self) else {
                throw .unmergeable(format: format.rawValue, reason: "that is not UTF-8 cannot be merged")
            }
            let new = String(decoding: rendered, as: UTF8.self)
            return Array(MarkdownMerge(existing: old).merging(new, .dayFile).utf8)
        }
    }

    /// An empty line stands between old and new.
    private static func appended(_ rendered: [UInt8], to existing: [UInt8]) -> [UInt8] {
        let separator: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\n")]
        if existing == rendered || existing.suffix(rendered.count + 2).elementsEqual(separator + rendered) {
            return existing
        }
        return existing + separator + rendered
    }
}
