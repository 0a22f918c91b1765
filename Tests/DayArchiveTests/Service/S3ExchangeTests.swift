import CanonicalJSON
import Cryptography
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DayArchive

/// The object store's side of the conversation, as an S3 API server gave it once. `Tools/test-extra/s3.py` holds the same program
/// against a running one.
///
/// To record again, start the server with an empty bucket `sealed-days` and run these tests with `HEALTHMD_RECORD_S3` set to its
/// address; what it says goes into `Fixtures/day-archive/s3-exchanges.json`.
@Suite("Exchanges with an object store", .serialized)
struct S3ExchangeTests {
    private static let fixture = "day-archive/s3-exchanges.json"
    /// Where the recorded server was, in what is signed too.
    private static let endpoint = "http://127.0.0.1:15555"
    private static let recorder = ProcessInfo.processInfo.environment["HEALTHMD_RECORD_S3"]
    private let bucket = TestKeys.reading.bucket

    /// One request with its answer.
    private struct Exchange: Equatable {
        let request: String
        let status: Int
        let body: String

        init(request: String, status: Int, body: String) {
            self.request = request
            self.status = status
            self.body = body
        }

        init(_ value: JSONValue) throws {
            request = try #require(value["request"]?.string)
            status = try #require(value["status"]?.number?.int)
            body = try #require(value["body"]?.string)
        }

        var document: JSONValue {
            ["request": .string(request), "status": .integer(status), "body": .string(body)]
        }
    }

    /// Plays a recorded conversation, or records one.
    private final class Player: ArchiveExchange {
        private let left: Mutex<[Exchange]>
        let recorded = Mutex<[Exchange]>([])

        init(_ exchanges: [Exchange]) { left = Mutex(exchanges) }

        var isFinished: Bool { left.withLock { $0.isEmpty } }

        /// Everything that is sent: a request that is not the recorded one in every byte has no answer.
        private static func text(_ request: ExchangeRequest) -> String {
            let headers = request.headers.map { "\n\($0.0): \($0.1)" }.joined()
            return
                "\(request.method) \(request.url)\(headers)\n\n\(String(decoding: request.body ?? [], as: UTF8.self))"
        }

        func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer {
            let text = Self.text(request)
            if S3ExchangeTests.recorder != nil {
                let answer = try CurlExchange().send(request)
                recorded.withLock {
                    $0.append(
                        Exchange(
                            request: text, status: answer.status, body: String(decoding: answer.body, as: UTF8.self)))
                }
                return answer
            }
            let found = left.withLock { left in
                left.firstIndex { $0.request == text }.map { left.remove(at: $0) }
            }
            guard let found else { throw .unreachable("this was not recorded: \(text)") }
            return ExchangeAnswer(status: found.status, body: Array(found.body.utf8))
        }
    }

    private func name(_ text: String) -> BlobName { BlobName(stored: "\(bucket)/\(text)") }

    private func blobs(_ player: Player, location: String) throws -> S3Blobs {
        var blobs = S3Blobs(
            configuration: try S3Configuration(
                location: location, endpoint: Self.endpoint, region: "eu-central-1",
                credentials: try S3Credentials(
                    file: "aws_access_key_id = recorded\naws_secret_access_key = with/this+key")),
            exchange: player, clock: { 1_791_633_600 })
        blobs.namesPerPage = 2
        return blobs
    }

    @Test("storing, loading, listing by pages, removing, and the words of refusals")
    func conversation() throws {
        var exchanges: [Exchange] = []
        if Self.recorder == nil {
            let document = try JSONParser.parse(try Checkout.fixture(Self.fixture))
            exchanges = try #require(document["exchanges"]?.array).map { try Exchange($0) }
        }
        let player = Player(exchanges)
        let store = try blobs(player, location: "s3://sealed-days/of~healthmd/1")
        try store.checkAccess()
        let days: [(name: BlobName, bytes: [UInt8])] = (1...5).map { number in
            (name: name("2026-01-0\(number)-abc"), bytes: Array("sealed \(number)".utf8))
        }
        #expect(try store.byteCounts(of: bucket) == [:])
        let stored = store.store(days)
        #expect(stored.names == Set(days.map(\.name)))
        #expect(stored.failure == nil)
        let loaded = try store.load([
            (name: days[4].name, byteCount: 8), (name: name("2026-01-09-abc"), byteCount: 8),
            (name: days[0].name, byteCount: 8), (name: days[1].name, byteCount: 7),
        ])
        #expect(loaded == [days[4].bytes, nil, days[0].bytes, nil])
        // Three pages.
        #expect(
            try store.byteCounts(of: bucket) == Dictionary(uniqueKeysWithValues: days.map { ($0.name, $0.bytes.count) })
        )
        try store.remove([days[0].name, days[2].name, days[0].name, name("2026-01-09-abc")])
        #expect(try store.byteCounts(of: bucket) == [days[1].name: 8, days[3].name: 8, days[4].name: 8])

