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
    /// What to print for an error. How the command ends stands in ``ErrorTable``.
    static func failure(of error: any Error) -> CommandFailure {
        switch error {
        case let error as CommandFailure: error
        case let error as StoreError: store(error)
        case let error as ItemError: item(error)
        case let error as PartitionFileError:
            listed(
                error.code, error.description, ErrorTable.items,
                [("offset", error.byteOffset.map { .number(JSONNumber($0)) })])
        case let error as JSONError:
            listed(
                error.code.rawValue, "\(error). Correct the text at this place, then try again.", ErrorTable.json,
                [("offset", .integer(error.offset))])
        case let error as MessageError: listed(error.code, error.description, ErrorTable.transfer)
        case let error as ManifestError: listed(error.code, error.description, ErrorTable.transfer)
        case let error as CryptographyError: listed(error.code, error.description, ErrorTable.cryptography)
        case let error as RawResultError:
            listed(
                error.code, "the result cannot be used; inspect the job, then resume it", ErrorTable.rawResults)
        case let error as ExportError:
            listed(
                error.code, error.description, ErrorTable.exports,
                [
                    ("place", error.place.map { .string($0.description) }),
                    ("offset", error.place?.offset.map(JSONValue.integer)),
                ])
        case let error as BiomarkersError: listed(error.code, error.description, ErrorTable.biomarkers)
        case let error as ServiceStartError: listed(error.code, error.description, ErrorTable.archive)
        case let error as WriterError: listed(error.code, error.description, ErrorTable.archive)
        case let error as ReaderError: listed(error.code, error.description, ErrorTable.archive)
        case let error as WireError: listed(error.code, error.description, ErrorTable.archiveWire)
        case let error as ClientError: client(error)
        case let error as SenderError: sender(error)
        case let error as HealthDataError: listed(error.code, error.description, ErrorTable.documents)
        case let error as HealthDatabaseError: listed(error.code, error.description, ErrorTable.database)
        case let error as ReceiverDaemonError: daemon(error)
        case let error as ReceiverControlError: listed(error.code, error.message, ErrorTable.controlRoutes)
        case let error as ControlAPIError: listed(error.code, error.description, ErrorTable.controlRoutes)
        case let error as SecureTransportError: listed(error.code, error.description, ErrorTable.connections)
        case let error as SourceJournalError: listed(error.code, error.description, ErrorTable.transfer)
        case let error as TransportError: listed(error.code, error.description, ErrorTable.transport)
        default:
            CommandFailure(
                "internal_error", "an unexpected error of type \(type(of: error)); please report it")
        }
    }

    /// A failure with its exit code from the table; details without a value are left out.
    private static func listed(
        _ code: String, _ message: String, _ section: ErrorSection, _ details: [(String, JSONDetail?)] = []
    ) -> CommandFailure {
        CommandFailure(
            code, message, status: ErrorTable.exit(code, in: section),
            details: details.compactMap { name, value in value.map { (name, $0) } })
    }

    private static func store(_ error: StoreError) -> CommandFailure {
        var pid: Int32?
        if case .lockedBy(_, let holder) = error { pid = holder }
        return listed(
            error.code, error.description, ErrorTable.store,
            [("path", .string(error.path)), ("pid", pid.map { .integer(Int($0)) })])
    }

    private static func item(_ error: ItemError) -> CommandFailure {
        var path: JSONDetail?
        if case .refused(_, let text) = error { path = .string(text) }
        return listed(
            error.code, "Expected: \(error.expectation). \(error.nextStep)", ErrorTable.items,
            [("offset", error.offset.map { .number(JSONNumber($0)) }), ("path", path)])
    }

    private static func sender(_ error: SenderError) -> CommandFailure {
        var pid: Int32?
        if case .alreadyServing(let holder) = error { pid = holder }
        return listed(error.code, error.description, ErrorTable.phone, [("pid", pid.map { .integer(Int($0)) })])
    }

    private static func client(_ error: ClientError) -> CommandFailure {
        var status: Int?
        if case .refused(_, let answered, _, _) = error { status = answered }
        let section =
            if case .unreadableDay = error { ErrorTable.archiveWire } else { ErrorTable.archive }
        return listed(error.code, error.description, section, [("http_status", status.map(JSONValue.integer))])
    }

    private static func daemon(_ error: ReceiverDaemonError) -> CommandFailure {
        var pid: Int32?
        if case .alreadyRunning(let holder) = error { pid = holder }
        return listed(error.code, error.message, ErrorTable.controlRoutes, [("pid", pid.map { .integer(Int($0)) })])
    }
}
