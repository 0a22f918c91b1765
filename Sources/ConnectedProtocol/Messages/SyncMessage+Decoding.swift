import CanonicalJSON
import Cryptography
import Foundation

extension SyncMessage {
    /// Reads one message. Throws `MessageError` when the bytes are not JSON or no envelope at all; whatever else is
    /// wrong becomes `.unknown` or `.malformed`.
    public static func decode(_ text: [UInt8]) throws -> SyncMessage {
        let envelope: Envelope
        do {
            envelope = try Envelope(text)
        } catch {
            throw MessageError(decoding: error)
        }
        guard let name = envelope.name else { return .unknown }
        if name.isLegacy { return .legacy(name) }
        do {
            return try decode(name, envelope)
        } catch {
            return .malformed(MalformedMessage(name, MessageError(decoding: error), payload: envelope.payload))
        }
    }

    private static func decode(_ name: MessageName, _ envelope: Envelope) throws -> SyncMessage {
        func payload<Payload: Decodable>(_ type: Payload.Type = Payload.self) throws -> Payload {
            guard let text = envelope.payload else { throw MessageError.field(path: "_0", expected: "an object") }
            return try JSONDecoder().decode(type, from: Data(text))
        }
        func jobID() throws -> UUID {
            guard let text = envelope.body else { throw MessageError.field(path: "jobID", expected: "a UUID") }
            return try JSONDecoder().decode(NamedJob.self, from: Data(text)).jobID
        }
        return switch name {
        case .hello: .hello(try payload())
        case .ping: .ping
        case .pong: .pong
        case .macStatus: .macStatus(try payload())
        case .iphoneExportRequest: .exportRequest(try payload())
        case .iphoneExportAccepted: .exportAccepted(try payload())
        case .iphoneExportPreparationProgress: .preparationProgress(try payload())
        case .iphoneExportRejected: .exportRejected(try payload())
        case .iphoneExportCancel: .exportCancel(jobID: try jobID())
        case .connectedCorpusTransferOpen: .corpusOpen(try CorpusTransferOpen(payload: envelope.payload))
        case .connectedCorpusTransferDisposition: .corpusDisposition(try payload())
        case .connectedCorpusTransferFinalize: .corpusFinalize(try payload())
        case .connectedCorpusTransferFinalAck: .corpusFinalAck(try payload())
        case .connectedCorpusTransferCancel: .corpusCancel(try payload())
        case .connectedCorpusTransferCancelAck: .corpusCancelAck(try payload())
        case .connectedCorpusStatus: .corpusStatus(try payload())
        case .connectedTransferStart: .transferStart(try payload())
        case .connectedTransferChunk: .transferChunk(try payload())
        case .connectedTransferAck: .transferAck(try payload())
        case .connectedTransferComplete: .transferComplete(try payload())
        case .connectedTransferFinalAck: .transferFinalAck(try payload())
        case .connectedTransferAbort: .transferAbort(try payload())
        case .macExportAccepted: .macExportAccepted(try payload())
        case .macExportProgress: .macExportProgress(try payload())
        case .macExportResult: .macExportResult(try payload())
        case .macExportFailed: .macExportFailed(try payload())
        case .macExportCancel: .macExportCancel(jobID: try jobID())
        case .iphoneExportRawData, .macExportRequest, .macExportStreamStart, .macExportStreamChunk,
            .macExportStreamChunkAck, .macExportStreamComplete, .macExportStreamAbort, .requestData,
            .requestAllData, .healthData, .syncProgress:
            .legacy(name)
        }
    }

    private struct NamedJob: Codable { let jobID: UUID }
}

/// The outer shape of a message: its name, and the texts of what it carries.
struct Envelope {
    /// The first known name; nil when there is none.
    var name: MessageName?
    /// Text of the object under the name.
    var body: [UInt8]?
    /// Text of the value under `_0` in it.
    var payload: [UInt8]?

    init(_ text: [UInt8]) throws {
        (name, body, payload) = try JSONTokenizer.read(text) { tokens in
            guard try tokens.next() == .beginObject else { throw MessageError.envelope(offset: 0) }
            var found: (MessageName?, [UInt8]?, [UInt8]?)
            while try tokens.next() == .key {
                let key = String(decoding: tokens.keyBytes, as: UTF8.self)
                guard found.0 == nil, let name = MessageName(rawValue: key) else {
                    _ = try tokens.skipValue()
                    continue
                }
                found.0 = name
                (found.1, found.2) = try Envelope.readBody(tokens, text)
            }
            _ = try tokens.next()
            return found
        }
    }

