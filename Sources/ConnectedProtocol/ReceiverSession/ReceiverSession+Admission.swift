import Foundation

/// What an `open` is answered.
public struct OpenAnswer: Sendable, Equatable {
    /// The four dispositions, with what goes with each.
    public enum Verdict: Sendable, Equatable {
        /// One admission was granted; `isNewSession` says that the journal must be made durable first.
        case granted(PartitionDisposition, isNewSession: Bool)
        /// This index and digest are durable.
        case alreadyCommitted
        /// Refused.
        case rejected(OpenRefusal)
    }

    /// The answer.
    public let verdict: Verdict
    /// The value of `nextPartitionIndex`.
    public let nextPartitionIndex: Int
}

extension ReceiverSession {
    /// How far a peer's clock may be ahead, in seconds (corpus-protocol.md 21).
    public static let allowedClockSkewSeconds: Double = 300
    /// Bytes that stay free whatever is planned (corpus-protocol.md 21).
    public static let freeSpaceReserveBytes: Int64 = 134_217_728
    /// The least room that application storage must have besides the reserve (corpus-protocol.md 13.2.9).
    public static let minimumWorkingBytes: Int64 = 134_217_728

    /// Admits an `open` in the order of corpus-protocol.md 13.2, or says why not.
    ///
    /// `slot` is the stored session of that id, whatever its state; nil when there is none. On a grant it holds the
    /// session with its admission. Nothing changes on any other answer.
    public static func admit(
        _ open: CorpusTransferOpen, into slot: inout ReceiverSession?, facts: AdmissionFacts
    ) -> OpenAnswer {
        do {
            return try decide(open, &slot, facts)
        } catch {
            return OpenAnswer(verdict: .rejected(error), nextPartitionIndex: slot?.nextPartitionIndex ?? 0)
        }
    }

    private static func decide(
        _ open: CorpusTransferOpen, _ slot: inout ReceiverSession?, _ facts: AdmissionFacts
    ) throws(OpenRefusal) -> OpenAnswer {
        guard let negotiation = facts.negotiation else { throw .notNegotiated }
        if let refusal = facts.gateRefusal { throw refusal }
        guard let manifest = open.exportManifest else { throw .manifestMissing }
        try checkIdentity(open, manifest, negotiation, facts)
        try checkMode(manifest, protocolVersion: open.session.protocolVersion, facts)
        var session = try opened(open, manifest, slot, facts)
        try session.checkSpace(for: open.partition, facts)
        let index = open.partition.index
        if index < session.nextPartitionIndex {
            guard session.journal.committedPartitions[index].sha256 == open.partition.sha256 else {
                throw .committedDigest(index: index)
            }
            return OpenAnswer(verdict: .alreadyCommitted, nextPartitionIndex: session.nextPartitionIndex)
        }
        switch session.journal.state {
        case .open: break
        case .finalizing: throw .sessionFinalizing
        case .completed, .cancelled, .failed: throw .sessionEnded
        }
        guard index == session.nextPartitionIndex,
            open.partition.previousSHA256 == session.journal.lastPartitionSHA256
        else { throw .chain(expectedIndex: session.nextPartitionIndex) }
        let isNew = slot == nil
        session.admission = open.partition
        slot = session
        let disposition: PartitionDisposition = index == 0 ? .accept : .resume
        return OpenAnswer(verdict: .granted(disposition, isNewSession: isNew), nextPartitionIndex: index)
    }

    /// Steps 1 to 5.
    private static func checkIdentity(
        _ open: CorpusTransferOpen, _ manifest: ExportManifest, _ negotiation: CorpusNegotiation,
        _ facts: AdmissionFacts
    ) throws(OpenRefusal) {
        let session = open.session
        if let error = facts.manifestError { throw .manifestInvalid(error) }
        guard session.requestFingerprint == manifest.fingerprint else { throw .fingerprintMismatch }
        guard CorpusCapabilities.knownVersions.contains(session.protocolVersion) else {
            throw .unknownVersion(session.protocolVersion)
        }
        guard negotiation.sharedVersions.contains(session.protocolVersion) else {
            throw .versionNotNegotiated(session.protocolVersion)
        }
        if let binding = session.peerBinding {
            guard session.protocolVersion >= 2, negotiation.isDurable,
                binding.sourceInstallationID == facts.peerInstallationID,
                binding.destinationInstallationID == facts.ownInstallationID
            else { throw .peerBinding }
        }
        let age = facts.now.secondsSince2001 - session.createdAt.secondsSince2001
        guard session.createdAt == manifest.createdAt, age >= -allowedClockSkewSeconds,
            age < DestinationJournal.retentionSeconds
        else { throw .createdAt }
        guard Set(open.partition.sourceDates).isSubset(of: manifest.transferDates) else { throw .partitionDates }
    }

