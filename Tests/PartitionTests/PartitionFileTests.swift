import Cryptography
import Foundation
import TestSupport
import Testing

@testable import ConnectedProtocol

private func uuid(_ text: String) -> UUID { UUID(uuidString: text) ?? UUID() }

private let days = [721_692_800.0, 721_779_200].map { ProtocolDate(secondsSince2001: $0) }

private func session() throws -> CorpusSession {
    try CorpusSession(
        sessionID: uuid("5E551000-0000-4000-8000-000000000001"), jobID: uuid("10B00000-0000-4000-8000-000000000001"),
        requestFingerprint: RequestFingerprint(sha256: SHA256.hash("")), protocolVersion: 4,
        partitionTargetBytes: 50_331_648, createdAt: days[0], peerBinding: nil)
}

private func item(_ number: Int, bytes: Int64, offset: Int64 = 0) -> PendingItem {
    PendingItem(
        itemID: uuid("17E70000-0000-4000-8000-00000000000\(number)"), kind: .strictRawDay, sourceDate: days[number - 1],
        isRequestedDate: true, totalBytes: bytes, sha256: SHA256.hash("\(number)"), nextOffset: offset)
}

/// Reads a file as a receiver does.
private func layout(of file: [UInt8]) throws -> PartitionFile {
    let count = try PartitionFile.manifestByteCount(prefix: file)
    guard file.count >= 12 + count else { throw PartitionFileError.manifestLength(found: count) }
    return try PartitionFile(manifestText: Array(file[12..<12 + count]), fileByteCount: Int64(file.count))
}

