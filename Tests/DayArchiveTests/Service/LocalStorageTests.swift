import Cryptography
import DurableStore
import Foundation
import HTTPClient
import TestSupport
import Testing

@testable import DayArchive

@Suite("The service's folder")
struct LocalStorageTests {
    private let bucket = TestKeys.reading.bucket

    private func plan(_ day: String, _ bytes: [UInt8], at milliseconds: Int, mark: String) throws -> UploadPlan {
        UploadPlan(
            bucket: bucket, days: [try sealedDay(day, bytes)], bodyByteCount: bytes.count,
            now: ServiceMoment(milliseconds: milliseconds),
            mark: RequestMark(digest: SHA256.hash(mark), until: milliseconds / 1_000 + 300))
    }

    private func files(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending("days/\(bucket)"))
    }

    private func claimed(_ folder: TemporaryFolder) throws -> LocalStorage {
        let storage = try LocalStorage(folder: try Directory.openRoot(folder.path))
        try storage.apply(
            .claim(bucket, writer: TestKeys.writer.publicKey.bytes),
            remembering: RequestMark(digest: SHA256.hash("claim"), until: 0), .empty(201),
            at: ServiceMoment(milliseconds: 0))
        return storage
    }

    @Test("days are private files that the index names; replaced ones go")
    func files() throws {
        let folder = try TemporaryFolder()
        let storage = try claimed(folder)
        let day = try ArchiveDay(text: "2026-01-01")
        #expect(try storage.store(try plan("2026-01-01", [2, 1], at: 1_000, mark: "a")).status == 200)
        #expect(try storage.store(try plan("2026-01-01", [2, 2, 2], at: 2_000, mark: "b")).status == 200)
        let names = try files(folder)
        #expect(names.count == 1)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.appending("days/\(bucket)/\(try #require(names.first))"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let record = try #require(try storage.day(bucket, day))
        #expect(try storage.sealedBytes(bucket, [record]) == [[2, 2, 2]])
        #expect(try storage.statistics(bucket).byteCount == 3)
    }

    @Test("what a crash left between file and index is swept at the next start; what the index names stays")
    func sweeping() throws {
        let folder = try TemporaryFolder()
        try {
            let storage = try claimed(folder)
            #expect(try storage.store(try plan("2026-01-01", [2, 1], at: 1_000, mark: "a")).status == 200)
        }()
        // As after a crash between writing the file and naming it.
        let orphan = BlobName(bucket: bucket, day: try ArchiveDay(text: "2026-01-02"))
        try Data([2]).write(to: URL(fileURLWithPath: folder.appending("days/\(orphan)")))
        try {
            let index = try Database.open(
                "index.sqlite", in: try Directory.openRoot(folder.path), schema: ServiceSchema.schema)
            try index.transaction { try $0.run("INSERT INTO loose_blobs VALUES (?)", .text(orphan.text)) }
        }()
        #expect(try files(folder).count == 2)
        let storage = try LocalStorage(folder: try Directory.openRoot(folder.path))
        #expect(try files(folder).count == 1)
        #expect(try storage.day(bucket, try ArchiveDay(text: "2026-01-01")) != nil)
    }

    @Test("a second service in the same folder is refused, and open claims off loopback too")
    func starting() throws {
        let folder = try TemporaryFolder()
        var configuration = ArchiveService.Configuration(folder: try Directory.openRoot(folder.path))
        configuration.port = 0
        let service = try ArchiveService.start(configuration)
        #expect(throws: StoreError.self) { try ArchiveService.start(configuration) }
        let token = try #require(try configuration.folder.status(of: ArchiveService.claimTokenName))
        #expect(token.permissions == 0o600)
        service.stop()
        configuration.claims = .open
        configuration.addresses = [.anyIPv4]
        #expect(throws: ServiceStartError.openClaimsOffLoopback) { try ArchiveService.start(configuration) }
        configuration.basePath = "no/slash"
        configuration.addresses = [.loopbackIPv4]
        #expect(throws: ServiceStartError.badBasePath) { try ArchiveService.start(configuration) }
    }

    @Test("bodies that are too large are refused in the words of their route, chunked ones too")
    func largeBodies() throws {
        let folder = try TemporaryFolder()
        var configuration = ArchiveService.Configuration(folder: try Directory.openRoot(folder.path))
        configuration.port = 0
        configuration.limits.claimsPerMinute = 100
        let service = try ArchiveService.start(configuration)
        defer { service.stop() }
        func send(_ method: String, _ route: String, count: Int, chunked: Bool = false) throws -> (Int, String) {
            var body: [UInt8] = []
            let head = try HTTPTransfer(
                method: method, url: "http://127.0.0.1:\(service.port)\(route)",
                body: [UInt8](repeating: 0x20, count: count),
                headers: chunked ? [("Transfer-Encoding", "chunked")] : [], timeout: 20
            ).run { body.append(contentsOf: $0) }
            return (head.status, String(decoding: body, as: UTF8.self))
        }
        let base = "/b/\(bucket)"
        for chunked in [false, true] {
            let upload = try send("PUT", "\(base)/days", count: 5 << 20 + 1, chunked: chunked)
            #expect(upload.0 == 413 && upload.1.contains("request-too-large"))
            let edit = try send("POST", "\(base)/edits", count: 256 << 10 + 1, chunked: chunked)
            #expect(edit.0 == 413 && edit.1.contains("edit-too-large"))
            let key = try send("PUT", "\(base)/editor", count: 64 << 10 + 1, chunked: chunked)
            #expect(key.0 == 400 && key.1.contains("bad-key-body"))
            let claim = try send("PUT", base, count: 64 << 10 + 1, chunked: chunked)
            #expect(claim.0 == 400 && claim.1.contains("body-not-empty"))
        }
        #expect(try send("PUT", "\(base)/days", count: 100, chunked: true).1.contains("bad-frame"))
    }
}
