import CanonicalJSON
import ConnectedProtocol
import DurableStore
import Foundation
import HealthData
import HealthExport
import HealthRecords
import Transport

/// The phone side as the command line sees it (extensions.md 4): every command is one call.
///
/// Errors are `SenderError`, `ExportError`, `HealthDataError` or `StoreError`; each has a stable `code` and a sentence. Calls block on
/// disks and sockets: never from Swift's cooperative threads.
public final class PhoneClient: Sendable {
    /// What is not stored.
    public struct Options: Sendable {
        /// The state folder.
        public var dataDirectory: String
        /// The name that the workstation shows.
        public var deviceName: String
        /// The program's version.
        public var version: String?
        /// Chunks on their way that are offered, 1…8.
        public var maximumWindow: Int

        /// Options with the published defaults.
        public init(
            dataDirectory: String, deviceName: String = Options.hostName(), version: String? = nil,
            maximumWindow: Int = PeerCapabilities.standardWindow
        ) {
            self.dataDirectory = dataDirectory
            self.deviceName = deviceName
            self.version = version
            self.maximumWindow = maximumWindow
        }

        /// The computer's own name. It travels inside the secured connection only (extensions.md 2.8).
        public static func hostName() -> String {
            var buffer = [CChar](repeating: 0, count: 256)
            guard gethostname(&buffer, buffer.count - 1) == 0 else { return "healthmd" }
            let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return name.isEmpty ? "healthmd" : name
        }
    }

    let options: Options
    let folder: Directory
    let store: PhoneStore
    let days: DayStore
    let clock = SystemClock()

    /// Opens the phone folder of a state folder, and makes it when it is missing.
    public init(_ options: Options) throws {
        self.options = options
        folder = try StateFolders(path: options.dataDirectory).folder(.phone)
        store = try PhoneStore(folder: folder)
        days = try DayStore.open(in: folder)
    }

    // MARK: Data

    /// Reads exports into a new generation and lets go of those that no job reads any more.
    public func importExport(
        paths: [String], timeZone: String? = nil, sources: [String]? = nil, rescue: Bool = false,
        replacesLonger: Bool = false, progress: @escaping (ImportProgress) throws -> Void = { _ in }
    ) throws -> ImportReport {
        var exportOptions = ExportOptions()
        exportOptions.rescue = rescue
        let now = Instant(secondsSince2001: clock.now().wall)
        let report = try days.importExport(
            paths: paths, timeZone: timeZone, sources: sources, options: exportOptions, replacesLonger: replacesLonger,
            now: now, progress: progress)
        try days.removeGenerations(keeping: try store.generationsInUse())
        return report
    }

    /// The canonical document of a day as it would be sent, with all metrics.
    ///
    /// - Parameter compact: without white space and with `\/` as `/` (corpus-protocol.md 14), so that the bytes are those that
    ///   `extract` prints.
    public func show(day text: String, detail: HealthData.DetailLevel = .summary, compact: Bool = false) throws
        -> [UInt8]
    {
        guard let day = CivilDate(text) else { throw SenderError.invalidDays(text) }
        let library = StoredLibrary(store: days)
        guard let generation = try library.currentGeneration() else { throw SenderError.nothingImported }
        let source = try library.open(generation)
        let coverage = try source.coverage()
        guard coverage?.contains(day) == true else {
            throw SenderError.dayNotImported(
                day.description, first: coverage?.lowerBound.description, last: coverage?.upperBound.description)
        }
        let version = DocumentVersion(rawValue: try settings().documentVersion) ?? .v8
        let bytes: [UInt8]
        if detail == .lossless {
            // Straight from the records: as a tree they are many times the document.
            bytes = try source.losslessDay(of: day, metricIDs: nil, version: version).bytes
        } else {
            let record = try source.record(of: day, metricIDs: nil, includesArchive: false)
            bytes = try DayDocument(record, detail: detail, version: version).canonicalBytes()
        }
        return compact ? try JSONCompactor().copy(bytes).bytes : bytes
    }

    // MARK: Settings

    /// The saved settings.
    public func settings() throws -> PhoneSettings { try PhoneSettings(stored: store.settings()) }

    /// Changes several settings together, or none. Returns the settings as they then are.
    public func setSettings(_ changes: [(key: String, value: String)]) throws -> PhoneSettings {
        var settings = try settings()
        try settings.set(changes)
        let stored = settings.stored
        try store.setSettings(changes.map { ($0.key, stored[$0.key]) })
        return settings
    }

    /// Restores the defaults of several settings, or of all (nil). Returns the settings as they then are.
    public func resetSettings(_ keys: [String]?) throws -> PhoneSettings {
        var settings = try settings()
        let names = keys ?? settings.stored.keys.sorted()
        try settings.reset(names)
        try store.setSettings(names.map { ($0, nil) })
        return settings
    }

    // MARK: Trust

    /// Pairs with a workstation; a failure leaves the trust in force.
    public func pair(host: String, port: UInt16 = 17_646, code: String) throws -> PairingReport {
        // Nothing is sent, and nothing else is tried, for a code that cannot be right.
        _ = try Pairing.digits(of: code)
        return try dialling { configuration in
            let session = try Pairing(
                installationID: configuration.installationID, hello: OwnHello(configuration.capabilities),
                store: store, clock: clock
            ).run(host: host, port: port, code: code)
            return PairingReport(
                installationID: session.installationID, name: session.displayName, host: host, port: Int(port),
                secureRecords: session.secureRecordVersion != nil)
        }
    }

