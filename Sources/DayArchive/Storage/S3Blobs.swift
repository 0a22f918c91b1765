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
            (3...63).contains(bucket.utf8.count), parts.allSatisfy({ $0.utf8.allSatisfy(Self.isPlain) }),
            region.utf8.allSatisfy(Self.isPlain), !region.isEmpty,
            let endpoint = ServiceEndpoint(endpoint ?? "https://s3.\(region).amazonaws.com"), endpoint.prefix.isEmpty
        else { throw .badS3Location }
        self.bucket = String(bucket)
        prefix = parts.dropFirst().joined(separator: "/")
        self.endpoint = endpoint
        self.region = region
        self.credentials = credentials
    }

    /// Characters that stand in a path as they are.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-._~".utf8.contains(byte)
    }
}

/// Why an object store did not do what was asked.
enum S3Error: Error, Equatable {
    case unreachable(ClientError)
    case refused(status: Int)
    /// Another number of bytes than were stored.
    case damaged
}

/// Blobs as objects.
struct S3Blobs: BlobStore {
    /// Objects that are written at a time.
    private static let requestsInFlight = 8
    private static let timeout = 30
    /// An error document is small; a day is bounded by the service's limit.
    private static let slackByteCount = 64 << 10

    let configuration: S3Configuration
    let exchange: any ArchiveExchange
    /// Unix seconds.
    let clock: @Sendable () -> Int

    func store(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> Set<BlobName> {
        var stored: Set<BlobName> = []
        do {
            try OrderedWork.run(blobs, workerCount: Self.requestsInFlight) { blob in
                // A day that cannot be stored is left out of the answer; its writer sends it again.
                (try? send("PUT", blob.name, blob.bytes)).map { _ in blob.name }
            } consume: { name in
                if let name { stored.insert(name) }
            }
        } catch {
            preconditionFailure("neither step throws")
        }
        return stored
    }

    func load(_ name: BlobName, byteCount: Int) throws -> [UInt8] {
        let bytes = try send("GET", name, [], maximumByteCount: byteCount + Self.slackByteCount).body
        guard bytes.count == byteCount else { throw S3Error.damaged }
        return bytes
    }

    func remove(_ names: [BlobName]) throws {
        for name in names {
            do {
                _ = try send("DELETE", name, [])
            } catch S3Error.refused(404) {
                continue
            }
        }
    }

    @discardableResult
    private func send(
        _ method: String, _ name: BlobName, _ body: [UInt8], maximumByteCount: Int = slackByteCount
    ) throws -> ExchangeAnswer {
        let key = [configuration.bucket, configuration.prefix, name.text].filter { !$0.isEmpty }
        let path = "/" + key.joined(separator: "/")
        let host = String(configuration.endpoint.url.drop { $0 != ":" }.dropFirst(3))
        let signer = S3Signer(credentials: configuration.credentials, region: configuration.region)
        let headers = signer.headers(
            method, path: path, headers: [("host", host)], payload: body, second: clock())
        let answer: ExchangeAnswer
        do {
            answer = try exchange.send(
                ExchangeRequest(
                    method: method, url: configuration.endpoint.url + path, headers: headers,
                    body: method == "PUT" ? body : nil, timeout: Self.timeout, maximumByteCount: maximumByteCount))
        } catch {
            throw S3Error.unreachable(error)
        }
        guard (200..<300).contains(answer.status) else { throw S3Error.refused(status: answer.status) }
        return answer
    }
}
