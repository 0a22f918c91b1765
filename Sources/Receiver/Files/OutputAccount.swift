import ConnectedProtocol
import HealthData

/// What the finalization of a file job has written so far (export-formats.md 12): stored with the commit frontier, so
/// that a restart goes on counting where it stopped.
///
/// Only days that did not succeed are listed: with the frontier they say which did.
struct OutputAccount: Codable, Hashable, Sendable {
    /// Files by category. Only files whose write finished are counted.
    var breakdown = OutputBreakdown()
    /// Requested days that failed or have no data, with the reason, in order.
    var failedDates: [FailedDateDetail] = []
    /// Requested days whose only output was skipped, in order.
    var skippedDates: [ProtocolDate] = []
    /// What did not fail a day.
    var partialFailures: [ConnectedProtocol.PartialFailure] = []
    /// Whether a warning list was cut at ``partialFailureLimit``.
    var partialFailuresWereCut = false
    /// Where the unfinished archive may be continued; nil before its first entry (export-formats.md 8).
    var archive: ZipArchiveWriter.Checkpoint?
    /// The journaled range plan of a pinned job; nil before it is spooled whole, and for all other jobs
    /// (corpus-protocol.md 13.6).
    var rangePlan: RangePlan.Mark?
    /// Whether a roll-up, the archive or the dictionary could not be written for good; absent means no.
    var hasFailedAggregate: Bool?

    /// The most warnings that are kept of one job.
    static let partialFailureLimit = 1_000

    /// All files written.
    var fileCount: Int {
        breakdown.looseAggregateFileCount + breakdown.individualEntryFileCount + breakdown.dataDictionaryFileCount
            + breakdown.zipArchiveFileCount + breakdown.rollupFileCount + breakdown.providerSidecarFileCount
            + breakdown.unclassifiedFileCount
    }

    /// Counts a loose file that is in its place.
    mutating func count(_ kind: OutputKind) {
        switch kind {
        case .day: breakdown.looseAggregateFileCount += 1
        case .entry: breakdown.individualEntryFileCount += 1
        case .sidecar: breakdown.providerSidecarFileCount += 1
        case .rollup: breakdown.rollupFileCount += 1
        case .dictionary: breakdown.dataDictionaryFileCount += 1
        }
    }

    /// Adds a warning, up to the limit.
    mutating func add(_ failure: ConnectedProtocol.PartialFailure) {
        guard partialFailures.count < OutputAccount.partialFailureLimit else {
            partialFailuresWereCut = true
            return
        }
        partialFailures.append(failure)
    }

    /// Of the days before the frontier those that succeeded in everything that was asked for.
    func succeededDates(among requested: [ProtocolDate], frontier: Int) -> [ProtocolDate] {
        let others = Set(failedDates.map(\.date)).union(skippedDates)
        return requested.prefix(frontier).filter { !others.contains($0) }
    }

    /// Of the days before the frontier those whose result is durable: days without data count (corpus-protocol.md 13.4).
    func completedDates(among requested: [ProtocolDate], frontier: Int) -> [ProtocolDate] {
        let failed = Set(failedDates.filter { $0.reason != .noHealthData }.map(\.date))
        return requested.prefix(frontier).filter { !failed.contains($0) }
    }
}
