import CanonicalJSON
import Cryptography
import TestSupport
import Testing

@testable import DayArchive

@Suite("Edits, outcomes, replays")
struct EditTests {
    @Test(
        "an edit is written, sealed and signed as published, and read again",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func knownEdit() throws {
        let fixture = try ArchiveFixtures.read("edits")
        let edit = try EditPlaintext(checking: fixture.at("items"))
        #expect(String(decoding: edit.bytes, as: UTF8.self) == (try fixture.text("plaintext")))
        #expect(try EditPlaintext(bytes: edit.bytes) == edit)
        let deflated = try fixture.bytes("deflate_hex")
        #expect(try RawDeflate.inflate(deflated, ceiling: RawDeflate.editCeiling) == edit.bytes)
        let context = SealContext.edit(TestKeys.reading.bucket)
        #expect(String(decoding: context.associatedData, as: UTF8.self) == (try fixture.text("aad")))
        let ephemeral = try X25519.PrivateKey(secret: SecretBytes(copying: try fixture.bytes("ephemeral_private_hex")))
        let sealed = try SealedEnvelope.seal(
            deflated, to: TestKeys.reading.privateKey.publicKey, for: context, ephemeral: ephemeral)
        #expect(sealed == (try fixture.bytes("sealed_hex")))
        let text = SignedText.edit(
            TestKeys.reading.bucket, timestamp: String(try fixture.whole("timestamp")), body: sealed)
        #expect(String(decoding: text, as: UTF8.self) == (try fixture.text("message")))
        let signature = Base64.encode(TestKeys.editor.privateKey.signature(for: text), as: .urlSafe)
        #expect(signature == (try fixture.text("signature_b64u")))
    }

    @Test(
        "an editor refuses each item that cannot be right, naming the field",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func itemRefusals() throws {
        for entry in try ArchiveFixtures.read("edits").list("item_refusals") {
            let expected = WireError.malformedEdit(item: 0, field: try entry.text("field"))
            #expect(throws: expected) { try EditPlaintext(checking: [try entry.at("item")]) }
        }
        let good: JSONValue = ["op": "delete", "id": "a"]
        #expect(throws: WireError.self) { try EditPlaintext(checking: []) }
        #expect(throws: WireError.self) { try EditPlaintext(checking: .array(Array(repeating: good, count: 501))) }
        #expect(throws: WireError.self) { try EditPlaintext(checking: good) }
        #expect(try EditPlaintext(checking: .array(Array(repeating: good, count: 500))).items.count == 500)
    }

    @Test("a writer takes the shape and leaves the judgement to the item")
    func shapeOnly() throws {
        let text = #"{"v":1,"items":[{"op":"put","id":"x","metric":"steps","start":5,"end":1,"value":-1,"unit":"g"}]}"#
        #expect(try EditPlaintext(bytes: Array(text.utf8)).items.count == 1)
        for bad in [
            #"{"v":2,"items":[{"op":"delete","id":"x"}]}"#, #"{"v":1,"items":[{"op":"delete","id":"x"}],"w":1}"#,
            #"{"v":1,"items":[]}"#, #"{"v":1}"#, "[]", "", #"{"v":1,"items":[{"op":"delete","id":"x"}]}x"#,
            #"{"v":1,"items":[{"op":"put","id":"x","metric":"sleep","start":1,"end":2}]}"#,
        ] {
            #expect(throws: WireError.self) { try EditPlaintext(bytes: Array(bad.utf8)) }
        }
    }

    @Test("outcomes are read and refused", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func outcomes() throws {
        let fixture = try ArchiveFixtures.read("edits").at("outcomes")
        for valid in try fixture.list("valid") {
            let outcome = try EditOutcome(body: JSONWriter.encode(valid, style: .compact))
            #expect(JSONValue.object(outcome.object).canonical == valid.canonical)
            #expect(try EditOutcome(body: outcome.body) == outcome)
        }
        for invalid in try fixture.list("invalid") {
            #expect(throws: WireError.self, "\(invalid.canonical)") {
                try EditOutcome(body: JSONWriter.encode(invalid, style: .compact))
            }
        }
        for entry in try fixture.list("status") {
            let status = EditOutcome.status(applied: try entry.whole("applied"), failed: try entry.whole("failed"))
            #expect(status == (try entry.text("status")))
        }
        let codes = try fixture.list("codes").compactMap(\.string)
        #expect(Set(codes) == Set(EditFailureCode.allCases.map(\.rawValue)))
    }

    @Test(
        "numbers of an outcome are written as integers",
        arguments: ["1.0", "1e0", "9007199254740992", "-0", "\"1\""])
    func outcomeNumbers(text: String) {
        #expect(throws: WireError.self) { try EditOutcome(body: Array("{\"applied\":\(text),\"failed\":[]}".utf8)) }
    }

    @Test("an answered edit is known again", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func replays() throws {
        let fixture = try ArchiveFixtures.read("edits").at("replay")
        #expect(try fixture.whole("window_seconds") == AnsweredEdits.window)
        let name = EditName(milliseconds: 0, random: [0, 0, 0, 0, 0])
        for entry in try fixture.list("cases") {
            var answered = AnsweredEdits()
            for earlier in try entry.list("answered") {
                answered.record(
                    .init(
                        digest: SHA256.hash(try earlier.text("digest")), name: name,
                        signedAt: try earlier.whole("signed_at")))
            }
            let edit = try entry.at("edit")
            let isReplay = answered.isReplay(
                digest: SHA256.hash(try edit.text("digest")), signedAt: try edit.whole("signed_at"))
            #expect(isReplay == entry["replayed"]?.bool, "\(entry["note"]?.string ?? "")")
        }
    }

    @Test("records older than the window are dropped, and their edits stay refused")
    func pruning() {
        let name = EditName(milliseconds: 0, random: [0, 0, 0, 0, 0])
        var answered = AnsweredEdits()
        answered.record(.init(digest: SHA256.hash("a"), name: name, signedAt: 1_000))
        answered.record(.init(digest: SHA256.hash("b"), name: name, signedAt: 1_901))
        #expect(answered.entries.count == 1)
        #expect(answered.isReplay(digest: SHA256.hash("a"), signedAt: 1_000))
    }
}
