import Cryptography
import DurableStore
import Glibc
import Synchronization
import Testing

@testable import DayArchive

@Suite("Where sealed days lie")
struct BlobStoreTests {
    private let bucket = TestKeys.reading.bucket

    private func blobs(_ count: Int) throws -> [(name: BlobName, bytes: [UInt8])] {
        try (1...count).map { number in
            let name = BlobName(bucket: bucket, day: try ArchiveDay(text: "2026-01-0\(number)"))
            return (name: name, bytes: [UInt8](repeating: UInt8(number), count: 100 * number))
        }
    }

    @Test(
        "files: whatever call fails, a name that is given back survives a loss of power with all its bytes",
        arguments: [false, true])
    func faults(forEver: Bool) throws {
        var call = 1
        var didFail = true
        while didFail {
            let base = InMemoryDisk()
            _ = try Directory.openRoot("/days", on: base, creating: true)
            let disk = FaultyDisk(base, fault: .init(call: call, number: ENOSPC, forEver: forEver))
            let days = try blobs(3)
            var stored: Set<BlobName> = []
            if let root = try? Directory.openRoot("/days", on: disk) {
                stored = FileBlobs(root: root).store(days).names
            }
            for seed in [nil, UInt64(call)] {
                let after = FileBlobs(root: try Directory.openRoot("/days", on: base.afterPowerLoss(seed: seed)))
                for (name, bytes) in days where stored.contains(name) {
                    #expect(try after.load([(name: name, byteCount: bytes.count)]) == [bytes], "call \(call)")
                }
            }
            didFail = disk.didFail
            if !didFail { #expect(stored.count == 3) }
            call += 1
        }
        #expect(call > 5)
    }

    @Test("the signature is Amazon's published one")
    func signatures() throws {
        let signer = S3Signer(
            credentials: S3Credentials(
                accessKeyID: "AKIAIOSFODNN7EXAMPLE",
                secret: SecretBytes(copying: Array("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".utf8))),
            region: "us-east-1")
        let host = ("host", "examplebucket.s3.amazonaws.com")
        let get = signer.headers(
            "GET", path: "/test.txt", headers: [host, ("range", "bytes=0-9")], payload: [], second: 1_369_353_600)
        let authorization = try #require(get.first { $0.0 == "authorization" }?.1)
        #expect(authorization.hasSuffix("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
        #expect(authorization.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"))
        let put = signer.headers(
            "PUT", path: "/test%24file.text",
            headers: [
                host, ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], payload: Array("Welcome to Amazon S3.".utf8), second: 1_369_353_600)
        #expect(
            put.first { $0.0 == "authorization" }?.1.hasSuffix(
                "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd") == true)
    }

    /// An object store in memory that refuses some names.
    private final class Objects: ArchiveExchange {
        let objects = Mutex<[String: [UInt8]]>([:])
        let refused: String

        init(refusing refused: String) { self.refused = refused }

        func send(_ request: ExchangeRequest) throws(ClientError) -> ExchangeAnswer {
            guard request.headers.contains(where: { $0.0 == "authorization" }) else {
                return ExchangeAnswer(status: 403)
            }
            guard !request.url.contains(refused) else { return ExchangeAnswer(status: 503) }
            return objects.withLock { objects in
                switch request.method {
                case "PUT":
                    objects[request.url] = request.body ?? []
                    return ExchangeAnswer(status: 200)
                case "DELETE":
                    return ExchangeAnswer(status: objects.removeValue(forKey: request.url) == nil ? 404 : 204)
                default:
                    return objects[request.url].map { ExchangeAnswer(status: 200, body: $0) }
                        ?? ExchangeAnswer(status: 404, body: Array("<Error><Code>NoSuchKey</Code></Error>".utf8))
                }
            }
        }
    }

    @Test("objects: what could not be stored is left out, what is gone stays gone")
    func objects() throws {
        let objects = Objects(refusing: "2026-01-02")
        let store = S3Blobs(
            configuration: try S3Configuration(
                location: "s3://my-bucket/health/days", endpoint: "http://127.0.0.1:9000", region: "eu-central-1",
                credentials: try S3Credentials(file: "[default]\naws_access_key_id = A\naws_secret_access_key=b=c\n")),
            exchange: objects, clock: { 0 })
        let days = try blobs(3)
        let stored = store.store(days)
        #expect(stored.names == [days[0].name, days[2].name])
        #expect(stored.failure as? S3Error == .refused(status: 503, word: ""))
        #expect(
            objects.objects.withLock { $0.keys.sorted() }
                == [days[0].name, days[2].name].map { "http://127.0.0.1:9000/my-bucket/health/days/\($0)" }.sorted())
        let asked = [(name: days[2].name, byteCount: 300), (name: days[0].name, byteCount: 100)]
        #expect(try store.load(asked) == [days[2].bytes, days[0].bytes])
        #expect(try store.load([(name: days[0].name, byteCount: 99)]) == [nil])
        try store.remove([days[0].name, days[0].name])
        #expect(try store.load(asked) == [days[2].bytes, nil])
        #expect(throws: S3Error.refused(status: 503, word: "")) {
            try store.load([(name: days[1].name, byteCount: 200)])
        }
    }

    @Test(
        "places that are none are refused",
        arguments: ["s3://", "s3://ab", "s3://bucket/a b", "s3://bucket/ü", "http://bucket", "s3://bucket/%41"])
    func locations(text: String) {
        #expect(throws: ServiceStartError.badS3Location) {
            try S3Configuration(
                location: text, endpoint: nil, region: "us-east-1",
                credentials: S3Credentials(accessKeyID: "a", secret: SecretBytes(copying: [1])))
        }
    }

    @Test("credentials without a key are refused, and never shown")
    func credentials() throws {
        #expect(throws: ServiceStartError.badS3Credentials) { try S3Credentials(file: "aws_access_key_id = A") }
        #expect(!"\(try S3Credentials(file: "aws_access_key_id=A\naws_secret_access_key=hidden"))".contains("hidden"))
    }
}
