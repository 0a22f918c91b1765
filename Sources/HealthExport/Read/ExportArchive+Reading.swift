extension ExportArchive {
    /// Reads the main file on this thread while another unpacks it.
    ///
    /// - Returns: the summary, marked incomplete when the archive is cut inside the main file or was rescued.
    public func readMain(
        _ main: ExportFile, visitor: any ExportVisitor, tables: ExportTables = ExportTables()
    ) throws -> ExportSummary {
        var summary = try ExportReader.read(
            try streamAhead(main), entry: main.name, visitor: visitor, tables: tables)
        if summary.brokenOffAt == nil, isCut(main) {
            summary.brokenOffAt = ExportPlace(entry: main.name, offset: summary.byteCount)
        }
        if let place = summary.brokenOffAt { summary.problems.note(.incomplete, at: place) }
        summary.problems.merge(problems)
        return summary
    }
}
