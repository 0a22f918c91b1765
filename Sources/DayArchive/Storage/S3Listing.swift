/// What we read of an object store's documents: the objects of a page, the way on, the word of a refusal.
///
/// Our own keys are letters, digits and `-._~/` (``S3Configuration`` sees to it), so a key that has an entity is not one of ours.
struct S3Listing: Equatable {
    struct Object: Equatable {
        let key: Substring
        let byteCount: Int
    }

    let objects: [Object]
    /// Nil on the last page.
    let nextToken: String?

    /// A word of a refusal is a few words in one, as in `SignatureDoesNotMatch`.
    private static let longestWord = 64

    /// - Throws: `badListing` for an object without a key or a size: what cannot be told must not count as lost.
    init(_ document: [UInt8]) throws(S3Error) {
        let text = String(decoding: document, as: UTF8.self)
        var objects: [Object] = []
        for entry in Self.contents(of: "Contents", in: text) {
            guard let key = Self.contents(of: "Key", in: String(entry)).first,
                let byteCount = Self.contents(of: "Size", in: String(entry)).first.flatMap({ Int($0) })
            else { throw .badListing }
            objects.append(Object(key: key, byteCount: byteCount))
        }
        self.objects = objects
        let isTruncated = Self.contents(of: "IsTruncated", in: text).first == "true"
        nextToken = isTruncated ? Self.contents(of: "NextContinuationToken", in: text).first.map(Self.plain) : nil
    }

    /// The store's word for a refusal, letters alone; empty without one.
    static func refusalWord(_ document: [UInt8]) -> String {
        let word = contents(of: "Code", in: String(decoding: document, as: UTF8.self)).first ?? ""
        return String(word.prefix(longestWord).filter { $0.isASCII && $0.isLetter })
    }

    private static func contents(of name: String, in text: String) -> [Substring] {
        text.split(separator: "<\(name)>", omittingEmptySubsequences: false).dropFirst().compactMap { piece in
            piece.split(separator: "</\(name)>", maxSplits: 1, omittingEmptySubsequences: false).first
        }
    }

    private static func plain(_ text: Substring) -> String {
        String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#34;", with: "\"").replacing("&apos;", with: "'").replacing("&#39;", with: "'")
            // Last, so that what it makes is not read again.
            .replacing("&amp;", with: "&")
    }
}
