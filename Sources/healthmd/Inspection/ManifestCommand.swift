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
            let text = try InspectedFile(path).contents(maximumByteCount: maximumByteCount)
            let canonical = try ManifestCanonicalizer.canonicalize(text)
            let fingerprint = try RequestFingerprint(manifestText: text)
            console.print([
                "version": .integer(fingerprint.version), "sha256": .string(fingerprint.sha256.hex),
                "canonical_bytes": .integer(canonical.count), "is_canonical": .bool(text == canonical),
            ])
            return .success
        })
}
