import Cryptography
import Foundation
import TestSupport
import Testing

@testable import ConnectedProtocol

private let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
private let sessionID = "5E551000-0000-4000-8000-000000000001"
private let jobID = "10B00000-0000-4000-8000-000000000001"

private func decode(_ text: String) throws -> SyncMessage { try SyncMessage.decode(Array(text.utf8)) }

@Suite("Message envelope")
struct SyncMessageTests {
    static let fixtures: [(file: String, name: MessageName)] = [
        ("peer-capabilities", .hello), ("iphone-export-request-write-files", .iphoneExportRequest),
        ("iphone-export-request-strict-raw", .iphoneExportRequest),
        ("iphone-export-progress", .iphoneExportPreparationProgress), ("transfer-offer", .connectedTransferStart),
        ("transfer-chunk", .connectedTransferChunk), ("transfer-acknowledgement", .connectedTransferAck),
        ("transfer-complete", .connectedTransferComplete), ("transfer-rejection", .connectedTransferAbort),
        ("mac-export-result-success", .macExportResult), ("mac-export-result-partial", .macExportResult),
    ]

    @Test(
        "every published body decodes, and re-encoding loses none of its members",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence), arguments: fixtures)
    func publishedBodies(fixture: (file: String, name: MessageName)) throws {
        let body = try SharedFixtures.bytes("messages/\(fixture.file).json")
        let text = Array("{\"\(fixture.name.rawValue)\":{\"_0\":".utf8) + body + Array("}}".utf8)
        let message = try SyncMessage.decode(text)
        #expect(message.name == fixture.name)
        if case .malformed(let malformed) = message { Issue.record("\(malformed.error)") }
        let again = message.encode()
        #expect(try SyncMessage.decode(again) == message)
        let published = try #require(JSONSerialization.jsonObject(with: Data(body)) as? NSDictionary)
        let outer = try #require(JSONSerialization.jsonObject(with: Data(again)) as? [String: [String: Any]])
        let ours = try #require(outer[fixture.name.rawValue]?["_0"] as? NSDictionary)
        for (key, value) in published {
            #expect((ours[key] as? NSObject)?.isEqual(value) == true, "\(key)")
        }
    }

    @Test("messages of the worked examples decode and survive a round trip", arguments: workedExamples)
    func examples(text: String) throws {
        let message = try decode(text)
        if case .malformed(let malformed) = message { Issue.record("\(malformed.error)") }
        #expect(message.name != nil)
        #expect(try SyncMessage.decode(message.encode()) == message)
    }

    static let workedExamples = [
        #"{"ping":{}}"#, #"{"pong":{}}"#, #"{"iphoneExportCancel":{"jobID":"\#(jobID)"}}"#,
        #"{"macExportCancel":{"jobID":"\#(jobID.lowercased())"}}"#,
        #"{"iphoneExportAccepted":{"_0":{"jobID":"\#(jobID)","acceptedAt":721699999,"message":"accepted"}}}"#,
        #"{"iphoneExportRejected":{"_0":{"jobID":"\#(jobID)","reason":"invalidDateRange","message":"no dates","occurredAt":721699999}}}"#,
        #"{"connectedCorpusTransferDisposition":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","partitionIndex":0,"partitionSHA256":"\#(digest)","disposition":"already_committed","nextPartitionIndex":1}}}"#,
        #"{"connectedTransferFinalAck":{"_0":{"transferID":"\#(jobID)","accepted":true,"sha256":"\#(digest)"}}}"#,
        #"{"connectedCorpusStatus":{"_0":{"jobID":"\#(jobID)","sessionID":"\#(sessionID)","requestFingerprint":{"version":1,"sha256":"\#(digest)"},"state":"transferring","processedDays":1,"totalDays":2,"committedPartitionCount":1,"committedBytes":1731,"currentDate":721779200,"message":"part 2","updatedAt":721700010,"expiresAt":722304800.5}}}"#,
        #"{"connectedCorpusTransferFinalize":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","requestFingerprint":{"version":1,"sha256":"\#(digest)"},"partitionCount":2,"totalByteCount":2679,"finalPartitionSHA256":"\#(digest)"}}}"#,
        #"{"connectedCorpusTransferFinalAck":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","accepted":true,"requestFingerprint":{"version":1,"sha256":"\#(digest)"},"finalPartitionSHA256":"\#(digest)","completedDates":[721692800,721779200],"successCount":0,"totalCount":2,"message":"done"}}}"#,
        #"{"connectedCorpusTransferCancel":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","reason":"user_requested","message":"stop","requestedAt":721700020}}}"#,
        #"{"connectedCorpusTransferCancelAck":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","accepted":true,"acknowledgedAt":721700021,"message":"stopped"}}}"#,
        #"{"macExportProgress":{"_0":{"jobID":"\#(jobID)","phase":"writing","processedDays":1,"totalDays":2,"currentDate":721692800,"filesWritten":1,"message":"writing"}}}"#,
        #"{"macExportFailed":{"_0":{"jobID":"\#(jobID)","reason":"exportWriteFailure","message":"disk error","occurredAt":721700030}}}"#,
        #"{"macExportAccepted":{"_0":{"jobID":"\#(jobID)","acceptedAt":721700030}}}"#,
        #"{"macStatus":{"_0":{"isConnected":true,"isReadyForExports":true,"destinationFolderSelected":true,"folderAccessHealthy":true,"destinationPathForDisplay":"\/x"}}}"#,
    ]

    @Test("an open decodes with its manifest's own text and survives a round trip")
    func open() throws {
        let message = try decode(openText())
        guard case .corpusOpen(let open) = message else {
            Issue.record("\(message)")
            return
        }
        let manifest = try #require(open.exportManifest)
        #expect(String(decoding: manifest.text, as: UTF8.self) == manifestText)
        #expect(manifest.content.requestedDates.map(\.secondsSince2001) == [721_692_800, 721_779_200])
        #expect(manifest.identifier(of: open.partition.sourceDates[1]) == "2023-11-15")
        #expect(try SyncMessage.decode(message.encode()) == message)
        guard case .corpusOpen(let again) = try SyncMessage.decode(message.encode()) else { return }
        #expect(again.exportManifest?.text == manifest.text)
    }

    @Test("an open without manifest is a message; the admission refuses it")
    func openWithoutManifest() throws {
        let text = openText(manifest: nil)
        guard case .corpusOpen(let open) = try decode(text) else {
            Issue.record("not an open")
            return
        }
        #expect(open.exportManifest == nil)
    }

    @Test("unknown keys are ignored, also at the top level beside one known name")
    func unknownKeys() throws {
        #expect(try decode(#"{"future":[{"a":1}],"ping":{"x":{}},"more":1}"#) == .ping)
        let text = #"{"macExportAccepted":{"_0":{"jobID":"\#(jobID)","acceptedAt":1,"future":{"a":[1]}},"_1":3}}"#
        #expect(try decode(text).name == .macExportAccepted)
    }

    @Test("null and absence are the same for an optional key")
    func nulls() throws {
        let text = #"{"macExportAccepted":{"_0":{"jobID":"\#(jobID)","acceptedAt":1,"message":null}}}"#
        let plain = #"{"macExportAccepted":{"_0":{"jobID":"\#(jobID)","acceptedAt":1}}}"#
        #expect(try decode(text) == decode(plain))
    }

    @Test("a message of no known name is dropped, a legacy one named")
    func unknownNames() throws {
        #expect(try decode(#"{"contextRefreshRequest":{"_0":{}}}"#) == .unknown)
        #expect(try decode("{}") == .unknown)
        #expect(try decode(#"{"requestData":{"dates":[1]}}"#) == .legacy(.requestData))
        #expect(try decode(#"{"macExportStreamChunk":{"_0":{}}}"#) == .legacy(.macExportStreamChunk))
    }

    @Test("what is no JSON or no envelope throws", arguments: ["", "[]", "1", "{", #"{"ping":1}"#, #"{"ping":{}} x"#])
    func noEnvelope(text: String) {
        #expect(throws: MessageError.self) { try decode(text) }
    }

    @Test("dates keep their exact binary64 identity")
    func exactDates() throws {
        for seconds in [721_700_000.5, 0.1 + 0.2, -978_307_200, 721_692_800.000_000_1, 1e-9, 63_082_281_599.999_99] {
            let message = SyncMessage.macExportAccepted(
                MacExportAccepted(jobID: UUID(), acceptedAt: ProtocolDate(secondsSince2001: seconds)))
            guard case .macExportAccepted(let again) = try SyncMessage.decode(message.encode()) else { continue }
            #expect(again.acceptedAt.secondsSince2001.bitPattern == seconds.bitPattern)
        }
        let text = SyncMessage.macExportAccepted(
            MacExportAccepted(jobID: UUID(), acceptedAt: ProtocolDate(secondsSince2001: 721_692_800))
        ).encode()
        #expect(String(decoding: text, as: UTF8.self).contains(#""acceptedAt":721692800,"#))
    }

    @Test("identifiers are written in upper case and read in any case")
    func identifiers() throws {
        let text = String(
            decoding: try decode(#"{"iphoneExportCancel":{"jobID":"\#(jobID.lowercased())"}}"#).encode(), as: UTF8.self)
        #expect(text == #"{"iphoneExportCancel":{"jobID":"\#(jobID)"}}"#)
    }

    @Test("a broken payload keeps what is needed for an answer")
    func malformedOpen() throws {
        let text = openText().replacingOccurrences(of: #""mode":"strict_raw""#, with: #""mode":"future""#)
        guard case .malformed(let malformed) = try decode(text) else {
            Issue.record("decoded")
            return
        }
        #expect(malformed.name == .connectedCorpusTransferOpen)
        #expect(malformed.sessionID == UUID(uuidString: sessionID))
        #expect(malformed.jobID == UUID(uuidString: jobID))
        #expect(malformed.partition?.index == 0)
        #expect(malformed.partition?.sha256.hex == digest)
        let start =
            #"{"connectedTransferStart":{"_0":{"transferID":"\#(jobID)","manifest":{"jobID":1},"totalBytes":"x"}}}"#
        guard case .malformed(let second) = try decode(start) else {
            Issue.record("decoded")
            return
        }
        #expect(second.transferID == UUID(uuidString: jobID))
    }

    @Test("no error text contains a value of the message")
    func errorsAreSilent() throws {
        let text = openText().replacingOccurrences(of: #""mode":"strict_raw""#, with: #""mode":"secretvalue""#)
        guard case .malformed(let malformed) = try decode(text) else { return }
        #expect(!malformed.error.description.contains("secretvalue"))
        #expect(malformed.error.description.contains("mode"))
    }

    @Test(
        "rules of payloads are checked while decoding",
        arguments: [
            (#""index":0"#, #""index":-1"#), (#""index":0"#, #""index":1"#), (#""byteCount":1731"#, #""byteCount":0"#),
            (#""byteCount":1731"#, #""byteCount":67108865"#),
            ("[721692800,721779200],\"byteCount\"", "[],\"byteCount\""),
            ("[721692800,721779200],\"byteCount\"", "[721779200,721692800],\"byteCount\""),
            ("[721692800,721779200],\"byteCount\"", "[721692800,721692800],\"byteCount\""),
            (digest, digest.uppercased()), (digest, String(digest.dropLast())),
            (#""partitionTargetBytes":50331648"#, #""partitionTargetBytes":33554431"#),
            (#""partitionTargetBytes":50331648"#, #""partitionTargetBytes":67108865"#),
            (#""protocolVersion":4"#, #""protocolVersion":0"#), (#""protocolVersion":4"#, #""protocolVersion":1"#),
            (#""version":1"#, #""version":0"#),
            (#""partition":{"sessionID":"\#(sessionID)""#, #""partition":{"sessionID":"\#(jobID)""#),
            (
                #""partition":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)""#,
                #""partition":{"sessionID":"\#(sessionID)","jobID":"\#(sessionID)""#
            ),
            (#""createdAt":721700000.5,"peerBinding""#, #""createdAt":"x","peerBinding""#),
        ])
    func openRules(original: String, replacement: String) throws {
        let text = openText()
        let broken = text.replacingOccurrences(of: original, with: replacement)
        try #require(broken != text)
        guard case .malformed = try decode(broken) else {
            Issue.record("accepted")
            return
        }
    }

    @Test(
        "a disposition whose next index contradicts it is no disposition",
        arguments: [
            ("accept", 0, true), ("accept", 1, false), ("resume", 0, true), ("resume", 1, false),
            ("already_committed", 1, true), ("already_committed", 7, true), ("already_committed", 0, false),
            ("reject", 0, true), ("reject", 5, true), ("reject", -1, false), ("later", 0, false),
        ])
    func dispositions(word: String, next: Int, isValid: Bool) throws {
        let text =
            #"{"connectedCorpusTransferDisposition":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","partitionIndex":0,"partitionSHA256":"\#(digest)","disposition":"\#(word)","nextPartitionIndex":\#(next)}}}"#
        let message = try decode(text)
        if case .corpusDisposition = message { #expect(isValid) } else { #expect(!isValid) }
    }

    @Test(
        "totals and counts that contradict each other are refused",
        arguments: [
            #"{"connectedCorpusTransferFinalize":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","requestFingerprint":{"version":1,"sha256":"\#(digest)"},"partitionCount":0,"totalByteCount":0,"finalPartitionSHA256":"\#(digest)"}}}"#,
            #"{"connectedCorpusTransferFinalize":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","requestFingerprint":{"version":1,"sha256":"\#(digest)"},"partitionCount":1,"totalByteCount":1}}}"#,
            #"{"connectedCorpusTransferFinalAck":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","accepted":true,"requestFingerprint":{"version":1,"sha256":"\#(digest)"},"successCount":3,"totalCount":2}}}"#,
            #"{"connectedCorpusTransferFinalAck":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","accepted":true,"requestFingerprint":{"version":1,"sha256":"\#(digest)"},"completedDates":[2,1],"totalCount":2}}}"#,
            #"{"connectedCorpusTransferFinalAck":{"_0":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","accepted":true,"requestFingerprint":{"version":1,"sha256":"\#(digest)"},"completedDates":[1,2,3],"totalCount":2}}}"#,
        ])
    func contradictions(text: String) throws {
        guard case .malformed = try decode(text) else {
            Issue.record("accepted")
            return
        }
    }
}

/// A manifest of two strict raw days, in the form of the worked example.
let manifestText =
    #"{"mode":"strict_raw","createdAt":721700000.5,"sourceDeviceName":"Test","sourceTimeZoneIdentifier":"America\/New_York","dateRangeStart":721692800,"dateRangeEnd":721779200,"requestedDates":[721692800,721779200],"requestedDateIdentifiers":["2023-11-14","2023-11-15"],"transferDates":[721692800,721779200],"futureKey":{"z":1},"settingsSnapshot":{"exportFormats":["JSON"],"healthSubfolder":"Health.md\/x","futureSetting":[2,1]},"rawProfile":"canonical_source_records_v1"}"#

func openText(manifest: String? = manifestText) -> String {
    let part = manifest.map { #","exportManifest":\#($0)"# } ?? ""
    return
        #"{"connectedCorpusTransferOpen":{"_0":{"session":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","requestFingerprint":{"version":1,"sha256":"be91db50d2f1383ad465af0bbeaa2ddbc90b8cdade45de2292f0d2e6cc287fbf"},"protocolVersion":4,"partitionTargetBytes":50331648,"createdAt":721700000.5,"peerBinding":{"sourceInstallationID":"50000000-0000-4000-8000-000000000001","destinationInstallationID":"D0000000-0000-4000-8000-000000000002"}},"partition":{"sessionID":"\#(sessionID)","jobID":"\#(jobID)","index":0,"sourceDates":[721692800,721779200],"byteCount":1731,"sha256":"\#(digest)"}\#(part)}}}"#
}
