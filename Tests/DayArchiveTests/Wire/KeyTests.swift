import CanonicalJSON
import Cryptography
import TestSupport
import Testing

@testable import DayArchive

@Suite("Keys and ids")
struct KeyTests {
    @Test(
        "keys and ids are those of the fixtures", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func fixtureKeys() throws {
        let keys = try ArchiveFixtures.read("keys")
        let reading = TestKeys.reading
        #expect(reading.privateKey.secret.copyBytes() == (try keys.at("reading").bytes("private_hex")))
        #expect(reading.privateKey.publicKey.bytes == (try keys.at("reading").bytes("public_hex")))
        #expect(reading.bucket.text == (try keys.at("reading").text("bucket")))
        #expect(TestKeys.reading2.bucket.text == (try keys.at("reading2").text("bucket")))
        #expect(TestKeys.writer.publicKey.bytes == (try keys.at("writer").bytes("public_hex")))
        #expect(TestKeys.editor.privateKey.publicKey.bytes == (try keys.at("editor").bytes("public_hex")))
        #expect(reading.readKey.seed.copyBytes() == (try keys.at("read_key_of_reading").bytes("seed_hex")))
    }

    @Test(
        "base32 and bucket ids match the published ones",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func bucketIDs() throws {
        let fixture = try ArchiveFixtures.read("bucket-id")
        for entry in try fixture.list("base32") {
            let bytes = try entry["ascii"]?.string.map { Array($0.utf8) } ?? entry.bytes("hex")
            #expect(Base32.encode(bytes) == (try entry.text("base32")))
        }
        for entry in try fixture.list("bucket") {
            let key = try X25519.PublicKey(bytes: try Base64.decode(entry.text("reading_public_b64u"), as: .urlSafe))
            #expect(BucketID(readingKey: key).text == (try entry.text("bucket")))
        }
        for id in try fixture.list("valid_ids") { _ = try BucketID(text: try #require(id.string)) }
        for id in try fixture.list("invalid_ids") {
            #expect(throws: WireError.notABucketID) { try BucketID(text: try #require(id.string)) }
        }
    }

    @Test(
        "the read key follows from the reading key and signs path and query as sent",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func readKey() throws {
        let fixture = try ArchiveFixtures.read("read-key")
        for vector in try fixture.list("vectors") {
            let secret = SecretBytes(copying: try vector.bytes("reading_private_hex"))
            let key = ReadingKey(try X25519.PrivateKey(secret: secret)).readKey
            #expect(key.seed.copyBytes() == (try vector.bytes("seed_hex")))
            #expect(key.publicKey.bytes == (try vector.bytes("public_hex")))
            let read = try vector.at("read")
            // The published vector's bucket is a made-up word, so the text is checked apart from it.
            let message = Array(try read.text("message").utf8)
            #expect(key.signature(for: message) == (try read.bytes("signature_hex")))
            if let bucket = try? BucketID(text: read.text("bucket")) {
                let text = SignedText.read(
                    bucket, target: try read.text("target"), timestamp: String(try read.whole("timestamp")))
                #expect(text == message)
            }
        }
        for rule in try fixture.list("target_rule") {
            #expect(SignedText.target(ofURL: try rule.text("url")) == (try rule.text("target")))
        }
    }

    @Test(
        "every signed text is the published one", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func signedTexts() throws {
        let fixture = try ArchiveFixtures.read("signing")
        for vector in try fixture.list("vectors") {
            let kind = try vector.text("kind")
            let bucket = try BucketID(text: vector.text("bucket"))
            let stamp = String(try vector.whole("timestamp"))
            let body = try vector["body_hex"].map { _ in try vector.bytes("body_hex") } ?? []
            let name = try vector["name"]?.string.map { try EditName(text: $0) }
            let text: [UInt8]
            switch kind {
            case "claim": text = SignedText.claim(bucket, timestamp: stamp)
            case "upload":
                let days = try vector.list("days").map { try ArchiveDay(text: try #require($0.string)) }
                text = SignedText.upload(bucket, days: days, timestamp: stamp, body: body)
            case "editor": text = SignedText.register(.editor, bucket, timestamp: stamp, body: body)
            case "reader": text = SignedText.register(.reader, bucket, timestamp: stamp, body: body)
            case "device": text = SignedText.register(.device, bucket, timestamp: stamp, body: body)
            case "edit": text = SignedText.edit(bucket, timestamp: stamp, body: body)
            case "fetch": text = SignedText.fetch(bucket, name: try #require(name), timestamp: stamp)
            case "outcome":
                text = SignedText.outcome(bucket, name: try #require(name), timestamp: stamp, body: body)
            case "read": text = SignedText.read(bucket, target: try vector.text("target"), timestamp: stamp)
            default:
                Issue.record("an unknown kind \(kind)")
                continue
            }
            #expect(String(decoding: text, as: UTF8.self) == (try vector.text("message")))
            let signers: [String: Ed25519.PrivateKey] = [
                "writer": TestKeys.writer, "editor": TestKeys.editor.privateKey, "read key": TestKeys.reading.readKey,
            ]
            let signer = try #require(signers[try vector.text("signer")])
            #expect(signer.signature(for: text) == (try vector.bytes("signature_hex")))
        }
    }

    @Test("handoffs are read and refused", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func handoffs() throws {
        let fixture = try ArchiveFixtures.read("handoff")
        for good in try fixture.list("good") {
            let handoff = try Handoff(text: good.text("text"))
            #expect(handoff.endpoint.url == (try good.text("endpoint")))
            #expect(handoff.bucket.text == (try good.text("bucket")))
            #expect(handoff.readingKey.privateKey.secret.copyBytes() == (try good.bytes("reading_private_hex")))
            let editor = try good["editor_private_hex"]?.string.map { try Hex.decode($0) }
            #expect(handoff.editorKey?.privateKey.seed.copyBytes() == editor)
        }
        for bad in try fixture.list("bad") {
            #expect(throws: WireError.self, "\(bad["why"]?.string ?? "")") { try Handoff(text: bad.text("text")) }
        }
    }

    @Test("our own handoff comes back as it was made, with and without an editor key")
    func ownHandoff() throws {
        let endpoint = try #require(ServiceEndpoint("http://127.0.0.1:17648/archive//"))
        #expect(endpoint.url == "http://127.0.0.1:17648/archive")
        #expect(endpoint.prefix == "/archive")
        for editor in [TestKeys.editor, nil] {
            let made = Handoff(endpoint: endpoint, readingKey: TestKeys.reading, editorKey: editor)
            let read = try Handoff(text: made.text)
            #expect(read.endpoint == endpoint)
            #expect(read.bucket == TestKeys.reading.bucket)
            #expect(read.editorKey?.text == editor?.text)
        }
    }

    @Test(
        "an edit's name is milliseconds and a random tail",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func editNames() throws {
        let names = try ArchiveFixtures.read("edits").at("names")
        for name in try names.list("valid") { _ = try EditName(text: try #require(name.string)) }
        for name in try names.list("invalid") {
            #expect(throws: WireError.notAnEditName) { try EditName(text: try #require(name.string)) }
        }
        for made in try names.list("made") {
            let name = EditName(milliseconds: try made.whole("unix_ms"), random: try made.bytes("random_hex"))
            #expect(name.text == (try made.text("name")))
            #expect(name.milliseconds == (try made.whole("unix_ms")))
        }
    }
}
