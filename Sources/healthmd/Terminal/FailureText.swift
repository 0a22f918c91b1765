import Biomarkers
import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DayArchive
import DurableStore
import HMDCItem
import HealthData
import HealthDatabase
import HealthExport
import RawResult
import Receiver
import Sender
import Transport

/// Failures of the rooms below as a command prints them: their own stable code, a sentence with the next step, and
/// where it was (cli.md 12).
enum FailureText {
    /// What to print for an error.
    static func failure(of error: any Error) -> CommandFailure {
        switch error {
        case let error as CommandFailure: error
        case let error as StoreError: store(error)
        case let error as ItemError: item(error)
        case let error as PartitionFileError: partition(error)
        case let error as JSONError:
            CommandFailure(
                error.code.rawValue, "\(error). Correct the text at this place, then try again.", status: .integrity,
                details: [("offset", .integer(error.offset))])
        case let error as MessageError:
            CommandFailure(error.code, error.description, status: .integrity)
        case let error as ManifestError:
            CommandFailure(error.code, error.description, status: .integrity)
        case let error as CryptographyError:
            CommandFailure(error.code, error.description)
        case let error as RawResultError:
            CommandFailure(error.code, "the result cannot be used; inspect the job, then resume it", status: .integrity)
        case let error as ExportError: export(error)
        case let error as BiomarkersError: CommandFailure(error.code, error.description)
        case let error as ServiceStartError: CommandFailure(error.code, error.description)
        case let error as WriterError: CommandFailure(error.code, error.description)
        case let error as ReaderError: CommandFailure(error.code, error.description)
        case let error as WireError: CommandFailure(error.code, error.description, status: .integrity)
        case let error as ClientError: client(error)
        case let error as SenderError: sender(error)
        case let error as HealthDataError: CommandFailure(error.code, error.description, status: .integrity)
        case let error as HealthDatabaseError: CommandFailure(error.code, error.description)
        case let error as ReceiverDaemonError: daemon(error)
        case let error as ReceiverControlError: CommandFailure(error.code, error.message)
        case let error as ControlAPIError: CommandFailure(error.code, error.description)
        case let error as SecureTransportError:
            CommandFailure(error.code, error.description, status: .peerUnavailable)
        case let error as SourceJournalError: CommandFailure(error.code, error.description, status: .integrity)
        case let error as TransportError: CommandFailure(error.code, error.description)
        default:
            CommandFailure(
                "internal_error", "an unexpected error of type \(type(of: error)); please report it")
        }
    }

    private static func store(_ error: StoreError) -> CommandFailure {
        guard case .lockedBy(_, let pid?) = error else { return CommandFailure(error.code, error.description) }
        return CommandFailure(error.code, error.description, status: .busy, details: [("pid", .integer(Int(pid)))])
    }

    private static func item(_ error: ItemError) -> CommandFailure {
        var details: [(String, JSONDetail)] = []
        if let offset = error.offset { details.append(("offset", .number(JSONNumber(offset)))) }
        if case .refused(_, let path) = error { details.append(("path", .string(path))) }
        return CommandFailure(
            error.code, "Expected: \(error.expectation). \(error.nextStep)", status: .integrity, details: details)
    }

    private static func partition(_ error: PartitionFileError) -> CommandFailure {
        var details: [(String, JSONDetail)] = []
        if let offset = error.byteOffset { details.append(("offset", .number(JSONNumber(offset)))) }
        return CommandFailure(error.code, error.description, status: .integrity, details: details)
    }

    private static func export(_ error: ExportError) -> CommandFailure {
        var details: [(String, JSONDetail)] = []
        if let place = error.place { details.append(("place", .string(place.description))) }
        if let offset = error.place?.offset { details.append(("offset", .integer(offset))) }
        if case .importRunning = error {
            return CommandFailure(error.code, error.description, status: .busy, details: details)
        }
        return CommandFailure(error.code, error.description, details: details)
    }

    private static func sender(_ error: SenderError) -> CommandFailure {
        switch error {
        case .alreadyServing(let pid):
            CommandFailure(
                error.code, error.description, status: .busy,
                details: pid.map { [("pid", .integer(Int($0)))] } ?? [])
        case .unreachable: CommandFailure(error.code, error.description, status: .peerUnavailable)
        case .itemDamaged, .storedStateDamaged: CommandFailure(error.code, error.description, status: .integrity)
        default: CommandFailure(error.code, error.description)
        }
    }

    private static func client(_ error: ClientError) -> CommandFailure {
        switch error {
        case .unreachable: CommandFailure(error.code, error.description, status: .peerUnavailable)
        case .refused(_, let status, _, _):
            CommandFailure(error.code, error.description, details: [("http_status", .integer(status))])
        case .answerTooLarge, .badAnswer, .missingDay, .unreadableDay:
            CommandFailure(error.code, error.description, status: .integrity)
        }
    }

    private static func daemon(_ error: ReceiverDaemonError) -> CommandFailure {
        guard case .alreadyRunning(let pid?) = error else { return CommandFailure(error.code, error.message) }
        return CommandFailure(error.code, error.message, status: .busy, details: [("pid", .integer(Int(pid)))])
    }
}
