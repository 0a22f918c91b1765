import CanonicalJSON
import ConnectedProtocol

/// Canonical manifests (corpus-protocol.md 6): the canonical form is JSON, is its own canonical form, and exists for just
/// those texts that the parser takes.
func fuzzManifest(_ bytes: [UInt8]) {
    let value = decoded { try JSONParser.parse(bytes) }
    let canonical = decoded { try ManifestCanonicalizer.canonicalize(bytes) }
    hold((value == nil) == (canonical == nil), "parser and canonicalizer take the same texts")
    if let canonical {
        hold(decoded { try ManifestCanonicalizer.canonicalize(canonical) } == canonical, "the form is its own form")
        hold(canonical.count <= bytes.count, "the form is no longer than the text")
    }
    if let value {
        let compact = JSONWriter.encode(value, style: .compactSorted)
        hold(decoded { try JSONParser.parse(compact) } != nil, "what the writer writes the parser reads")
    }
    guard let manifest = decoded({ try ExportManifest(text: bytes) }) else { return }
    hold(decoded { try ExportManifest(text: canonical ?? []) } != nil, "a manifest in canonical form is a manifest")
    hold(manifest.text == bytes, "a manifest keeps its text")
}
