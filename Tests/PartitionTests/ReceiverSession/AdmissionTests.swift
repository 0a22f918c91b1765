import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite struct AdmissionTests {
    private func answer(
        _ fixture: DestinationFixture, _ slot: inout ReceiverSession?, _ partition: PartitionDescriptor? = nil,
        change: (inout AdmissionFacts) -> Void = { _ in }
    ) throws -> OpenAnswer {
        let partition = try partition ?? fixture.descriptor(fixture.file(0, fixture.items.map { ($0, 1_000) }))
        return ReceiverSession.admit(try fixture.open(partition), into: &slot, facts: fixture.facts(change))
    }

    private func refusal(
        _ fixture: DestinationFixture, change: (inout AdmissionFacts) -> Void = { _ in }
    ) throws -> OpenRefusal? {
        var slot: ReceiverSession?
        guard case .rejected(let refusal) = try answer(fixture, &slot, change: change).verdict else { return nil }
        #expect(slot == nil)
        return refusal
    }

    @Test("the first open of a session is granted and makes a new session")
    func firstOpen() throws {
        let fixture = try DestinationFixture()
        var slot: ReceiverSession?
        let answer = try answer(fixture, &slot)
        #expect(answer.verdict == .granted(.accept, isNewSession: true) && answer.nextPartitionIndex == 0)
        #expect(slot?.journal.state == .open && slot?.admission != nil)
    }

    @Test("an open without a manifest, or with another fingerprint, is refused")
    func manifest() throws {
        let fixture = try DestinationFixture()
        let descriptor = try fixture.descriptor(fixture.file(0, fixture.items.map { ($0, 1_000) }))
        var slot: ReceiverSession?
        let bare = try CorpusTransferOpen(session: fixture.session, partition: descriptor, exportManifest: nil)
        #expect(
            ReceiverSession.admit(bare, into: &slot, facts: fixture.facts()).verdict == .rejected(.manifestMissing))
        let other = try DestinationFixture(dayCount: 3)
        let swapped = try CorpusTransferOpen(
            session: fixture.session, partition: descriptor, exportManifest: other.manifest)
        #expect(
            ReceiverSession.admit(swapped, into: &slot, facts: fixture.facts()).verdict
                == .rejected(.fingerprintMismatch))
    }

    @Test("a manifest that the calendar finds wrong is refused by its rule")
    func calendar() throws {
        let fixture = try DestinationFixture()
        #expect(try refusal(fixture) { $0.manifestError = .timeZone } == .manifestInvalid(.timeZone))
        #expect(OpenRefusal.manifestInvalid(.timeZone).code == "manifest_time_zone")
    }

    @Test("versions 1 to 4 are known, others are refused", arguments: [1, 2, 3, 4, 5])
    func versions(_ version: Int) throws {
        let fixture = try DestinationFixture(version: version)
        #expect(try refusal(fixture) == (version <= 4 ? nil : .unknownVersion(version)))
    }

    @Test("without corpus transfers in common nothing is opened; a session's version is one that both announced")
    func negotiation() throws {
        let fixture = try DestinationFixture(version: 4)
        #expect(try refusal(fixture) { $0.negotiation = nil } == .notNegotiated)
        #expect(
            try refusal(fixture) { $0.negotiation = DestinationFixture.negotiation(versions: [2, 3]) }
                == .versionNotNegotiated(4))
        // A session that began before an update goes on with its own version.
        #expect(try refusal(DestinationFixture(version: 2)) == nil)
        #expect(
            try refusal(fixture) { $0.negotiation = DestinationFixture.negotiation(isDurable: false) } == .peerBinding)
        #expect(
            try refusal(DestinationFixture(binding: nil)) {
                $0.negotiation = DestinationFixture.negotiation(isDurable: false)
            } == nil)
    }

    @Test("a binding names the connected peer and us; without one the session is not durable but allowed")
    func binding() throws {
        let fixture = try DestinationFixture()
        #expect(try refusal(fixture) { $0.peerInstallationID = UUID() } == .peerBinding)
        #expect(try refusal(fixture) { $0.ownInstallationID = UUID() } == .peerBinding)
        #expect(try refusal(DestinationFixture(binding: nil)) == nil)
    }

    @Test(
        "a session may be 5 minutes ahead and is younger than 7 days",
        arguments: [(300.0, true), (300.5, false), (-604_799.5, true), (-604_800.0, false)])
    func createdAt(_ offset: Double, _ isTaken: Bool) throws {
        let fixture = try DestinationFixture(createdAt: DestinationFixture.now.adding(seconds: offset))
        #expect(try refusal(fixture) == (isTaken ? nil : .createdAt))
    }

    @Test("partition dates are transfer dates")
    func partitionDates() throws {
        let fixture = try DestinationFixture()
        let other = try DestinationFixture(dayCount: 3)
        var slot: ReceiverSession?
        let file = try fixture.file(0, [(other.items[2], 1_000)])
        #expect(
            try answer(fixture, &slot, fixture.descriptor(file)).verdict == .rejected(.partitionDates))
    }

    @Test("encrypted context is refused, and so is an unusable destination for files")
    func modes() throws {
        let context = try DestinationFixture(mode: .encryptedContext) {
            $0.canonicalSelection = CanonicalSelection(metricIDs: ["steps"], detailLevel: .summary)
            $0.selectedSourceIDs = ["apple_health"]
        }
        #expect(try refusal(context) == .unsupportedMode)
        let files = try DestinationFixture(mode: .writeFiles)
        #expect(try refusal(files) == nil)
        #expect(try refusal(files) { $0.destination = .unusable("gone") } == .destination("gone"))
        #expect(try refusal(files) { $0.gateRefusal = .notRequested("x") } == .notRequested("x"))
    }

    @Test("roll-ups with a pinned engine need protocol version 3; roll-ups or a pin alone do not", arguments: 1...4)
    func rangePlan(version: Int) throws {
        for (isPinned, wantsRollups) in [(true, true), (true, false), (false, true)] {
            let fixture = try DestinationFixture(
                mode: .writeFiles, version: version,
                settings: try RollupSettings.content(isPinned: isPinned, wantsRollups: wantsRollups))
            #expect(fixture.manifest.isPinnedRollup == (isPinned && wantsRollups))
            let expected = isPinned && wantsRollups && version < 3 ? OpenRefusal.rangePlanVersion(version) : nil
            #expect(try refusal(fixture) == expected)
        }
    }

    @Test("one live session per phone; a folder that cannot be believed is not adopted")
    func oneSession() throws {
        let fixture = try DestinationFixture()
        #expect(try refusal(fixture) { $0.otherActiveSession = UUID() } == .otherSessionActive)
        #expect(try refusal(fixture) { $0.hasUnreadableState = true } == .unreadableState)
        var slot: ReceiverSession?
        _ = try answer(fixture, &slot)
        var changed = fixture
        changed.session = try CorpusSession(
            sessionID: fixture.session.sessionID, jobID: fixture.session.jobID,
            requestFingerprint: fixture.manifest.fingerprint, protocolVersion: 3, partitionTargetBytes: 50_331_648,
            createdAt: fixture.session.createdAt, peerBinding: fixture.session.peerBinding)
        #expect(try answer(changed, &slot).verdict == .rejected(.sessionChanged))
    }

    @Test("space at the limit is enough, one byte less is not")
    func space() throws {
        let raw = try DestinationFixture()
        let needed = ReceiverSession.minimumWorkingBytes + ReceiverSession.freeSpaceReserveBytes
        #expect(try refusal(raw) { $0.freeStorageBytes = needed } == nil)
        #expect(
            try refusal(raw) { $0.freeStorageBytes = needed - 1 } == .storageSpace(neededBytes: needed))
        #expect(
            try refusal(raw) {
                $0.freeStorageBytes = needed
                $0.storageBytesReservedByOthers = 1
            } == .storageSpace(neededBytes: needed + 1))
        var settings = SettingsContent()
        settings.exportFormats = ["JSON", "Markdown"]
        let files = try DestinationFixture(mode: .writeFiles, settings: settings)
        let bytes = try files.file(0, files.items.map { ($0, 1_000) }).byteCount
        let there = 2 * bytes + ReceiverSession.freeSpaceReserveBytes
        #expect(try refusal(files) { $0.destination = .ready(freeBytes: there) } == nil)
        #expect(
            try refusal(files) { $0.destination = .ready(freeBytes: there - 1) }
                == .destinationSpace(neededBytes: there))
    }

    @Test("a committed index with its digest answers already_committed, with another one it is refused")
    func alreadyCommitted() throws {
        let fixture = try DestinationFixture()
        let file = try fixture.file(0, fixture.items.map { ($0, 1_000) })
        for isFinished in [false, true] {
            var session = try fixture.filled()
            if isFinished {
                _ = session.finalize(try fixture.finalize(session))
                _ = session.complete(FinalizationCounts(completedDates: fixture.dates, successCount: 2), message: nil)
            }
            var slot: ReceiverSession? = session
            let answer = try answer(fixture, &slot, fixture.descriptor(file))
            #expect(answer.verdict == .alreadyCommitted && answer.nextPartitionIndex == 1)
            #expect(slot == session)
            let other = try fixture.descriptor(file, seed: "other")
            #expect(try self.answer(fixture, &slot, other).verdict == .rejected(.committedDigest(index: 0)))
        }
    }

    @Test("an ended or finalizing session takes no new index")
    func ended() throws {
        let fixture = try DestinationFixture()
        var session = try fixture.filled()
        let next = try PartitionDescriptor(
            sessionID: session.id, jobID: fixture.session.jobID, index: 1, sourceDates: fixture.dates, byteCount: 100,
            sha256: SHA256.hash([1]), previousSHA256: session.journal.lastPartitionSHA256)
        _ = session.finalize(try fixture.finalize(session))
        var slot: ReceiverSession? = session
        #expect(try answer(fixture, &slot, next).verdict == .rejected(.sessionFinalizing))
        _ = session.fail(message: "no")
        slot = session
        #expect(try answer(fixture, &slot, next).verdict == .rejected(.sessionEnded))
    }

    @Test("the next index must follow the last committed digest; its grant is a resume")
    func chain() throws {
        let fixture = try DestinationFixture()
        var (session, _, _) = try fixture.opened()
        let half = try fixture.file(0, [(fixture.items[0], 1_000)])
        let first = try fixture.descriptor(half)
        var slot: ReceiverSession? = session
        _ = try answer(fixture, &slot, first)
        session = try #require(slot)
        #expect(try session.beginApplication(of: first) == true)
        _ = try session.commit(
            session.plan(half, sha256: first.sha256), [.complete(fixture.content(fixture.items[0]))])
        slot = session
        let wrong = try fixture.descriptor(fixture.file(1, [(fixture.items[1], 1_000)], previous: SHA256.hash([9])))
        #expect(try answer(fixture, &slot, wrong).verdict == .rejected(.chain(expectedIndex: 1)))
        let skipping = try fixture.descriptor(fixture.file(2, [(fixture.items[1], 1_000)], previous: first.sha256))
        #expect(try answer(fixture, &slot, skipping).verdict == .rejected(.chain(expectedIndex: 1)))
        let right = try fixture.descriptor(fixture.file(1, [(fixture.items[1], 1_000)], previous: first.sha256))
        let answer = try answer(fixture, &slot, right)
        #expect(answer.verdict == .granted(.resume, isNewSession: false) && answer.nextPartitionIndex == 1)
    }

    @Test("an admission is used once, a later one replaces it, and a disconnect takes it away")
    func admissionIsUsedOnce() throws {
        let fixture = try DestinationFixture()
        var (session, _, descriptor) = try fixture.opened()
        let other = try fixture.descriptor(fixture.file(0, fixture.items.map { ($0, 1_000) }), seed: "other")
        #expect(session.useAdmission(for: other) == false)
        #expect(session.useAdmission(for: descriptor) == true)
        #expect(session.useAdmission(for: descriptor) == false)
        var slot: ReceiverSession? = session
        _ = try answer(fixture, &slot, descriptor)
        _ = try answer(fixture, &slot, other)
        session = try #require(slot)
        #expect(session.useAdmission(for: descriptor) == false)
        session.disconnected()
        #expect(session.useAdmission(for: other) == false)
    }
}

