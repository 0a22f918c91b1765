import ConnectedProtocol
import DurableStore
import Foundation

extension PhoneClient {
    /// The local state, also while a service runs.
    public func status() throws -> PhoneStatus {
        let lock = try FolderLock.probe(in: folder)
        var pid: Int32?
        if case .held(let holder) = lock { pid = holder }
        return PhoneStatus(
            installationID: try store.installationID(now: clock.now().date), isServing: lock != .free,
            servingPid: pid, workstation: try workstation(), data: try data(),
            jobs: try store.jobs().map(PhoneStatus.Job.init),
            pushes: try store.queuedPushes().map {
                PhoneStatus.Push(jobID: $0.jobID, from: $0.firstDay, to: $0.lastDay)
            })
    }

    private func workstation() throws -> PhoneStatus.Workstation? {
        let trust = try store.trust()
        guard let listener = trust.trusted ?? trust.provisional else { return nil }
        return PhoneStatus.Workstation(
            installationID: listener.installationID, name: listener.displayName, host: listener.host,
            port: Int(listener.port),
            pairedAt: ProtocolDate(secondsSince2001: listener.pairedAt).unixSeconds,
            isProvisional: trust.trusted == nil)
    }

    private func data() throws -> PhoneStatus.Data? {
        guard let number = try days.generationNumbers().last else { return nil }
        let generation = try days.generation(number)
        return PhoneStatus.Data(
            generation: number, timeZone: generation.zone.identifier,
            firstDay: generation.dayRange?.lowerBound.description,
            lastDay: generation.dayRange?.upperBound.description, recordCount: generation.report.storedRecordCount,
            isComplete: generation.report.isComplete, leftOutCount: generation.report.leftOutCount,
            gaps: try generation.gaps())
    }
}

extension PhoneStatus.Job {
    fileprivate init(_ read: PhoneStore.ReadJob) {
        switch read.job {
        case .failure:
            self.init(
                jobID: read.jobID, origin: "", mode: "", state: "damaged", processedDays: 0, totalDays: 0,
                committedPartitions: 0, committedBytes: 0, updatedAt: 0)
        case .success(let job):
            let journal = job.journal
            self.init(
                jobID: read.jobID, origin: journal.origin.rawValue, mode: journal.manifest.mode.rawValue,
                state: journal.status.state.rawValue, firstDay: journal.manifest.requestedDateIdentifiers?.first,
                lastDay: journal.manifest.requestedDateIdentifiers?.last,
                processedDays: journal.progress.completedItemCount, totalDays: journal.manifest.transferDates.count,
                committedPartitions: journal.progress.committedPartitionCount,
                committedBytes: journal.progress.committedByteCount, message: journal.progress.statusMessage,
                updatedAt: journal.progress.updatedAt.unixSeconds)
        }
    }
}

extension ProtocolDate {
    /// Whole seconds since 1970, rounded down.
    fileprivate var unixSeconds: Int64 { Int64(secondsSince1970.rounded(.down)) }
}
