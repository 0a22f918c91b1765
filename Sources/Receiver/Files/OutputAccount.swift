import ConnectedProtocol

/// What the finalization of a file job has written so far (export-formats.md 12): stored with the commit frontier, so
/// that a restart goes on counting where it stopped.
struct OutputAccount: Codable, Hashable, Sendable {
    /// Files by category. Only files whose write finished are counted.
    var breakdown = OutputBreakdown()
    /// Requested days that succeeded in every format.
    var succeededDates: [ProtocolDate] = []
    /// Requested days whose result is durable, no-data days included.
    var completedDates: [ProtocolDate] = []
    /// Requested days that failed, with the reason.
    var failedDates: [FailedDateDetail] = []
    /// What did not fail a day.
    var partialFailures: [ConnectedProtocol.PartialFailure] = []
    /// Whether a warning list was cut at ``partialFailureLimit``.
    var partialFailuresWereCut = false

    /// The most warnings that are kept of one job.
    static let partialFailureLimit = 1_000

    /// All files written.
    var fileCount: Int {
        breakdown.looseAggregateFileCount + breakdown.individualEntryFileCount + breakdown.dataDictionaryFileCount
            + breakdown.zipArchiveFileCount + breakdown.rollupFileCount + breakdown.providerSidecarFileCount
            + breakdown.unclassifiedFileCount
    }

    /// Adds a warning, up to the limit.
    mutating func add(_ failure: ConnectedProtocol.PartialFailure) {
        guard partialFailures.count < OutputAccount.partialFailureLimit else {
            partialFailuresWereCut = true
            return
        }
        partialFailures.append(failure)
    }
}
