import Cryptography
import DurableStore
import Foundation

/// An object store that keeps the sealed days (extensions.md 7).
public struct S3Configuration: Sendable {
    /// The bucket of the object store.
    public let bucket: String
    /// What precedes names in it: empty, or a path without slashes at its ends.
    public let prefix: String
    /// Where it is.
    public let endpoint: ServiceEndpoint
    /// Its region.
    public let region: String
    /// Who asks.
    public let credentials: S3Credentials

    /// The place that `s3://bucket/prefix` names.
    ///
    /// - Parameter endpoint: nil: Amazon's for the region.
    /// - Throws: `bad_s3_location`.
    public init(
        location: String, endpoint: String?, region: String, credentials: S3Credentials
    ) throws(ServiceStartError) {
        let parts = location.dropFirst("s3://".count).split(separator: "/")
        guard location.hasPrefix("s3://"), let bucket = parts.first,
            (3...63).contains(bucket.utf8.count), parts.allSatisfy({ $0.utf8.allSatisfy(S3Signer.isPlain) }),
            region.utf8.allSatisfy(S3Signer.isPlain), !region.isEmpty,
            let endpoint = ServiceEndpoint(endpoint ?? "https://s3.\(region).amazonaws.com"), endpoint.prefix.isEmpty
        else { throw .badS3Location }
        self.bucket = String(bucket)
        prefix = parts.dropFirst().joined(separator: "/")
        self.endpoint = endpoint
        self.region = region
        self.credentials = credentials
    }

    /// What precedes the name of a blob in its key.
    var keyPrefix: String { prefix.isEmpty ? "" : prefix + "/" }
}

/// Why an object store did not do what was asked.
enum S3Error: Error, Equatable {
    case unreachable(ClientError)
    /// `word` is the store's own, as in `NoSuchBucket`; empty without one.
    case refused(status: Int, word: String)
    /// A listing that does not come to its end, or does not say how large its objects are.
    case badListing

    /// Whether it is a refusal with this word.
    func hasWord(_ wanted: String) -> Bool {
        if case .refused(_, let word) = self { word == wanted } else { false }
    }
}

/// Blobs as objects.
struct S3Blobs: BlobStore {
    /// Objects that are asked for at a time.
    private static let requestsInFlight = 8
    private static let timeout = 30
    /// An error document is small; a day is bounded by the service's limit.
    private static let slackByteCount = 64 << 10
    /// A page of a listing: 1,000 names, each with a few hundred bytes around it.
    private static let pageByteCount = 4 << 20
    /// Pages of one listing: more than the days that a calendar can have.
    private static let maximumPageCount = 10_000

    let configuration: S3Configuration
    let exchange: any ArchiveExchange
    /// Unix seconds.
    let clock: @Sendable () -> Int
    /// Names of a page of a listing.
    var namesPerPage = 1_000

    /// Asks for an object that is not there, to find out at the start whether the store lets us in.
    ///
    /// Without the permission to list, a store answers `AccessDenied` instead of `NoSuchKey`; that is no reason not to start.
    func checkAccess() throws(S3Error) {
        do throws(S3Error) {
            _ = try send("GET", key: configuration.keyPrefix + "access-check")
        } catch {
            if error.hasWord("NoSuchKey") || error.hasWord("AccessDenied") { return }
            throw error
        }
    }

    func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> StoredBlobs {
        var stored = StoredBlobs()
        let results = inParallel(blobs) { blob in
            attempt { () throws(S3Error) in
                _ = try send("PUT", key: key(blob.name), body: blob.bytes)
                return blob.name
            }
        }
        for result in results {
            switch result {
            case .success(let name): stored.names.insert(name)
            // A day that cannot be stored is left out of the answer; its writer sends it again.
            case .failure(let error): stored.failure = stored.failure ?? error
            }
        }
        return stored
    }

    func load(_ blobs: [(name: BlobName, byteCount: Int)]) throws -> [[UInt8]?] {
        try inParallel(blobs) { blob in attempt { () throws(S3Error) in try loadOne(blob.name, blob.byteCount) } }
            .map { try $0.get() }
    }

