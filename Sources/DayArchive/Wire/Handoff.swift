import Foundation

/// What a writer hands to a reader: where the archive is, the key that opens it, and perhaps the key that may write
/// (day-archive.md 1.3).
public struct Handoff: Sendable {
    /// The sentence of our writer. Upstream's reader demands `setup_guide` and one of two phrases.
    private static let readingSentence =
        "Connect the supplied MCP and call setup_guide first, or run `healthmd archive reader connect`. "
        + "Keep the reading key local."
    private static let editingSentence =
        "Connect the supplied MCP and call setup_guide first, or run `healthmd archive reader connect`. "
        + "Keep the reading key and the editor key local."
    private static let phrases = ["Keep the reading key local", "Keep the reading key and the editor key local"]

    /// Where the service is: scheme, host with port, prefix; no trailing slash.
    public let endpoint: ServiceEndpoint
    /// The key that opens days.
    public let readingKey: ReadingKey
    /// The key that signs edits; without it the connection only reads.
    public let editorKey: EditorKey?

    /// A handoff for an archive.
    public init(endpoint: ServiceEndpoint, readingKey: ReadingKey, editorKey: EditorKey?) {
        self.endpoint = endpoint
        self.readingKey = readingKey
        self.editorKey = editorKey
    }

    /// The archive's id.
    public var bucket: BucketID { readingKey.bucket }

    /// Reads and checks a handoff.
    ///
    /// - Throws: `bad_handoff`, `bad_key`.
    public init(text: String) throws(WireError) {
        guard let instruction = Self.field("Instruction", in: text) else {
            throw .badHandoff(field: "Instruction", what: "is missing")
        }
        guard instruction.contains("setup_guide"), Self.phrases.contains(where: { instruction.contains($0) }) else {
            throw .badHandoff(field: "Instruction", what: "is not that of an archive")
        }
        guard let url = Self.field("MCP", in: text) else { throw .badHandoff(field: "MCP", what: "is missing") }
        let address = try Self.parse(url: url)
        guard let reading = Self.field("Reading key", in: text) else {
            throw .badHandoff(field: "Reading key", what: "is missing")
        }
        let readingKey = try ReadingKey(text: reading)
        guard readingKey.bucket == address.bucket else {
            throw .badHandoff(field: "Reading key", what: "belongs to another archive than its MCP address")
        }
        var editorKey: EditorKey?
        if let editor = Self.field("Editor key", in: text) { editorKey = try EditorKey(text: editor) }
        self.init(endpoint: address.endpoint, readingKey: readingKey, editorKey: editorKey)
    }

    /// The text to hand over. Holds secrets.
    public var text: String {
        var blocks = [
            "Instruction:\n" + (editorKey == nil ? Self.readingSentence : Self.editingSentence),
            "MCP:\n\(endpoint.url)/mcp/b/\(bucket)",
            "Reading key:\n\(readingKey.text)",
        ]
        if let editorKey { blocks.append("Editor key:\n\(editorKey.text)") }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    /// The line under a label that stands at the start of a line and is followed by a colon.
    private static func field(_ label: String, in text: String) -> String? {
        // A CRLF is one Character, so it ends lines as LF does.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where index + 1 < lines.count {
            guard line.hasPrefix(label + ":"), line.dropFirst(label.count + 1).allSatisfy(\.isWhitespace) else {
                continue
            }
            let value = lines[index + 1].trimmingWhitespace
            return value.isEmpty ? nil : String(value)
        }
        return nil
    }

    private static func parse(url: String) throws(WireError) -> (endpoint: ServiceEndpoint, bucket: BucketID) {
        guard !url.contains("?"), !url.contains("#") else {
            throw .badHandoff(field: "MCP", what: "has a query or a fragment")
        }
        guard let path = url.range(of: "/mcp/b/", options: .backwards) else {
            throw .badHandoff(field: "MCP", what: "does not end in /mcp/b/ and an id")
        }
        // A text that is no id is reported as the field's fault.
        guard let bucket = try? BucketID(text: url[path.upperBound...]) else {
            throw .badHandoff(field: "MCP", what: "does not end in /mcp/b/ and an id")
        }
        guard let endpoint = ServiceEndpoint(String(url[..<path.lowerBound])) else {
            throw .badHandoff(field: "MCP", what: "is not an http or https address")
        }
        return (endpoint, bucket)
    }
}

/// The address of a service: scheme, host with port, perhaps a path before `/b/…`; never a slash at the end.
public struct ServiceEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    public let url: String

    /// Takes an http or https address; trailing slashes are dropped. Nil for another scheme, without a host, with user
    /// information, a query, a fragment, white space or control characters.
    public init?(_ text: String) {
        let lower = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lower.hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains(where: { "?#@\\".contains($0) || $0.isWhitespace }),
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return nil }
        var trimmed = rest
        while trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard let first = trimmed.first, first != "/", first != ":" else { return nil }
        url = scheme + trimmed
    }

    /// What precedes the route in signed targets: empty, or a path without a slash at its end.
    public var prefix: String {
        let host = url.drop { $0 != ":" }.dropFirst(3)
        return host.firstIndex(of: "/").map { String(host[$0...]) } ?? ""
    }

    /// The address.
    public var description: String { url }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmingWhitespace: SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}
