import ConnectedProtocol
import Foundation
import Transport

/// One pairing by code: dial, prove the code, store the new secret, say hello, wait for the workstation's hello
/// (secure-transport.md 6.3, extensions.md 2.1).
struct Pairing {
    /// Digits of a code that this side takes.
    static let codeDigitCount = 20
    /// Time for the connection when a person waits (secure-transport.md 5.4).
    private static let dialTimeout: Duration = .seconds(10)

    /// The digits of a typed code: spaces and hyphens dropped, then exactly 20 ASCII digits, else nothing is sent.
    static func digits(of code: String) throws -> String {
        let digits = code.unicodeScalars.filter { $0 != " " && $0 != "-" }
        guard digits.count == codeDigitCount, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw SenderError.pairingCodeInvalid
        }
        return String(String.UnicodeScalarView(digits))
    }

    let installationID: UUID
    let hello: OwnHello
    let store: PhoneStore
    let clock: SystemClock

    /// Pairs; returns who was paired. Old trust stays until the workstation's hello has come.
    func run(host: String, port: UInt16, code: String) throws -> PeerSession<SyncMessage> {
        let digits = try Pairing.digits(of: code)
        let socket: Connection
        do {
            socket = try Dialler.dial(host: host, port: port, timeout: Pairing.dialTimeout)
        } catch {
            throw SenderError.unreachable("\(host) port \(port) (\(error.code))")
        }
        let opened = Box<PeerSession<SyncMessage>>()
        let connection = DialledConnection(
            socket, installationID: installationID, credential: .code(ManualIPKeys.codeKey(digits: digits)),
            hello: hello, clock: clock,
            handlers: DialledConnection.Handlers(
                storeProvisional: { [store, clock] in
                    try store.keepProvisional($0, host: host, port: port, at: clock.now())
                },
                confirm: { [store, clock] in try store.confirm($0, host: host, port: port, at: clock.now()) },
                opened: { connection, session in
                    opened.value = session
                    connection.close(.finished)
                },
                message: { _, _, _ in }))
        let end = connection.run()
        if let session = opened.value { return session }
        throw Pairing.error(end)
    }

    private static func error(_ end: ConnectionEnd) -> SenderError {
        switch end {
        case .failure(.pairingRejected): .pairingRejected
        case .peerClosed: .unreachable("it closed the connection before the pairing was complete")
        default: .peerFault(code: end.code, end.description)
        }
    }
}

/// A value that one thread leaves for another.
final class Box<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value?

    var value: Value? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