        let nowhere = try blobs(player, location: "s3://no-such-days")
        #expect(throws: S3Error.refused(status: 404, word: "NoSuchBucket")) { try nowhere.checkAccess() }
        #expect(throws: S3Error.refused(status: 404, word: "NoSuchBucket")) { try nowhere.byteCounts(of: bucket) }
        #expect(throws: S3Error.refused(status: 404, word: "NoSuchBucket")) {
            try nowhere.load([(name: days[0].name, byteCount: 8)])
        }
        let refused = nowhere.store([days[0]])
        #expect(refused.names == [])
        #expect(refused.failure as? S3Error == .refused(status: 404, word: "NoSuchBucket"))
        if Self.recorder != nil {
            let document: JSONValue = ["exchanges": .array(player.recorded.withLock { $0.map(\.document) })]
            try Data(JSONWriter.encode(document, style: .readable)).write(
                to: Checkout.root.appendingPathComponent("Fixtures/\(Self.fixture)"))
        } else {
            #expect(player.isFinished)
        }
    }

    @Test("entities of a listing's token are read, a refusal's word is letters alone")
    func documents() throws {
        let page = try S3Listing(
            Array(
                """
                <ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a/b-c</Key><Size>51</Size></Contents>
                <NextContinuationToken>1&amp;lt;&lt;&#34;==</NextContinuationToken></ListBucketResult>
                """.utf8))
        #expect(page.objects == [S3Listing.Object(key: "a/b-c", byteCount: 51)])
        for entry in ["<Key>a</Key>", "<Size>1</Size>", "<Key>a</Key><Size>x</Size>"] {
            #expect(throws: S3Error.badListing) { try S3Listing(Array("<Contents>\(entry)</Contents>".utf8)) }
        }
        #expect(page.nextToken == "1&lt;<\"==")
        #expect(try S3Listing(Array("<NextContinuationToken>x</NextContinuationToken>".utf8)).nextToken == nil)
        #expect(S3Listing.refusalWord(Array("<Error><Code>No<b>Such</Code>".utf8)) == "NobSuch")
        #expect(S3Listing.refusalWord([0xff, 0x00]) == "")
        #expect(S3Signer.query([("prefix", "a/b c"), ("a-token", "+=ü")]) == "a-token=%2B%3D%C3%BC&prefix=a%2Fb%20c")
    }

    /// An object store that lists: keys after `start-after`, or after the token, `max-keys` at a time.
    private final class Listing: ArchiveExchange {
        let keys: [String]
        let queries = Mutex<[[String: String]]>([])
        init(_ keys: [String]) { self.keys = keys.sorted() }

        func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer {
            let items = URLComponents(string: request.url)?.queryItems ?? []
            let query = Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
            queries.withLock { $0.append(query) }
            let after = query["continuation-token"] ?? query["start-after"] ?? ""
            let rest = keys.filter { $0.hasPrefix(query["prefix"] ?? "") && $0 > after }
            let page = rest.prefix(query["max-keys"].flatMap { Int($0) } ?? 1_000)
            let contents = page.map { "<Contents><Key>\($0)</Key><Size>7</Size></Contents>" }.joined()
            let isTruncated = page.count < rest.count
            let next = isTruncated ? "<NextContinuationToken>\(page.last ?? "")</NextContinuationToken>" : ""
            let text =
                "<ListBucketResult>\(contents)<IsTruncated>\(isTruncated)</IsTruncated>\(next)</ListBucketResult>"
            return ExchangeAnswer(status: 200, body: Array(text.utf8))
        }
    }

    @Test("a span of days is listed from its first day on, and no further than its last")
    func span() throws {
        let folder = "sealed/\(bucket)/"
        let store = Listing((1...9).map { "\(folder)2026-01-0\($0)-abc" } + ["sealed/other/2026-01-04-abc"])
        var blobs = S3Blobs(
            configuration: try S3Configuration(
                location: "s3://days/sealed", endpoint: Self.endpoint, region: "eu-central-1",
                credentials: try S3Credentials(file: "aws_access_key_id = a\naws_secret_access_key = b")),
            exchange: store, clock: { 1_791_633_600 })
        blobs.namesPerPage = 2
        let days = try ArchiveDay(text: "2026-01-03")...ArchiveDay(text: "2026-01-06")
        let found = try blobs.byteCounts(of: bucket, days)
        #expect(found == Dictionary(uniqueKeysWithValues: (3...6).map { (name("2026-01-0\($0)-abc"), 7) }))
        let queries = store.queries.withLock { $0 }
        #expect(queries.map { $0["start-after"] } == ["\(folder)2026-01-03", nil, nil])
        #expect(try blobs.byteCounts(of: bucket).count == 9)
    }
}
