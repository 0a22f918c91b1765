import CanonicalJSON

/// Renders the files of a day. Pure functions over the document: the same document and settings give the same bytes on
/// every machine.
public enum DayRenderer {
    /// The bytes of one file.
    public static func bytes(
        of document: DayDocument, as format: ExportFormat, settings: ExportSettings = ExportSettings()
    ) throws -> [UInt8] {
        var output: [UInt8] = []
        try write(document, as: format, settings: settings) { output.append(contentsOf: $0) }
        return output
    }

    /// Hands the bytes of one file to a sink in pieces of about 256 KiB.
    public static func write(
        _ document: DayDocument, as format: ExportFormat, settings: ExportSettings = ExportSettings(),
        to sink: @escaping (_ bytes: [UInt8]) throws -> Void
    ) throws {
        if format == .json {
            var writer = JSONWriter(style: .daily) { try sink($0) }
            try writer.value(.object(document.root))
            try writer.finish()
            return try sink([UInt8(ascii: "\n")])
        }
        var writer = TextWriter(flush: sink)
        switch format {
        case .markdown: try MarkdownRenderer(document, settings: settings).write(to: &writer)
        case .bases: try BasesRenderer(document, settings: settings).write(to: &writer)
        case .csv: try CSVRenderer(document).write(to: &writer)
        case .json: break
        }
        try writer.finish()
    }
}
