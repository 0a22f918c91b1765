import ConnectedProtocol
import Cryptography
import Foundation

/// A session that the engine works with: the machine, its files, and what is remembered only while it is open.
///
/// `@unchecked Sendable`: it travels through the worker's closures untouched; only the engine's queue uses it.
final class LiveSession: @unchecked Sendable {
    /// The machine. Changed only together with its rows.
    var machine: ReceiverSession
    let folder: SessionFolder
    let peerInstallationID: UUID
    /// Running digests of half items; after a restart they are made again by reading.
    var prefixHashers: [UUID: SHA256] = [:]
    /// What precedes the final acknowledgement.
    var finalMessage: [UInt8]?
    /// Days, in order, whose files are done.
    var frontier: Int
    /// What was written.
    var output: OutputAccount
    /// What finalization keeps between slices; made again from the frontier when it is nil.
    var fileMemory: FileFinalizer.Memory?
    /// Whether files may be there that ``output`` does not count: a step was cut off and has not been repeated.
    var mayHoldUncountedFiles = false
    /// Set to interrupt the present finalization work at the next boundary.
    let interruption = Interruption()

    init(
        machine: ReceiverSession, folder: SessionFolder, peerInstallationID: UUID, finalMessage: [UInt8]? = nil,
        frontier: Int = 0, output: OutputAccount = OutputAccount()
    ) {
        self.machine = machine
        self.folder = folder
        self.peerInstallationID = peerInstallationID
        self.finalMessage = finalMessage
        self.frontier = frontier
        self.output = output
    }

    var id: UUID { machine.id }
    var jobID: UUID { machine.journal.session.jobID }
    var manifest: ExportManifest { machine.journal.manifest }

    /// Requested days that succeeded so far.
    var succeededDates: [ProtocolDate] {
        output.succeededDates(among: manifest.requestedDates, frontier: frontier)
    }

    /// Requested days whose result is durable.
    var completedDates: [ProtocolDate] {
        output.completedDates(among: manifest.requestedDates, frontier: frontier)
    }
}