@Suite struct RequestGateTests {
    @Test("an open must be what the stored job asked for; a phone may start file exports only")
    func gate() throws {
        let fixture = try DestinationFixture()
        let open = try fixture.open(fixture.descriptor(fixture.file(0, fixture.items.map { ($0, 1_000) })))
        let labels = fixture.dates.indices.map(DestinationFixture.label)
        func refusal(
            _ change: (inout RequestGate.Request) -> Void = { _ in }, labels: [String]? = nil, peer: UUID? = nil
        ) -> Bool {
            var request = RequestGate.Request(
                mode: .strictRaw, dateIdentifiers: fixture.dates.indices.map(DestinationFixture.label),
                peerInstallationID: DestinationFixture.phone, rawProfile: .canonicalSourceRecords,
                canonicalSelection: nil)
            change(&request)
            return RequestGate.refusal(
                of: open, request: request, peerInstallationID: peer ?? DestinationFixture.phone,
                sourceLabels: labels ?? fixture.dates.indices.map(DestinationFixture.label)) != nil
        }
        #expect(!refusal())
        #expect(refusal { $0.mode = .writeFiles })
        #expect(refusal { $0.dateIdentifiers = nil })
        #expect(refusal { $0.rawProfile = .healthDataProjection })
        #expect(refusal { $0.canonicalSelection = CanonicalSelection(metricIDs: ["steps"], detailLevel: .summary) })
        #expect(refusal(labels: Array(labels.dropLast())))
        #expect(refusal(peer: UUID()))
        #expect(
            RequestGate.refusal(
                of: open, request: nil, peerInstallationID: DestinationFixture.phone, sourceLabels: labels) != nil)
        let files = try DestinationFixture(mode: .writeFiles)
        let pushed = try files.open(files.descriptor(files.file(0, files.items.map { ($0, 1_000) })))
        #expect(
            RequestGate.refusal(
                of: pushed, request: nil, peerInstallationID: DestinationFixture.phone, sourceLabels: labels) == nil)
    }
}
