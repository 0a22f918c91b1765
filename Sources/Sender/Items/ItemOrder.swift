import ConnectedProtocol
import Foundation

/// What is needed to make the item of one day. All of it belongs to the job, so that a day that is made again after a crash says the
/// same.
struct ItemOrder: Sendable {
    /// The generation of the day store.
    let generation: Int
    /// The version of the session: which form the item has.
    let protocolVersion: Int
    /// The version of the day document.
    let documentVersion: Int
    /// Which payload.
    let kind: ItemKind
    /// The instant of the day.
    let sourceDate: ProtocolDate
    /// Whether it was asked for.
    let isRequestedDate: Bool
    /// The kind of raw result, for a raw day.
    let rawProfile: RawProfile?
    /// What of a raw day is wanted.
    let selection: CanonicalSelection?
    /// The settings that say what the files need, for a health day.
    let settings: SettingsSnapshot

    /// The order for a day of a job.
    init(_ job: StoredJob, sourceDate: ProtocolDate, isRequestedDate: Bool, kind: ItemKind) {
        generation = job.generation
        protocolVersion = job.journal.session.protocolVersion
        documentVersion = job.documentVersion
        self.kind = kind
        self.sourceDate = sourceDate
        self.isRequestedDate = isRequestedDate
        rawProfile = job.journal.manifest.rawProfile
        selection = job.journal.manifest.canonicalSelection
        settings = job.journal.manifest.settings
    }

    /// The metrics to compute; nil for all. A full archive is never selected from.
    var metricIDs: [String]? {
        if rawProfile == .canonicalSourceRecords { return nil }
        if let selection { return selection.metricIDs }
        let enabled = settings.metricSelection.enabledMetricIDs
        return enabled.isEmpty ? nil : enabled
    }

    /// Whether every source record goes along.
    var includesArchive: Bool {
        switch kind {
        case .strictRawDay: rawProfile == .canonicalSourceRecords || selection?.detailLevel == .lossless
        case .macHealthDay: settings.healthKitSourceArchivePolicy == .canonical
        }
    }

    /// Whether any file that the destination will write shows single samples.
    var needsSamples: Bool {
        settings.compatibilityDetail == .selectedTimeSeries || settings.individualTracking.globalEnabled
    }
}