    private static func readBody(_ tokens: JSONTokenizer, _ text: [UInt8]) throws -> ([UInt8], [UInt8]?) {
        let start = tokens.offset
        guard try tokens.next() == .beginObject else { throw MessageError.envelope(offset: start) }
        var payload: [UInt8]?
        while try tokens.next() == .key {
            let isPayload = tokens.keyBytes.elementsEqual("_0".utf8)
            let range = try tokens.skipValue()
            if isPayload { payload = Array(text[range]) }
        }
        return (Array(text[start..<tokens.offset]), payload)
    }

    /// Texts of the members of an object.
    static func members(of text: [UInt8]) throws -> [String: [UInt8]] {
        try JSONTokenizer.read(text) { tokens in
            guard try tokens.next() == .beginObject else { throw MessageError.envelope(offset: 0) }
            var members: [String: [UInt8]] = [:]
            while try tokens.next() == .key {
                let key = String(decoding: tokens.keyBytes, as: UTF8.self)
                members[key] = Array(text[try tokens.skipValue()])
            }
            return members
        }
    }
}

extension CorpusTransferOpen {
    /// Reads an open whose manifest keeps its text.
    init(payload: [UInt8]?) throws {
        guard let payload else { throw MessageError.field(path: "_0", expected: "an object") }
        let members = try Envelope.members(of: payload)
        func part<Part: Decodable>(_ key: String) throws -> Part {
            guard let text = members[key] else { throw MessageError.field(path: key, expected: "an object") }
            return try JSONDecoder().decode(Part.self, from: Data(text))
        }
        var manifest = members["exportManifest"]
        if manifest == Array("null".utf8) { manifest = nil }
        try self.init(
            session: part("session"), partition: part("partition"),
            exportManifest: manifest.map { try ExportManifest(text: $0) })
    }
}

extension MalformedMessage {
    /// Takes from a payload whatever can be read of it.
    init(_ name: MessageName, _ error: MessageError, payload: [UInt8]?) {
        // The payload is known to break a rule; what cannot be read in it is simply not there.
        let identity = payload.flatMap { try? JSONDecoder().decode(Identity.self, from: Data($0)) }
        self.name = name
        self.error = error
        sessionID = identity?.session?.sessionID.value ?? identity?.sessionID.value
        jobID = identity?.session?.jobID.value ?? identity?.jobID.value
        transferID = identity?.transferID.value
        if let index = identity?.partition?.index.value, let sha256 = identity?.partition?.sha256.value, index >= 0 {
            partition = PartitionReference(index: index, sha256: sha256)
        } else {
            partition = nil
        }
    }

    /// A value that may be anything; nil unless it is what it should be.
    private struct Lenient<Value: Decodable>: Decodable {
        let value: Value?
        init(value: Value?) { self.value = value }
        init(from decoder: Decoder) throws {
            // Reading what is readable is the purpose; the error was reported before.
            value = try? Value(from: decoder)
        }
    }

    private struct Identity: Decodable {
        struct Session: Decodable {
            let sessionID, jobID: Lenient<UUID>
            enum Keys: CodingKey { case sessionID, jobID }
            init(from decoder: Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                sessionID = try container.value(.sessionID, default: Lenient(value: nil))
                jobID = try container.value(.jobID, default: Lenient(value: nil))
            }
        }
        struct Partition: Decodable {
            let index: Lenient<Int>
            let sha256: Lenient<Digest>
            enum Keys: CodingKey { case index, sha256 }
            init(from decoder: Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                index = try container.value(.index, default: Lenient(value: nil))
                sha256 = try container.value(.sha256, default: Lenient(value: nil))
            }
        }
        let session: Session?
        let partition: Partition?
        let sessionID, jobID, transferID: Lenient<UUID>
        enum Keys: CodingKey { case session, partition, sessionID, jobID, transferID }
        init(from decoder: Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            session = try container.value(.session, default: Lenient<Session>(value: nil)).value
            partition = try container.value(.partition, default: Lenient<Partition>(value: nil)).value
            sessionID = try container.value(.sessionID, default: Lenient(value: nil))
            jobID = try container.value(.jobID, default: Lenient(value: nil))
            transferID = try container.value(.transferID, default: Lenient(value: nil))
        }
    }
}
