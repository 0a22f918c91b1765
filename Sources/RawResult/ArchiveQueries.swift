import CanonicalJSON

/// A query of a day's archive that was no success: which type, how it ended, for which metrics.
public struct OpenQuery: Hashable, Sendable {
    /// `object_type_identifier`.
    public var type: String
    /// `failure`, `unsupported`, `skipped` or `cancelled`.
    public var status: String
    /// `metric_ids`.
    public var metricIDs: [String]
}

/// Reads from a day's document why its archive is not whole (raw-result.md 3). One pass that ends with the list; no record is kept.
public enum ArchiveQueries {
    /// The most queries that are told of one day.
    public static let limit = 512
    private static let textByteCount = 1_024
    private static let place: [String?] = ["healthkit_record_archive", "query_manifest", "results"]

    /// The queries of a document that did not succeed, in its order.
    public static func unsuccessful(
        in document: RawResponse.Document, reading read: @escaping Extraction.BodyReader
    ) throws -> [OpenQuery] {
        var offset = document.range.lowerBound
        let tokens = try JSONTokenizer(limits: RawResponseScanner.limits) { buffer in
            let wanted = min(buffer.count, document.range.upperBound - offset)
            guard wanted > 0 else { return 0 }
            let count = try read(offset, UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
            offset += count
            return count
        }
        return try scan(tokens)
    }

    private static func scan(_ tokens: JSONTokenizer) throws -> [OpenQuery] {
        var found: [OpenQuery] = []
        // The key of each open container, the root's aside; nil inside of an array.
        var path: [String?] = []
        var key: String?
        var isRoot = true
        var query = OpenQuery(type: "", status: "", metricIDs: [])
        while true {
            switch try tokens.next() {
            case .end: return found
            case .key: key = String(decoding: tokens.keyBytes, as: UTF8.self)
            case .beginObject, .beginArray:
                if !isRoot { path.append(key) }
                isRoot = false
                if path == place + [nil] { query = OpenQuery(type: "", status: "", metricIDs: []) }
                key = nil
            case .endObject, .endArray:
                if path == place { return found }
                if path == place + [nil], query.status != "success", found.count < limit { found.append(query) }
                if !path.isEmpty { path.removeLast() }
                key = nil
            case .string:
                let isMember = path == place + [nil] && (key == "status" || key == "object_type_identifier")
                let isMetric = path == place + [nil, "metric_ids"]
                guard isMember || isMetric else { continue }
                let text = String(decoding: try tokens.stringBytes(byteLimit: textByteCount), as: UTF8.self)
                if isMetric {
                    query.metricIDs.append(text)
                } else if key == "status" {
                    query.status = text
                } else {
                    query.type = text
                }
            case .number, .bool, .null: break
            }
        }
    }
}
