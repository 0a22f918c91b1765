import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// What a client makes of a raw body that changed on its way (raw-result.md 8, 14).
@Suite("Raw bodies on their way")
struct RawBodyTests {
    /// The job exists, so that the body holds its id whatever the test changes.
    private let words = ["resume", RawBody.job, "--exit-codes", "extended"]

    private func refused(_ fake: FakeReceiver) throws -> String? {
        let folder = try TemporaryFolder()
        let run = try CommandRun(words + ["--output", folder.appending("x.json"), "--base-url", fake.baseURL])
        #expect(run.status == 8 && run.text.hasPrefix("{"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        return try run.document()["error"]?.string
    }

    @Test("a change of any single byte of the body is refused")
    func singleBytes() throws {
        let body = RawBody.strict()
        let honest = try FakeReceiver.raw(body)
        #expect(try CommandRun(words + ["--base-url", honest.baseURL]).status == 0)
        let bytes = Array(body.utf8)
        for index in Array(stride(from: 0, to: bytes.count, by: 61)) + [bytes.count - 1] {
            var changed = bytes
            // Another printable character: the body stays text.
            changed[index] = changed[index] == 0x30 ? 0x31 : 0x30
            let fake = try FakeReceiver.raw(
                String(decoding: changed, as: UTF8.self),
                changing: ["X-Healthmd-Body-SHA256": FakeReceiver.digest(body)])
            #expect(try refused(fake) == "response_digest_mismatch", "byte \(index)")
        }
    }

    @Test("the headers of one job with the body of another are refused")
    func swapped() throws {
        let one = RawBody.strict()
        let other = one.replacingOccurrences(of: "10B00000", with: "20B00000")
        let fake = try FakeReceiver.raw(other, changing: ["X-Healthmd-Body-SHA256": FakeReceiver.digest(one)])
        #expect(try refused(fake) == "response_digest_mismatch")
    }

    @Test("headers that vouch for a body of another outcome are refused")
    func otherStatus() throws {
        let partial = try FakeReceiver.raw(RawBody.strict(partial: true), status: "success")
        #expect(try refused(partial) == "invalid_strict_raw_success")
    }
}
