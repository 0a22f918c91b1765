import Foundation

/// `healthmdExtensions` of a hello: what only peers of ours know (extensions.md 2.7, 3.1). Valid by construction.
public struct PeerExtensions: Hashable, Sendable {
    /// The versions of secure records that are offered: 1 to 16 positive integers.
    public let secureRecords: [Int]
    /// The real name of the device; at most 128 bytes, no control characters.
    public let deviceName: String?

    /// Throws `malformedExtensions` when a rule is broken.
    public init(secureRecords: [Int], deviceName: String? = nil) throws(SecureTransportError) {
        guard (1...SecureTransportLimits.secureRecordVersionCount).contains(secureRecords.count),
            secureRecords.allSatisfy({ $0 > 0 })
        else { throw .malformedExtensions(detail: "secureRecords") }
        if let deviceName {
            guard isAcceptableDeviceName(deviceName) else { throw .malformedExtensions(detail: "deviceName") }
        }
        self.secureRecords = secureRecords
        self.deviceName = deviceName
    }

    /// The versions that this program speaks.
    public static let supportedSecureRecords = [1]

    /// The version that two offers put in force: the largest that both hold.
    public static func sharedSecureRecordVersion(_ first: PeerExtensions?, _ second: PeerExtensions?) -> Int? {
        guard let first, let second else { return nil }
        return Set(first.secureRecords).intersection(second.secureRecords).max()
    }
}

extension PeerExtensions: Codable {
    private enum CodingKeys: String, CodingKey {
        case secureRecords
        case deviceName
    }

    /// Reads the object; unknown keys are ignored. Throws `malformedExtensions` for everything that breaks a rule,
    /// also for another JSON type, so that a caller can tell it from a hello that is broken otherwise.
    public init(from decoder: any Decoder) throws {
        let versions: [Int]
        let name: String?
        do {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            versions = try container.decode([Int].self, forKey: .secureRecords)
            // A null is no absence here: our peers leave the key out.
            name = container.contains(.deviceName) ? try container.decode(String.self, forKey: .deviceName) : nil
        } catch {
            throw SecureTransportError.malformedExtensions(detail: "JSON types")
        }
        try self.init(secureRecords: versions, deviceName: name)
    }

    /// Writes the object; an absent name is left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(secureRecords, forKey: .secureRecords)
        try container.encodeIfPresent(deviceName, forKey: .deviceName)
    }
}

/// What the secure transport needs to know of a peer's hello; the rest is the engine's.
public struct PeerHello: Hashable, Sendable {
    /// The installation id in the hello; nil when the key is absent.
    public var installationID: UUID?
    /// The platform's word, `iOS` or `macOS`.
    public var platform: String
    /// Our own extensions; nil for a peer that knows only the published protocol.
    public var extensions: PeerExtensions?

    /// The parts of a hello.
    public init(installationID: UUID?, platform: String, extensions: PeerExtensions?) {
        self.installationID = installationID
        self.platform = platform
        self.extensions = extensions
    }
}

/// What we say in our own hello: the document, and the extensions that stand in it.
public struct OwnHello: Sendable {
    /// The hello message as UTF-8 JSON.
    public let document: [UInt8]
    /// What `healthmdExtensions` in the document says; nil to behave like the published protocol.
    public let extensions: PeerExtensions?

    /// Document and extensions must agree: both sides compute the mode from them.
    public init(document: [UInt8], extensions: PeerExtensions?) {
        self.document = document
        self.extensions = extensions
    }
}

/// What a decrypted JSON document turned out to be.
public enum InterpretedMessage<Message: Sendable>: Sendable {
    /// A hello: what the transport needs, and the whole.
    case hello(PeerHello, Message)
    /// `{"ping":{}}`. Answered by the connection itself.
    case ping
    /// `{"pong":{}}`.
    case pong
    /// Any other message.
    case message(Message)
    /// A hello whose `healthmdExtensions` is malformed: fatal.
    case malformedExtensions
    /// No message that we know: dropped.
    case undecodable
}
