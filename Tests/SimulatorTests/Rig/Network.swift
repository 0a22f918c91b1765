import ConnectedProtocol
import Cryptography
import Foundation

@testable import Receiver
@testable import Sender

/// What travels on a connection. Messages travel as their bytes.
enum Parcel {
    /// The handshake is through: the end may use the connection.
    case opened
    case document([UInt8])
    case frame(BinaryFrame, payload: [UInt8])
    /// The other end, or the way, is gone.
    case closed
}

/// One TCP connection with its two directions. What was sent first arrives first; what is on the way when the line is cut
/// arrives up to some point and not beyond it.
final class Wire {
    let number: UInt64
    /// Parcels on the way, with the time of their arrival.
    var toReceiver: [(time: Double, parcel: Parcel)] = []
    var toPhone: [(time: Double, parcel: Parcel)] = []
    /// Nothing that is sent now arrives.
    var isCut = false
    var receiverChannel: ReceiverEnd?
    var phoneChannel: PhoneEnd?

    init(number: UInt64) {
        self.number = number
    }
}

/// The receiver's end.
final class ReceiverEnd: Receiver.PeerChannel, @unchecked Sendable {
    private unowned let simulation: Simulation
    let wire: Wire
    /// The process that owns this end.
    let incarnation: Int

    init(_ wire: Wire, _ simulation: Simulation, incarnation: Int) {
        self.wire = wire
        self.simulation = simulation
        self.incarnation = incarnation
    }

    func send(_ document: [UInt8]) { simulation.receiverSends(document, on: self) }

    func close(_ reason: ConnectionEnd) { simulation.receiverCloses(self, reason) }
}

/// The phone's end.
final class PhoneEnd: Sender.PeerChannel, @unchecked Sendable {
    private unowned let simulation: Simulation
    let wire: Wire
    /// The process that owns this end.
    let incarnation: Int

    init(_ wire: Wire, _ simulation: Simulation, incarnation: Int) {
        self.wire = wire
        self.simulation = simulation
        self.incarnation = incarnation
    }

    func send(_ message: SyncMessage) { simulation.phoneSends(.document(message.encode()), message, on: self) }

    func send(_ frame: BinaryFrame, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
        var payload = [UInt8](repeating: 0, count: frame.payloadByteCount)
        try payload.withUnsafeMutableBytes { try fill($0) }
        simulation.phoneSends(.frame(frame, payload: payload), nil, on: self)
    }

    func close(_ end: ConnectionEnd) { simulation.phoneCloses(self, end) }
}
