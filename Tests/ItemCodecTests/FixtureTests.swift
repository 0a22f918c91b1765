import Foundation
import HMDCItem
import TestSupport
import Testing

/// The three immutable fixtures (hmdcitem.md 9), built from values.
@Suite struct FixtureTests {
    static let instant = Date(timeIntervalSinceReferenceDate: 721_692_800)

    static let missingDay = StrictRawDayEnvelope(
        day: StrictRawDay(date: "2023-11-14", status: .missing, failureCode: "missing_day"), sourceDate: instant)

    static let emptyHealthDay = HealthDayEnvelope<ItemNode>(sourceDate: instant, isRequestedDate: true)

    /// The bytes printed in hmdcitem.md 9.2.
    static let emptyHealthDayBytes = hexBytes(
        """
        48 4d 44 43 49 54 45 4d  00 01 01 00 01 00 00 00
        00 00 00 00 81 00 00 00  03 00 00 00 14 65 78 74
        65 72 6e 61 6c 44 61 69  6c 79 52 65 63 6f 72 64
        73 00 00 00 00 00 00 00  11 02 00 00 00 00 00 00
        00 08 00 00 00 00 00 00  00 00 00 00 00 0f 69 73
        52 65 71 75 65 73 74 65  64 44 61 74 65 00 00 00
        00 00 00 00 0a 04 00 00  00 00 00 00 00 01 01 00
        00 00 0a 73 6f 75 72 63  65 44 61 74 65 00 00 00
        00 00 00 00 11 0a 00 00  00 00 00 00 00 08 41 c5
        82 14 40 00 00 00
        """)

    @Test("an empty health day encodes to the printed bytes and the pinned digest")
    func emptyHealthDay() throws {
        let bytes = try ItemEncoder().encode(Self.emptyHealthDay, kind: .macHealthDay)
        #expect(bytes == Self.emptyHealthDayBytes)
        #expect(sha256Text(bytes) == "03c954a05d5b0f9eee8bb2f6a785f111969e2958fd52d12e414da2cc278f8a99")
    }

    @Test("a missing raw day encodes to the pinned length and digest")
    func missingRawDay() throws {
        let bytes = try ItemEncoder().encode(Self.missingDay, kind: .strictRawDay)
        #expect(bytes.count == 721)
        #expect(sha256Text(bytes) == "fd4be6ebd2204e5efdcaa8d9c1e4e811e9958d831376c2588a4919f550422559")
    }

    @Test("the JSON form of a missing raw day is the printed text")
    func missingRawDayJSON() throws {
        let text = #"""
            {"day":{"date":"2023-11-14","failure_code":"missing_day","integrity_warning_codes":[],"integrity_warning_count":0,"partial_failure_count":0,"partial_failure_types":[],"query_status_counts":{"cancelled":0,"failure":0,"skipped":0,"success":0,"unsupported":0},"record_count":0,"sample_count":0,"status":"missing"},"sourceDate":721692800}
            """#
        let bytes = try ItemJSON.encode(Self.missingDay)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        #expect(bytes.count == 334)
        #expect(sha256Text(bytes) == "6bc3bec26eca6e246d93539ad6235a884926a7124ca1c2517055ffa44f39a80f")
    }

    @Test(
        "the published files are the same bytes", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func publishedFiles() throws {
        let health = try ItemEncoder().encode(Self.emptyHealthDay, kind: .macHealthDay)
        #expect(try SharedFixtures.bytes("hmdcitem/v4-health-day-empty.hmdcitem") == health)
        let raw = try ItemEncoder().encode(Self.missingDay, kind: .strictRawDay)
        #expect(try SharedFixtures.bytes("hmdcitem/v4-strict-raw-missing-day.hmdcitem") == raw)
        #expect(try SharedFixtures.bytes("hmdcitem/v3-strict-missing-day.json") == ItemJSON.encode(Self.missingDay))
    }

    @Test("the fixtures decode to the values that they were built from")
    func decode() throws {
        let health = try ItemDecoder().decode(
            HealthDayEnvelope<ItemNode>.self, from: Self.emptyHealthDayBytes, kind: .macHealthDay)
        #expect(health == Self.emptyHealthDay)
        let raw = try ItemEncoder().encode(Self.missingDay, kind: .strictRawDay)
        #expect(try ItemDecoder().decode(StrictRawDayEnvelope.self, from: raw, kind: .strictRawDay) == Self.missingDay)
        let text = try ItemJSON.encode(Self.missingDay)
        #expect(try ItemJSON.decode(StrictRawDayEnvelope.self, from: text) == Self.missingDay)
    }

    @Test("the fixtures validate, with the node counts of their trees")
    func validate() throws {
        let health = try ItemReader.validate(ItemBytes(Self.emptyHealthDayBytes), kind: .macHealthDay)
        #expect(health.kind == .macHealthDay && health.byteCount == 150 && health.nodeCount == 4)
        let raw = try ItemEncoder().encode(Self.missingDay, kind: .strictRawDay)
        let summary = try ItemReader.validate(ItemBytes(raw), digest: TestSHA256())
        #expect(summary.nodeCount == 18)
        #expect(summary.digest.map(hexText) == "fd4be6ebd2204e5efdcaa8d9c1e4e811e9958d831376c2588a4919f550422559")
    }

    @Test("encoding the same value twice gives the same bytes")
    func repeatable() throws {
        let first = try ItemEncoder().encode(Self.missingDay, kind: .strictRawDay)
        #expect(try ItemEncoder().encode(Self.missingDay, kind: .strictRawDay) == first)
    }
}
