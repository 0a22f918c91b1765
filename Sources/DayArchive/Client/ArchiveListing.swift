import CanonicalJSON
import Cryptography

/// One line of a listing.
struct ListedDay: Equatable, Sendable {
    let day: ArchiveDay
    let byteCount: Int
    /// The moment of upload, as the service writes it; compared, never read.
    let uploaded: String
}

/// The numbers of an archive (day-archive.md 7).
public struct ArchiveNumbers: Equatable, Sendable {
    /// Days held.
    public let days: Int
    /// Sealed bytes held.
    public let bytes: Int
    /// The first day; nil when there is none.
    public let firstDay: ArchiveDay?
    /// The last day; nil when there is none.
    public let lastDay: ArchiveDay?
    /// Whether the numbers are whole; otherwise they are a floor.
    public let isComplete: Bool
    /// Whether the bucket is claimed or has days.
    public let exists: Bool
}

extension ArchiveClient {
    /// The most pages of one listing: beyond this the service does not come to an end.
    static let maximumPageCount = 200

    func numbers(key: Ed25519.PrivateKey) throws(ClientError) -> ArchiveNumbers {
        let object = try readObject("/stats", key: key)
        func day(_ name: String) throws(ClientError) -> ArchiveDay? {
            guard let text = object[name]?.string else { return nil }
            do {
                return try ArchiveDay(text: text)
            } catch {
                throw .badAnswer(target: target("/stats"), what: "\(name) is no day")
            }
        }
        guard let days = object["days"]?.number?.int, let bytes = object["bytes"]?.number?.int, days >= 0, bytes >= 0
        else { throw .badAnswer(target: target("/stats"), what: "days or bytes is missing") }
        return ArchiveNumbers(
            days: days, bytes: bytes, firstDay: try day("firstDay"), lastDay: try day("lastDay"),
            isComplete: object["complete"]?.bool ?? true, exists: object["exists"]?.bool ?? (days > 0))
    }

    /// The whole listing of a range, all pages or none.
    func listDays(
        from: ArchiveDay? = nil, to: ArchiveDay? = nil, limit: Int? = nil, key: Ed25519.PrivateKey
    ) throws(ClientError) -> [ListedDay] {
        var days: [ListedDay] = []
        var after: ArchiveDay?
        for _ in 0..<Self.maximumPageCount {
            let query: [(String, String?)] = [
                ("from", after == nil ? from?.description : nil), ("after", after?.description),
                ("to", to?.description), ("limit", limit.map(String.init)),
            ]
            let page = try readObject("/days", query, key: key)
            guard let lines = page["days"]?.array else {
                throw .badAnswer(target: target("/days"), what: "days is no list")
            }
            for line in lines { days.append(try listedDay(line, after: days.last?.day ?? after)) }
            guard let next = page["next"], next != .null else { return days }
            // A text that is no day is treated as one that does not move on.
            guard let text = next.string, let day = try? ArchiveDay(text: text), after.map({ $0 < day }) ?? true else {
                throw .badAnswer(target: target("/days"), what: "next does not move on")
            }
            after = day
        }
        throw .badAnswer(target: target("/days"), what: "the listing does not end")
    }

    private func listedDay(_ line: JSONValue, after last: ArchiveDay?) throws(ClientError) -> ListedDay {
        // A text that is no day makes the line unusable.
        guard let text = line["day"]?.string, let day = try? ArchiveDay(text: text),
            let bytes = line["bytes"]?.number?.int, let uploaded = line["uploaded"]?.string,
            last.map({ $0 < day }) ?? true
        else { throw .badAnswer(target: target("/days"), what: "a line that is none") }
        return ListedDay(day: day, byteCount: bytes, uploaded: uploaded)
    }
}
