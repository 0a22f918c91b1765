import CanonicalJSON
import ConnectedProtocol

/// `manifest fingerprint` (extensions.md 6, corpus-protocol.md 6).
enum ManifestCommand {
    /// An export manifest of the largest range stays far below this.
    static let maximumByteCount = 64 * 1_024 * 1_024

    static let spec = CommandSpec(
        "manifest", "fingerprint", summary: "Prints the request fingerprint of an export manifest.",
        examples: [Example("healthmd manifest fingerprint manifest.json", "of the wire or the canonical text")],
        positionals: [PositionalSpec(name: "FILE", kind: .file, count: .one, summary: "the manifest as JSON")],
        run: { invocation, console in
            guard let path = invocation.words.first else { return .usage }
            let (text, canonical, fingerprint) = try FileKind.explaining(path, expected: .json) { file in
                let text = try file.contents(maximumByteCount: maximumByteCount)
                try refuseOther(text)
                return (
                    text, try ManifestCanonicalizer.canonicalize(text), try RequestFingerprint(manifestText: text)
                )
            }
            console.print(
                [
                    "version": .integer(fingerprint.version), "sha256": .string(fingerprint.sha256.hex),
                    "canonical_bytes": .integer(canonical.count), "is_canonical": .bool(text == canonical),
                ], invocation)
            return .success
        })

    /// Members that every export manifest has (corpus-protocol.md 5.3).
    static let required = [
        "mode", "createdAt", "sourceDeviceName", "dateRangeStart", "dateRangeEnd", "requestedDates", "transferDates",
        "settingsSnapshot",
    ]

    /// Every document of ours says what it is; a manifest does not, but it has its members.
    private static func refuseOther(_ text: [UInt8]) throws {
        let document = try JSONParser.parse(text)
        if let schema = document["schema"]?.string {
            throw CommandFailure(
                "wrong_file",
                "an export manifest has no schema; this is \(TerminalText.safe(String(schema.prefix(64))))",
                status: .integrity, details: [("offset", 0), ("found", .string(String(schema.prefix(64))))])
        }
        let missing = required.filter { document[$0] == nil }
        guard missing.isEmpty else {
            throw CommandFailure(
                "wrong_file",
                "this is no export manifest: it lacks \(missing.joined(separator: ", ")). Give the manifest of an open message, "
                    + "as it was sent", status: .integrity,
                details: [("offset", 0), ("missing", .array(missing.map(JSONValue.string)))])
        }
    }
}
