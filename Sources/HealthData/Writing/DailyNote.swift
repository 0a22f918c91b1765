/// Merging a day into a note of the person (export-formats.md 11). Pure: the caller reads and replaces the note.
public enum DailyNote {
    /// What is to be done with a note.
    public enum Outcome: Sendable, Equatable {
        /// The note's new content.
        case update([UInt8])
        /// The note holds everything already.
        case unchanged
        /// There is no note and none is to be created.
        case skip
    }

    /// The note with the day in it.
    ///
    /// Throws `content_unmergeable` when the note is not UTF-8, and what rendering throws.
    public static func merging(
        _ document: DayDocument, into existing: [UInt8]?, settings: ExportSettings
    ) throws -> Outcome {
        guard existing != nil || settings.dailyNotes.createsIfMissing else { return .skip }
        guard let old = String(validating: existing ?? [], as: UTF8.self) else {
            throw HealthDataError.unmergeable(format: "a daily note", reason: "that is not UTF-8 cannot be merged")
        }
        var settings = settings
        settings.includesMetadata = true
        let rendered = try DayRenderer.bytes(of: document, as: .markdown, settings: settings)
        let new = String(decoding: rendered, as: UTF8.self)
        let target = MarkdownMerge.Target.dailyNote(injectsSections: settings.dailyNotes.injectsSections)
        let merged = Array(MarkdownMerge(existing: old).merging(new, target).utf8)
        return merged == existing ? .unchanged : .update(merged)
    }
}
