import FoundationEssentials

/// The small part of a raw day, read without its document (hmdcitem.md 5).
public struct RawDayExtraction: Sendable {
    /// The day without `canonicalDailyJSON`, and the instant.
    public let metadata: StrictRawDayEnvelope
    /// Where the document's bytes lie in the source, or nil when the day has none. Not checked yet.
    public let document: ItemRegion?

    /// Reads header and metadata of a `strict_raw_day` item. Of the document only its place is looked at.
    ///
    /// - Parameter source: The whole item, read in any order.
    public init(_ source: any ItemSource) throws {
        let root = try ItemFile(source, kind: .strictRawDay).root
        var decoder = ItemDecoder()
        decoder.omittedKeys = [StrictRawDay.documentKey]
        metadata = try decoder.decode(StrictRawDayEnvelope.self, from: root)
        guard let day = try root.child("day"), let node = try day.child(StrictRawDay.documentKey), node.tag != .null
        else {
            document = nil
            return
        }
        guard node.tag == .string else {
            throw ItemError.rejected(.typeMismatch(expected: .string, found: node.tag), offset: node.offset)
        }
        document = node.payload
    }

    /// Copies the document verbatim, in chunks, and checks that it is UTF-8. Whoever owns the sink makes it durable and
    /// records length and digest.
    ///
    /// - Returns: How many bytes were copied; 0 when the day has no document.
    @discardableResult
    public func copyDocument(to sink: inout some ItemSink) throws -> UInt64 {
        guard let document else { return 0 }
        try document.forEachChunk(isText: true) { try sink.write($0) }
        return document.byteCount
    }
}
