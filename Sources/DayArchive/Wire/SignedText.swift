import Cryptography
import Foundation

/// The texts that requests are signed over: lines joined by LF, none at the end (day-archive.md 4).
///
/// Timestamps are texts, because the line is exactly what the header says.
public enum SignedText {
    /// Claiming a bucket, which has no body.
    public static func claim(_ bucket: BucketID, timestamp: String) -> [UInt8] {
        lines("efferent/v1", bucket.text, "", timestamp, digest([]))
    }

    /// Uploading days, named in frame order.
    public static func upload(_ bucket: BucketID, days: [ArchiveDay], timestamp: String, body: [UInt8]) -> [UInt8] {
        lines(
            "efferent/v1", bucket.text, days.map(\.description).joined(separator: ","), timestamp, digest(body))
    }

    /// What a writer registers by its public half.
    public enum Registration: String, Sendable {
        /// The key that signs edits.
        case editor
        /// The key that signs reads.
        case reader
        /// A push token of upstream's; our service does not offer it.
        case device
    }

    /// Registering a key.
    public static func register(
        _ what: Registration, _ bucket: BucketID, timestamp: String, body: [UInt8]
    ) -> [UInt8] {
        lines("efferent/v1 \(what.rawValue)", bucket.text, timestamp, digest(body))
    }

    /// Fetching an edit.
    public static func fetch(_ bucket: BucketID, name: EditName, timestamp: String) -> [UInt8] {
        lines("efferent/v1 fetch", bucket.text, name.text, timestamp)
    }

    /// Answering an edit.
    public static func outcome(_ bucket: BucketID, name: EditName, timestamp: String, body: [UInt8]) -> [UInt8] {
        lines("efferent/v1 outcome", bucket.text, name.text, timestamp, digest(body))
    }

    /// Submitting an edit.
    public static func edit(_ bucket: BucketID, timestamp: String, body: [UInt8]) -> [UInt8] {
        lines("efferent/v1 edit", bucket.text, timestamp, digest(body))
    }

    /// Any read; `target` is path and query exactly as sent.
    public static func read(_ bucket: BucketID, target: String, timestamp: String) -> [UInt8] {
        lines("efferent/v1 read", bucket.text, target, timestamp)
    }

    /// The target that a read of this URL signs: path and query untouched, no `?` for an empty query.
    public static func target(ofURL url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(of: "/") else { return "/" }
        let target = rest[slash...].prefix { $0 != "#" }
        return String(target.last == "?" ? target.dropLast() : target)
    }

    /// base64url of the SHA-256 of a body.
    static func digest(_ body: [UInt8]) -> String {
        Base64.encode(SHA256.hash(body).bytes, as: .urlSafe)
    }

    private static func lines(_ parts: String...) -> [UInt8] { Array(parts.joined(separator: "\n").utf8) }
}