@Suite("Partition file")
struct PartitionFileTests {
    @Test(
        "the derived partitions read, fit their descriptors, and are rebuilt byte for byte",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func derivedVectors() throws {
        let first = try SharedFixtures.bytes("derived/partition-0.hmdcorp1")
        let second = try SharedFixtures.bytes("derived/partition-1.hmdcorp1")
        let firstDigest = SHA256.hash(first)
        #expect(firstDigest.hex == "3ea3e5372d10295eb3bdd096dcc4c458b15cf4ece5902b9d72ea063c3be7b5cf")
        #expect(SHA256.hash(second).hex == "75576ec136d4ca8b95587b1277c0f93508138f798974ec6fe1440d513527a17f")
        for (index, bytes) in [first, second].enumerated() {
            let file = try layout(of: bytes)
            let descriptor = try PartitionDescriptor(
                sessionID: uuid("5E551000-0000-4000-8000-000000000001"),
                jobID: uuid("10B00000-0000-4000-8000-000000000001"), index: index,
                sourceDates: index == 0 ? days : [days[1]], byteCount: Int64(bytes.count), sha256: SHA256.hash(bytes),
                previousSHA256: index == 0 ? nil : firstDigest)
            try file.check(against: descriptor, sha256: SHA256.hash(bytes))
            #expect(file.header.elementsEqual(bytes[..<file.header.count]))
        }
        // The second item is split after 300 bytes: put together again it has the digest that both segments state.
        let one = try layout(of: first)
        let two = try layout(of: second)
        let head = one.segments[1].fileRange
        let tail = two.segments[0].fileRange
        let item =
            first[Int(head.lowerBound)..<Int(head.upperBound)] + second[Int(tail.lowerBound)..<Int(tail.upperBound)]
        #expect(SHA256.hash(Array(item)) == two.segments[0].segment.itemSHA256)
    }

    @Test("planned, written and read back is the same layout")
    func roundTrip() throws {
        let plan = try PartitionPlanner(payloadBudget: 100).plan(
            [item(1, bytes: 60), item(2, bytes: 721)], session: session(), index: 0, previousSHA256: nil)
        let bytes = plan.file.header + [UInt8](repeating: 7, count: 100)
        let file = try layout(of: bytes)
        #expect(file == plan.file)
        let digest = SHA256.hash(bytes)
        try file.check(against: plan.descriptor(sha256: digest), sha256: digest)
    }

    /// A good file, and the same with its manifest text changed (length field adjusted).
    private func changed(_ original: String, _ replacement: String) throws -> [UInt8] {
        let plan = try PartitionPlanner(payloadBudget: 100).plan(
            [item(1, bytes: 60), item(2, bytes: 721, offset: 300)], session: session(), index: 0, previousSHA256: nil)
        let text = String(decoding: plan.file.manifest.text, as: UTF8.self)
        let broken = text.replacingOccurrences(of: original, with: replacement)
        if !original.isEmpty { try #require(broken != text) }
        return PartitionFile.magic + [0, 0, UInt8(broken.utf8.count >> 8), UInt8(broken.utf8.count & 0xFF)]
            + broken.utf8
            + [UInt8](repeating: 7, count: 100)
    }

    @Test("every check of the receiver that needs only the file")
    func fileChecks() throws {
        func error(_ original: String, _ replacement: String) throws -> String? {
            let bytes = try changed(original, replacement)
            do {
                _ = try layout(of: bytes)
                return nil
            } catch {
                return (error as? PartitionFileError)?.code
            }
        }
        #expect(try error("", "") == nil)
        #expect(try error(#""version":1"#, #""version":2"#) == "partition_version")
        #expect(try error(#""partitionIndex":0"#, #""partitionIndex":1"#) == "partition_identity")
        #expect(try error(#""partitionIndex":0"#, #""partitionIndex":-1"#) == "partition_identity")
        #expect(try error(#""segmentBytes":60"#, #""segmentBytes":61"#) == "partition_segment")
        #expect(try error(#""segmentBytes":60"#, #""segmentBytes":0"#) == "partition_segment")
        #expect(try error(#""segmentBytes":40"#, #""segmentBytes":39"#) == "partition_byte_count")
        #expect(try error(#""itemOffset":300"#, #""itemOffset":-1"#) == "partition_segment")
        #expect(try error(#""itemOffset":300"#, #""itemOffset":9223372036854775807"#) == "partition_segment")
        #expect(try error(#""isFinalSegment":true"#, #""isFinalSegment":false"#) == "partition_segment")
        #expect(try error(#""isFinalSegment":false"#, #""isFinalSegment":true"#) == "partition_segment")
        #expect(try error(#""totalItemBytes":60"#, #""totalItemBytes":0"#) == "partition_segment")
        #expect(try error("0000000002\"", "0000000001\"") == "partition_repeated_item")
        #expect(try error(#""kind":"strict_raw_day""#, #""kind":"other""#) == "partition_manifest")
        #expect(try error(#""jobID""#, #""version":1,"jobID""#) == "partition_manifest")
        #expect(try error(#"}]"#, #"},{}]"#) == "partition_manifest")
        let segments = try #require(
            String(decoding: changed("", ""), as: UTF8.self).firstMatch(of: /"segments":\[.*\]/))
        #expect(try error(String(segments.0), #""segments":[]"#) == "partition_segment_count")
    }

    @Test("prefix and size of the file")
    func prefix() throws {
        let good = try changed("", "")
        func code(_ change: (inout [UInt8]) -> Void) -> String? {
            var bytes = good
            change(&bytes)
            do {
                _ = try layout(of: bytes)
                return nil
            } catch {
                return (error as? PartitionFileError)?.code
            }
        }
        #expect(code { $0[0] = 0 } == "partition_wrong_magic")
        #expect(code { $0 = Array($0[..<11]) } == "partition_wrong_magic")
        #expect(code { $0.replaceSubrange(8..<12, with: [0, 0, 0, 0]) } == "partition_manifest_length")
        #expect(code { $0.replaceSubrange(8..<12, with: [0, 0x10, 0, 1]) } == "partition_manifest_length")
        #expect(code { $0.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0xFF]) } == "partition_manifest_length")
        #expect(code { $0.append(0) } == "partition_byte_count")
        #expect(code { $0.removeLast() } == "partition_byte_count")
    }

    @Test("a file must be the one its descriptor describes")
    func descriptorChecks() throws {
        let bytes = try changed("", "")
        let file = try layout(of: bytes)
        let digest = SHA256.hash(bytes)
        let session = try session()
        func code(
            session: UUID = session.sessionID, job: UUID = session.jobID, index: Int = 0, dates: [ProtocolDate] = days,
            extra: Int64 = 0, stated: Digest = digest, previous: Digest? = nil, actual: Digest = digest
        ) throws -> String? {
            let descriptor = try PartitionDescriptor(
                sessionID: session, jobID: job, index: index, sourceDates: dates, byteCount: Int64(bytes.count) + extra,
                sha256: stated, previousSHA256: previous)
            do {
                try file.check(against: descriptor, sha256: actual)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(try code() == nil)
        #expect(try code(extra: 1) == "partition_byte_count")
        #expect(try code(stated: SHA256.hash("x")) == "partition_digest")
        #expect(try code(actual: SHA256.hash("x")) == "partition_digest")
        #expect(try code(session: UUID()) == "partition_identity")
        #expect(try code(job: UUID()) == "partition_identity")
        #expect(try code(index: 1, previous: digest) == "partition_identity")
        #expect(try code(dates: [days[0]]) == "partition_source_dates")
    }
}

@Suite("Partition packing")
struct PartitionPlannerTests {
    private func items(_ sizes: [Int64]) -> [PendingItem] {
        sizes.enumerated().map { index, size in
            PendingItem(
                itemID: UUID(), kind: .macHealthDay, sourceDate: ProtocolDate(secondsSince2001: Double(index) * 86_400),
                isRequestedDate: true, totalBytes: size, sha256: SHA256.hash("x"))
        }
    }

    @Test("the budget is the target less 1 MiB")
    func budget() {
        #expect(PartitionPlanner(targetBytes: 50_331_648).payloadBudget == 49_283_072)
    }

    @Test("a partition is due when it is full, 32 items wait, or nothing more will come")
    func flushing() {
        let planner = PartitionPlanner(payloadBudget: 100)
        #expect(!planner.shouldFlush([], allItemsProduced: true))
        #expect(!planner.shouldFlush(items([50, 49]), allItemsProduced: false))
        #expect(planner.shouldFlush(items([50, 50]), allItemsProduced: false))
        #expect(planner.shouldFlush(items([.max, .max]), allItemsProduced: false))
        #expect(planner.shouldFlush(items([1]), allItemsProduced: true))
        #expect(!planner.shouldFlush(items(Array(repeating: 1, count: 31)), allItemsProduced: false))
        #expect(planner.shouldFlush(items(Array(repeating: 1, count: 32)), allItemsProduced: false))
    }

    @Test(
        "items of any size come through whole and in order, partition after partition", arguments: [1, 7, 100, 1_000])
    func everythingArrives(budget: Int64) throws {
        let planner = PartitionPlanner(payloadBudget: budget)
        var pending = items([1, 250, 99, 1, 100, 640])
        var received: [UUID: Int64] = [:]
        let all = pending
        var index = 0
        var previous: Digest?
        while !pending.isEmpty {
            let plan = try planner.plan(pending, session: session(), index: index, previousSHA256: previous)
            var payload: Int64 = 0
            for placed in plan.file.segments {
                #expect(placed.segment.itemOffset == received[placed.segment.itemID, default: 0])
                received[placed.segment.itemID, default: 0] += placed.segment.segmentBytes
                payload += placed.segment.segmentBytes
            }
            #expect(payload <= budget)
            #expect(payload == min(budget, pending.reduce(0) { $0 + $1.remainingBytes }))
            pending = plan.remaining(of: pending)
            previous = SHA256.hash("\(index)")
            index += 1
        }
        for item in all { #expect(received[item.itemID] == item.totalBytes) }
    }

    @Test("a partition holds at most 32 segments and stays within 64 MiB")
    func caps() throws {
        let plan = try PartitionPlanner(targetBytes: 67_108_864).plan(
            items(Array(repeating: 4_000_000, count: 40)), session: session(), index: 0, previousSHA256: nil)
        #expect(plan.file.segments.count <= 32)
        #expect(plan.file.byteCount <= PartitionDescriptor.maximumByteCount)
        let many = try PartitionPlanner(targetBytes: 67_108_864).plan(
            items(Array(repeating: 1, count: 40)), session: session(), index: 0, previousSHA256: nil)
        #expect(many.file.segments.count == 32)
    }
}
