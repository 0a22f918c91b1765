import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HMDCItem
import HealthData
import Synchronization
import Transport

/// One line of the log: a fixed name and fields that can only hold identifiers, counts, sizes, dates, codes and
/// states. There is no field for a free text, so no health value can get in.
struct LogEvent: Sendable {
    /// A field's value.
    enum Value: Sendable {
        /// An identifier.
        case id(UUID)
        /// A count, a size in bytes, a port, a number of seconds.
        case number(Int64)
        /// A word of ours.
        case word(StaticString)
        /// Where a peer dialled from.
        case address(PeerAddress)
        /// The stable code of an error.
        case code(of: any Error)
        /// The stable code of the end of a connection.
        case end(ConnectionEnd)
        /// The state of a job.
        case state(JobState)

        var text: String {
            switch self {
            case .id(let id): id.uuidString
            case .number(let number): String(number)
            case .word(let word): word.description
            case .address(let address): address.description
            case .code(let error): stableCode(of: error)
            case .end(let end): end.code
            case .state(let state): state.rawValue
            }
        }
    }

    /// What happened, in snake case.
    let name: StaticString
    /// Further facts, in order.
    let fields: [(StaticString, Value)]

    init(_ name: StaticString, _ fields: (StaticString, Value)...) {
        self.name = name
        self.fields = fields
    }

    /// `2026-03-15T12:34:56Z job_finished job=… state=completed`
    func line(at now: Moment) -> String {
        let time = RFC3339.seconds(since2001: now.wall.rounded(.down)) ?? "-"
        return ([time, name.description] + fields.map { "\($0)=\($1.text)" }).joined(separator: " ")
    }
}

/// Where log lines go: standard error, or nowhere in tests.
final class Log: Sendable {
    private let write: @Sendable (String) -> Void
    private let clock: @Sendable () -> Moment

    init(clock: @escaping @Sendable () -> Moment, write: @escaping @Sendable (String) -> Void) {
        self.clock = clock
        self.write = write
    }

    /// One line.
    func callAsFunction(_ name: StaticString, _ fields: (StaticString, LogEvent.Value)...) {
        write(LogEvent(name, fields).line(at: clock()))
    }
}

extension LogEvent {
    fileprivate init(_ name: StaticString, _ fields: [(StaticString, Value)]) {
        self.name = name
        self.fields = fields
    }
}

/// The stable code of an error of any room; errors of the system have none of their own.
func stableCode(of error: any Error) -> String {
    switch error {
    case let error as StoreError: error.code
    case let error as ItemError: error.code
    case let error as JSONError: error.code.rawValue
    case let error as MessageError: error.code
    case let error as PartitionRefusal: error.code
    case let error as PartitionFileError: error.code
    case let error as OpenRefusal: error.code
    case let error as DestinationJournalError: error.code
    case let error as SecureTransportError: error.code
    case let error as TransportError: error.code
    case let error as ReceiverControlError: error.code
    case let error as RawResultComposer.Refusal: error.issue.code
    case let error as ReceiverError: error.code
    case let error as ResponseCopy.Damage: error.rawValue
    case let error as HealthDataError: error.code
    default: "unexpected_error"
    }
}
