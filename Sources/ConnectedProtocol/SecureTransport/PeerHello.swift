import Foundation

extension HealthmdExtensions {
    /// The versions of secure records that this program speaks.
    public static let supportedSecureRecords = [1]

    /// The version that two offers put in force: the largest that both hold (extensions.md 3.1).
    public static func sharedSecureRecordVersion(_ first: HealthmdExtensions?, _ second: HealthmdExtensions?) -> Int? {
        guard let first, let second else { return nil }
        return Set(first.secureRecords).intersection(second.secureRecords).max()
    }
}

/// What the secure transport needs to know of a peer's hello; the rest is the engine's.
public struct PeerHello: Hashable, Sendable {
    /// The installation id in the hello; nil when the key is absent.
    public var installationID: UUID?
    /// The platform's word, `iOS` or `macOS`.
    public var platform: String
    /// Our own extensions; nil for a peer that knows only the published protocol.
    public var extensions: HealthmdExtensions?

    /// The parts of a hello.
    public init(installationID: UUID?, platform: String, extensions: HealthmdExtensions?) {
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
    public let extensions: HealthmdExtensions?

    /// Document and extensions must agree: both sides compute the mode from them.
    public init(document: [UInt8], extensions: HealthmdExtensions?) {
        self.document = document
        self.extensions = extensions
    }

    /// The hello of these capabilities.
    public init(_ capabilities: PeerCapabilities) {
        self.init(document: SyncMessage.hello(capabilities).encode(), extensions: capabilities.extensions.value)
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

extension InterpretedMessage where Message == SyncMessage {
    /// Reads a document as one message (corpus-protocol.md 2).
    ///
    /// A known message whose payload breaks a rule is the engine's to answer (extensions.md 9.3), so it is no
    /// undecodable one.
    public init(_ document: ArraySlice<UInt8>) {
        let message: SyncMessage
        do {
            message = try SyncMessage.decode(Array(document))
        } catch {
            self = .undecodable
            return
        }
        switch message {
        case .hello(let capabilities):
            switch capabilities.extensions {
            case .malformed:
                self = .malformedExtensions
            case .absent, .wellFormed:
                let hello = PeerHello(
                    installationID: capabilities.installationID, platform: capabilities.platform,
                    extensions: capabilities.extensions.value)
                self = .hello(hello, message)
            }
        case .ping: self = .ping
        case .pong: self = .pong
        case .unknown: self = .undecodable
        default: self = .message(message)
        }
    }
}

extension LinkServices where Message == SyncMessage {
    /// The services of a real connection; `nonce` gives 12 fresh random bytes.
    public init(nonce: @escaping @Sendable () -> [UInt8]) {
        self.init(nonce: nonce, interpret: { InterpretedMessage($0) })
    }
}
