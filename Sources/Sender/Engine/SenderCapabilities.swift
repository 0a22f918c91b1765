import ConnectedProtocol

extension PeerCapabilities {
    /// What a sender of ours says in its hello: every flag that it really supports, the version of its corpus, and that it
    /// speaks secure records (corpus-protocol.md 3.1, extensions.md 3.1, 9.6).
    init(ofSender configuration: SenderEngine.Configuration) {
        let extensions: HelloExtensions
        do {
            extensions = .wellFormed(
                try HealthmdExtensions(
                    secureRecords: HealthmdExtensions.supportedSecureRecords, deviceName: configuration.deviceName))
        } catch {
            preconditionFailure("extensions of ours keep their rules: \(error)")
        }
        self.init(
            platform: PeerPlatform.phone, installationID: configuration.installationID,
            flags: PeerCapabilities.senderFlags, corpus: configuration.corpus,
            maximumInFlightChunks: configuration.maximumWindow, appVersion: configuration.appVersion,
            extensions: extensions)
    }

    /// Everything but the paths that this program does not walk: encrypted contexts, legacy streams, shared-core ranges.
    private static let senderFlags = Set(PeerCapability.allCases).subtracting([
        .requestScopedContextAcquisition, .iPhoneInitiatedContextRefresh, .rangeV9Summaries, .chunkedMacExportJobs,
    ])
}
