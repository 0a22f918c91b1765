import Foundation

/// The gate of corpus-protocol.md 13.1: does an `open` belong to something that was asked for?
///
/// The stored job counts as well as a running request, so that replays for finished jobs are answered
/// (extensions.md 9.8).
public struct RequestGate: Sendable, Equatable {
    /// What is stored of the job that the `open` names.
    public struct Request: Sendable, Equatable {
        /// The corpus mode that follows from the request's response mode.
        public var mode: CorpusMode
        /// The requested labels; nil while the source has not said which days it has.
        public var dateIdentifiers: [String]?
        /// The installation that the job is bound to.
        public var peerInstallationID: UUID
        /// The raw profile that was asked for.
        public var rawProfile: RawProfile?
        /// The selection that was asked for.
        public var canonicalSelection: CanonicalSelection?

        /// A stored job.
        public init(
            mode: CorpusMode, dateIdentifiers: [String]?, peerInstallationID: UUID, rawProfile: RawProfile?,
            canonicalSelection: CanonicalSelection?
        ) {
            self.mode = mode
            self.dateIdentifiers = dateIdentifiers
            self.peerInstallationID = peerInstallationID
            self.rawProfile = rawProfile
            self.canonicalSelection = canonicalSelection
        }
    }

    /// Says why an `open` does not fit; nil when it does.
    ///
    /// - Parameters:
    ///   - request: the stored job of that id that we started; nil when there is none, or the source started it.
    ///   - sourceLabels: the labels of the manifest's requested dates: its identifiers, or those that our calendar
    ///     gives in the manifest's zone.
    public static func refusal(
        of open: CorpusTransferOpen, request: Request?, peerInstallationID: UUID, sourceLabels: [String]
    ) -> OpenRefusal? {
        guard let manifest = open.exportManifest else { return .manifestMissing }
        guard let request else {
            return manifest.mode == .writeFiles ? nil : .notRequested("only file exports may be started by the source")
        }
        guard request.peerInstallationID == peerInstallationID else {
            return .notRequested("the job belongs to another device")
        }
        guard request.mode == manifest.mode else { return .notRequested("it is of another kind") }
        guard let wanted = request.dateIdentifiers else {
            return .notRequested("the days were not named before the transfer")
        }
        guard wanted == sourceLabels else { return .notRequested("it holds other days") }
        guard request.rawProfile == manifest.rawProfile else { return .notRequested("it has another raw profile") }
        guard request.canonicalSelection == manifest.canonicalSelection else {
            return .notRequested("it has another selection")
        }
        return nil
    }
}
