import CanonicalJSON
import Cryptography
import Foundation
import HMDCItem
import TestSupport
import Testing

@testable import healthmd

/// The inspection commands of extensions.md 6.
@Suite("Inspection")
struct InspectionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: folder.appending(name)))
        return folder.appending(name)
    }

    private func item() throws -> [UInt8] {
        let root: ItemNode = .object([
            .init(key: "data", value: .data([0, 1, 2, 255])),
            .init(key: "number", value: .double(-0.0)),
            .init(key: "text", value: .string(String(repeating: "é", count: 200))),
        ])
        return try ItemWriter.bytes(of: root, kind: .strictRawDay)
    }

    @Test("what inspect --full prints is encoded to the same bytes")
    func roundTrip() throws {
        let bytes = try item()
        let path = try file("item", bytes)
        let inspected = try CommandRun(["item", "inspect", path, "--full"])
        #expect(inspected.status == 0)
        let tree = try file("tree.json", inspected.output)
        let made = folder.appending("made")
        let encoded = try CommandRun(["item", "encode", "--kind", "strict_raw_day", tree, "-o", made])
        #expect(encoded.status == 0)
        #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: made))) == bytes)
        #expect(try encoded.document()["sha256"]?.string == SHA256.hash(bytes).hex)
        let attributes = try FileManager.default.attributesOfItem(atPath: made)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("inspect cuts long strings and shows data as length and digest")
    func summary() throws {
        let run = try CommandRun(["item", "inspect", try file("item", item())])
        let entries = try #require(try run.document()["root"]?["entries"]?.array)
        let data = try #require(entries[0]["value"])
        #expect(data["bytes"]?.number?.int == 4 && data["base64"] == nil)
        let text = try #require(entries[2]["value"])
        #expect(text["truncated"] == true && text["bytes"]?.number?.int == 400)
        #expect(text["value"]?.string?.utf8.count == 256)
    }

    @Test("verify prints kind, size, digest and the number of nodes")
    func verify() throws {
        let bytes = try item()
        let run = try CommandRun(["item", "verify", try file("item", bytes)])
        #expect(run.status == 0)
        let document = try run.document()
        #expect(document["valid"] == true && document["kind"] == "strict_raw_day")
        #expect(document["nodes"]?.number?.int == 4 && document["bytes"]?.number?.int == bytes.count)
        #expect(document["sha256"]?.string == SHA256.hash(bytes).hex)
    }

    @Test(
        "a refused item gives its code and the byte, exit 1, for verify and inspect alike",
        arguments: ["verify", "inspect"])
    func refusal(command: String) throws {
        var bytes = try item()
        bytes[12] = 99
        let run = try CommandRun(["item", command, try file("item", bytes)])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["error"] == "unknown_tag" && document["offset"]?.number?.int == 12)
        #expect(document["status"] == "failure")
    }

    @Test("links, second names and folders are no items")
    func privateFile() throws {
        let path = try file("item", item())
        let link = folder.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try CommandRun(["item", "verify", link]).document()["error"] == "not_private_regular_file")
        #expect(try CommandRun(["item", "verify", folder.path]).document()["error"] == "not_private_regular_file")
        try FileManager.default.linkItem(atPath: path, toPath: folder.appending("second"))
        let run = try CommandRun(["item", "verify", path])
        #expect(run.status == 1)
        #expect(try run.document()["error"] == "not_private_regular_file")
    }

    @Test("a tree that names another kind leaves no file")
    func kindDiffers() throws {
        let inspected = try CommandRun(["item", "inspect", try file("item", item()), "--full"])
        let made = folder.appending("made")
        let run = try CommandRun([
            "item", "encode", "--kind", "mac_health_day", try file("tree.json", inspected.output), "-o", made,
        ])
        #expect(run.status == 1)
        #expect(try run.document()["error"] == "unexpected_kind")
        #expect(!FileManager.default.fileExists(atPath: made))
    }

    @Test(
        "a partition shows its manifest and segments with their digests",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func partition() throws {
        let bytes = try SharedFixtures.bytes("derived/partition-0.hmdcorp1")
        let run = try CommandRun(["partition", "inspect", try file("partition", bytes)])
        #expect(run.status == 0)
        let document = try run.document()
        #expect(document["sha256"]?.string == SHA256.hash(bytes).hex)
        let segments = try #require(document["segments"]?.array)
        let first = try #require(segments.first)
        #expect(first["is_whole_item"] == true && first["segment_sha256"] == first["item_sha256"])
    }

    @Test(
        "a changed byte of a whole item in a partition is found",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func damagedPartition() throws {
        var bytes = try SharedFixtures.bytes("derived/partition-0.hmdcorp1")
        let intact = try CommandRun(["partition", "inspect", try file("partition", bytes)]).document()
        let start = try #require(intact["segments"]?.array?.first?["file_offset"]?.number?.int)
        bytes[start + 40] ^= 1
        let run = try CommandRun(["partition", "inspect", try file("partition", bytes)])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["error"] == "partition_item_digest" && document["offset"]?.number?.int == start)
    }

    @Test("a file that is no partition is refused at its first byte")
    func noPartition() throws {
        let run = try CommandRun(["partition", "inspect", try file("partition", Array("HMDCORP2".utf8))])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["error"] == "partition_wrong_magic" && document["offset"]?.number?.int == 0)
    }

    @Test(
        "the wire and the canonical text of a manifest have the published fingerprint",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func fingerprint() throws {
        for (name, isCanonical) in [("wire", false), ("canonical", true)] {
            let bytes = try SharedFixtures.bytes("derived/export-manifest-strict-raw.\(name).json")
            let document = try CommandRun(["manifest", "fingerprint", try file(name, bytes)]).document()
            #expect(
                document["sha256"] == "be91db50d2f1383ad465af0bbeaa2ddbc90b8cdade45de2292f0d2e6cc287fbf")
            #expect(document["is_canonical"]?.bool == isCanonical)
        }
    }

    @Test("a manifest that is no JSON is refused with code and offset")
    func noManifest() throws {
        let run = try CommandRun(["manifest", "fingerprint", try file("m", Array(#"{"a":01}"#.utf8))])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["error"] == "json_invalid_number" && document["offset"] != nil)
    }

    @Test("JSON that is no manifest is refused, and said what it lacks")
    func otherJSON() throws {
        for text in ["{}", "[]", #"{"protocol":"healthmd.extract_result","health_data":[]}"#] {
            let run = try CommandRun(["manifest", "fingerprint", try file("m", Array(text.utf8))])
            #expect(run.status == 1)
            let document = try run.document()
            #expect(document["error"] == "wrong_file" && document["missing"]?.array?.contains("transferDates") == true)
        }
    }

    @Test("what a refused item advises leads on: no command sends to itself", arguments: ["inspect", "verify"])
    func noLoop(command: String) throws {
        for text in ["", "hello", "HMDCITEM", "no item at all, and long enough"] {
            let run = try CommandRun(["item", command, try file("x", Array(text.utf8))])
            let message = try #require(try run.document()["message"]?.string)
            #expect(!message.contains("healthmd item") && message.contains("healthmd export"), "\(message)")
        }
    }

    @Test("a file that is not there, or is none, is told by its path and in words of its command")
    func noFile() throws {
        for command in [["item", "inspect"], ["partition", "inspect"], ["manifest", "fingerprint"]] {
            let missing = try CommandRun(command + [folder.appending("none")]).document()
            #expect(missing["error"] == "not_found")
            #expect(missing["message"]?.string?.contains(folder.appending("none")) == true)
            let other = try CommandRun(command + [folder.path]).document()
            #expect(other["error"] == "not_private_regular_file")
            #expect(other["message"]?.string?.contains("item") == (command[0] == "item"))
        }
    }

    @Test("metrics lists the registry, sorted by id; a category matches in any spelling; an unknown one is named so")
    func metrics() throws {
        let all = try CommandRun(["metrics"]).document()
        let ids = all["metrics"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(ids.count > 150 && ids == ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let body = try CommandRun(["metrics", "list", "--category", "body_MEASUREMENTS"])
        #expect(body.status == 0)
        #expect(try body.document()["metrics"]?.array?.allSatisfy { $0["category"] == "Body Measurements" } == true)
        let unknown = try CommandRun(["metrics", "--category", "nothing"])
        #expect(unknown.status == 1)
        #expect(try unknown.document()["error"] == "unknown_metric_category")
    }

    @Test(
        "a file of another kind is refused with its code, and said what it is and which command reads it",
        arguments: [
            (["item", "inspect"], "HMDCORP1 and more than a header", "partition", "healthmd partition inspect"),
            (["item", "verify"], "{\"schema\":\"healthmd.health_data\"}", "json", "healthmd render"),
            (["partition", "inspect"], "HMDCITEM and more than a header", "item", "healthmd item inspect"),
            (["manifest", "fingerprint"], "PK\u{3}\u{4} and so on, a zip", "zip", "health-export inspect"),
            (["manifest", "fingerprint"], "<?xml version=\"1.0\"?><HealthData/>", "xml", "health-export inspect"),
            (
                ["manifest", "fingerprint"], "{\"schema\":\"healthmd.health_data\"}", "healthmd.health_data",
                "no schema"
            ),
        ] as [([String], String, String, String)])
    func otherKinds(command: [String], content: String, found: String, advice: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("file")
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        let run = try CommandRun(command + [path])
        #expect(run.status == 1)
        let document = try run.document()
        #expect(document["found"]?.string == found && document["offset"] != nil, "\(run.text)")
        #expect(document["message"]?.string?.contains(advice) == true, "\(run.text)")
    }
}