    /// Drops all trust; tells whether there was any. Unfinished jobs stay.
    public func forget() throws -> Bool {
        var trust = try store.trust()
        let hadTrust = trust.trusted != nil || trust.provisional != nil
        trust.forget()
        try store.setTrust(trust)
        return hadTrust
    }

    // MARK: Service

    /// Connects to the paired workstation, answers its requests, resumes unfinished jobs and reconnects, until the token is set.
    ///
    /// - Parameter ready: called once, when nothing stands in the way any more: a trust is there and no other process dials.
    public func serve(
        _ token: StopToken, report: @escaping @Sendable (SenderEvent) -> Void = { _ in }, ready: () -> Void = {}
    ) throws {
        guard !(try store.trust()).candidates(at: clock.now()).isEmpty else { throw SenderError.notPaired }
        try dialling { configuration in
            let service = try service(configuration, report: report)
            ready()
            try service.run(token)
        }
    }

    /// Seconds that a push without a service waits for the workstation to be there and ready.
    public static let pushPatience = 30.0

    /// Queues a source-initiated export of files. A running service sends it; without one this call does, and waits for its end.
    ///
    /// A push that could not begin within `patience` seconds stays queued for the next service.
    public func push(
        from first: String, to last: String, token: StopToken = StopToken(), patience: Double = pushPatience,
        report: @escaping @Sendable (SenderEvent) -> Void = { _ in }
    ) throws -> PushReport {
        guard let from = CivilDate(first), let to = CivilDate(last), from <= to else {
            throw SenderError.invalidDays("from \(first) to \(last)")
        }
        guard try days.generationNumbers().last != nil else { throw SenderError.nothingImported }
        guard !(try store.trust()).candidates(at: clock.now()).isEmpty else { throw SenderError.notPaired }
        let push = QueuedPush(
            jobID: UUID(), firstDay: from.description, lastDay: to.description, queuedAt: clock.now().date)
        try store.queuePush(push)
        do {
            try dialling { configuration in
                let hasBegun = Flag()
                let hasEnded = Flag()
                let isForgotten = Flag()
                let giveUp = clock.now().monotonic + patience
                try service(configuration) { event in
                    if event == .pairAgain { isForgotten.set() }
                    if event.isStart(of: push.jobID) { hasBegun.set() }
                    if event.isEnd(of: push.jobID) { hasEnded.set() }
                    report(event)
                }.run(
                    token,
                    isDone: {
                        hasEnded.isSet || isForgotten.isSet || !hasBegun.isSet && clock.now().monotonic >= giveUp
                    })
                if isForgotten.isSet { throw SenderError.pairAgain }
            }
        } catch SenderError.alreadyServing {
            return PushReport(jobID: push.jobID, state: "queued", message: nil, filesWritten: nil)
        }
        return try pushReport(push)
    }

    private func pushReport(_ push: QueuedPush) throws -> PushReport {
        guard let job = try store.job(push.jobID) else {
            let isQueued = try store.queuedPushes().contains(push)
            let message =
                isQueued
                ? "The workstation is not there or not ready. `healthmd phone serve` sends the push when it is."
                : "The push could not become a job."
            return PushReport(
                jobID: push.jobID, state: isQueued ? "queued" : "failed", message: message, filesWritten: nil)
        }
        let manifest = job.journal.manifest
        let labels = Dictionary(
            zip(manifest.requestedDates, manifest.requestedDateIdentifiers ?? []),
            uniquingKeysWith: { first, _ in first })
        let failed = (job.result?.failedDateDetails ?? []).prefix(PushReport.failedDayLimit).compactMap { detail in
            labels[detail.date].map { PushReport.FailedDay(date: $0, code: detail.reason.rawValue) }
        }
        return PushReport(
            jobID: push.jobID, state: job.journal.status.state.rawValue, message: job.journal.progress.statusMessage,
            filesWritten: job.result?.totalFilesWritten, successCount: job.result?.successCount,
            totalCount: job.result?.totalCount, failedDays: failed)
    }

    func service(
        _ configuration: SenderEngine.Configuration, report: @escaping @Sendable (SenderEvent) -> Void
    ) throws -> PhoneService {
        try PhoneService(
            store: store, library: StoredLibrary(store: days), configuration: configuration, report: report)
    }

    /// Does something as the process that dials: with the lock of the phone folder (extensions.md 4).
    func dialling<Result>(_ body: (SenderEngine.Configuration) throws -> Result) throws -> Result {
        let lock: FolderLock
        do {
            lock = try FolderLock.take(in: folder)
        } catch {
            guard case .lockedBy(_, let pid) = error else { throw error }
            throw SenderError.alreadyServing(pid: pid)
        }
        defer { withExtendedLifetime(lock) {} }
        return try body(
            SenderEngine.Configuration(
                installationID: try store.installationID(now: clock.now().date), deviceName: options.deviceName,
                maximumWindow: options.maximumWindow, appVersion: options.version))
    }
}

extension SenderEvent {
    /// Whether the event is the first one of a job.
    fileprivate func isStart(of jobID: UUID) -> Bool {
        if case .jobAccepted(jobID, _, _) = self { return true }
        return false
    }

    /// Whether the event is the last one of a job.
    fileprivate func isEnd(of jobID: UUID) -> Bool {
        switch self {
        case .jobEnded(jobID, _, _), .pushDropped(jobID, _): true
        default: false
        }
    }
}