    private func loadOne(_ name: BlobName, _ byteCount: Int) throws(S3Error) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(S3Error) {
            bytes = try send("GET", key: key(name), maximumByteCount: byteCount + Self.slackByteCount).body
        } catch {
            if error.hasWord("NoSuchKey") { return nil }
            throw error
        }
        return bytes.count == byteCount ? bytes : nil
    }

    func byteCounts(of bucket: BucketID, _ days: ClosedRange<ArchiveDay>) throws -> [BlobName: Int] {
        var byteCounts: [BlobName: Int] = [:]
        let folder = "\(configuration.keyPrefix)\(bucket)/"
        var token: String?
        for _ in 0..<Self.maximumPageCount {
            var query = [
                ("list-type", "2"), ("max-keys", "\(namesPerPage)"), ("prefix", folder),
            ]
            if let token {
                query.append(("continuation-token", token))
            } else if days.lowerBound > ArchiveDay.all.lowerBound {
                // Keys are listed in their order, which is that of the days; this one lies before all of its day.
                query.append(("start-after", folder + days.lowerBound.description))
            }
            let page = try S3Listing(
                try send("GET", key: "", query: query, maximumByteCount: Self.pageByteCount).body)
            for object in page.objects where object.key.hasPrefix(configuration.keyPrefix) {
                let name = BlobName(stored: String(object.key.dropFirst(configuration.keyPrefix.count)))
                if name.isOf(days) { byteCounts[name] = object.byteCount }
            }
            let last = page.objects.last?.key.dropFirst(folder.count).prefix(ArchiveDay.byteCount) ?? ""
            guard let next = page.nextToken, last <= days.upperBound.description else { return byteCounts }
            guard next != token else { break }
            token = next
        }
        throw S3Error.badListing
    }

    func remove(_ names: [BlobName]) throws {
        let results = inParallel(names) { name in
            attempt { () throws(S3Error) in try removeOne(name) }
        }
        for result in results { try result.get() }
    }

    private func removeOne(_ name: BlobName) throws(S3Error) {
        do throws(S3Error) {
            _ = try send("DELETE", key: key(name))
        } catch {
            if case .refused(404, _) = error { return }
            throw error
        }
    }

    // MARK: Requests

    private func key(_ name: BlobName) -> String { configuration.keyPrefix + name.text }

    private func attempt<Output>(_ work: () throws(S3Error) -> Output) -> Result<Output, S3Error> {
        do throws(S3Error) {
            return .success(try work())
        } catch {
            return .failure(error)
        }
    }

    private func inParallel<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ work: @escaping @Sendable (Input) -> Output
    ) -> [Output] {
        var outputs: [Output] = []
        do {
            try OrderedWork.run(inputs, workerCount: Self.requestsInFlight, work: work) { outputs.append($0) }
        } catch {
            preconditionFailure("neither step throws")
        }
        return outputs
    }

    private func send(
        _ method: String, key: String, query: [(String, String)] = [], body: [UInt8] = [],
        maximumByteCount: Int = slackByteCount
    ) throws(S3Error) -> ExchangeAnswer {
        let path = "/\(configuration.bucket)" + (key.isEmpty ? "" : "/" + key)
        let host = String(configuration.endpoint.url.drop { $0 != ":" }.dropFirst(3))
        let signer = S3Signer(credentials: configuration.credentials, region: configuration.region)
        let query = S3Signer.query(query)
        var covered = [("host", host)]
        // libcurl would call the body a form, which servers take apart.
        if method == "PUT" { covered.append(("content-type", "application/octet-stream")) }
        let headers =
            covered.dropFirst()
            + signer.headers(method, path: path, query: query, headers: covered, payload: body, second: clock())
        let answer: ExchangeAnswer
        do {
            answer = try exchange.send(
                ExchangeRequest(
                    method: method, url: configuration.endpoint.url + path + (query.isEmpty ? "" : "?" + query),
                    headers: Array(headers), body: method == "PUT" ? body : nil, timeout: Self.timeout,
                    maximumByteCount: maximumByteCount))
        } catch {
            throw .unreachable(error)
        }
        guard (200..<300).contains(answer.status) else {
            throw .refused(status: answer.status, word: S3Listing.refusalWord(answer.body))
        }
        return answer
    }
}