    /// Steps 6 and 7.
    private static func checkMode(
        _ manifest: ExportManifest, protocolVersion: Int, _ facts: AdmissionFacts
    ) throws(OpenRefusal) {
        switch manifest.mode {
        case .strictRaw:
            guard let identifiers = manifest.requestedDateIdentifiers,
                identifiers.count == manifest.requestedDates.count
            else { throw .identifiersMissing }
        case .encryptedContext: throw .unsupportedMode
        case .writeFiles:
            guard !manifest.isPinnedRollup || protocolVersion >= CorpusNegotiation.rangePlanVersion else {
                throw .rangePlanVersion(protocolVersion)
            }
            if case .unusable(let reason) = facts.destination { throw .destination(reason) }
        }
    }

    /// Step 8: the same session, or a new one.
    private static func opened(
        _ open: CorpusTransferOpen, _ manifest: ExportManifest, _ slot: ReceiverSession?, _ facts: AdmissionFacts
    ) throws(OpenRefusal) -> ReceiverSession {
        if facts.hasUnreadableState { throw .unreadableState }
        if let stored = slot {
            guard stored.journal.session == open.session, stored.journal.manifest == manifest else {
                throw .sessionChanged
            }
            return stored
        }
        guard facts.otherActiveSession == nil else { throw .otherSessionActive }
        return ReceiverSession(session: open.session, manifest: manifest)
    }

    /// Step 9. The projected total is what is durable plus this partition (extensions.md 5).
    private func checkSpace(for partition: PartitionDescriptor, _ facts: AdmissionFacts) throws(OpenRefusal) {
        let reserve = ReceiverSession.freeSpaceReserveBytes
        let projected = journal.totalPartitionBytes &+ partition.byteCount
        var working = max(2 * partition.byteCount, ReceiverSession.minimumWorkingBytes)
        if journal.manifest.mode == .strictRaw { working = max(ReceiverSession.doubled(projected), working) }
        let needed = ReceiverSession.sum(working, reserve, facts.storageBytesReservedByOthers)
        guard facts.freeStorageBytes >= needed else { throw .storageSpace(neededBytes: needed) }
        if case .ready(let freeBytes) = facts.destination, journal.manifest.mode == .writeFiles {
            let formats = Int64(max(1, journal.manifest.settings.exportFormats.count))
            let (product, overflow) = projected.multipliedReportingOverflow(by: formats)
            let neededThere = ReceiverSession.sum(overflow ? .max : product, reserve)
            guard freeBytes >= neededThere else { throw .destinationSpace(neededBytes: neededThere) }
        }
    }

    private static func doubled(_ value: Int64) -> Int64 {
        let (product, overflow) = value.multipliedReportingOverflow(by: 2)
        return overflow ? .max : product
    }

    private static func sum(_ values: Int64...) -> Int64 {
        values.reduce(0) { total, value in
            let (result, overflow) = total.addingReportingOverflow(value)
            return overflow ? .max : result
        }
    }
}

// MARK: - The start of a transfer

extension ReceiverSession {
    /// Uses up the admission for a transfer start (corpus-protocol.md 13.3). Repeats of a running transfer never come
    /// here: the transfer machine answers them.
    ///
    /// False means abort with `invalid_manifest`.
    public mutating func useAdmission(for descriptor: PartitionDescriptor) -> Bool {
        guard journal.state == .open, admission == descriptor, descriptor.index == nextPartitionIndex,
            descriptor.previousSHA256 == journal.lastPartitionSHA256
        else { return false }
        admission = nil
        return true
    }
}
