/// Where in an export something was met: which file of it, which line, which byte.
public struct ExportPlace: Hashable, Sendable, CustomStringConvertible {
    /// The entry's name inside the export, or the path of a bare file.
    public var entry: String
    /// The line, counted from 1; nil where lines mean nothing.
    public var line: Int?
    /// The byte offset in the unpacked entry, counted from 0.
    public var offset: Int?

    /// A place.
    public init(entry: String, line: Int? = nil, offset: Int? = nil) {
        self.entry = entry
        self.line = line
        self.offset = offset
    }

    /// `export.xml, line 12, byte 3456`.
    public var description: String {
        var text = entry
        if let line { text += ", line \(line)" }
        if let offset { text += ", byte \(offset)" }
        return text
    }
}
