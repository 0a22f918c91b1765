import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

/// What the engine itself adds to the admission of a session.
@Suite struct SessionAdmissionTests {
    @Test("a folder of the session's name that no row knows is not adopted, and the next start removes it")
    func strayFolder() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partition = try phone.partitions()[0]
        try FileManager.default.createDirectory(
            atPath: rig.root + "/state/sessions/\(phone.session.sessionID.uuidString)/items",
            withIntermediateDirectories: true)
        #expect(try rig.transfer(partition, of: phone).disposition == .reject)
        try rig.restart()
        rig.connect()
        #expect(try rig.transfer(partition, of: phone).disposition == .accept)
    }

    @Test("what a phone did not negotiate is refused: sessions, partitions, bounded transfers")
    func negotiation() throws {
        let rig = try EngineRig()
        func aborts() -> [AbortReason] {
            rig.settle()
            return rig.channel.take().aborts.map(\.reason)
        }
        let whole = EngineRig.phoneCapabilities(rig.phoneID)
        let phone = try rig.filePhone(UUID())
        let partition = try phone.partitions()[0]
        let start = SyncMessage.transferStart(
            TransferStart(transferID: partition.transferID, partition: partition.descriptor))
        for (missing, reason) in [
            (PeerCapability.partitionedConnectedExports, AbortReason.invalidManifest),
            (.sizeBoundedConnectedTransfers, .unsupported),
        ] {
            var capabilities = whole
            capabilities.flags.remove(missing)
            rig.connect(capabilities)
            let disposition = try rig.transfer(partition, of: phone).disposition
            #expect(missing == .sizeBoundedConnectedTransfers || disposition == .reject)
            _ = rig.channel.take()
            rig.send(start)
            #expect(aborts() == (disposition == .reject ? [reason] : [.unsupported]), "\(missing)")
        }
        var capabilities = whole
        capabilities.flags.remove(.durableConnectedExportRecovery)
        rig.connect(capabilities)
        #expect(try rig.transfer(partition, of: phone).disposition == .reject)
        rig.connect(whole)
        #expect(try rig.transfer(partition, of: phone).disposition != .reject)
    }

    @Test("a manifest of an unknown time zone, or with a day outside of the calendar, is refused")
    func calendar() throws {
        let rig = try EngineRig()
        rig.connect()
        for (zone, second) in [("Mars/Olympus_Mons", 790_000_000.0), ("UTC", 1e300)] {
            var phone = try rig.filePhone(UUID())
            let content = ManifestContent(
                mode: .writeFiles, createdAt: phone.session.createdAt, sourceDeviceName: "Phone",
                sourceTimeZoneIdentifier: zone, requestedDates: [ProtocolDate(secondsSince2001: second)],
                requestedDateIdentifiers: nil)
            phone.manifest = try ExportManifest(content, settings: SettingsSnapshot(SettingsContent()))
            phone.session = try CorpusSession(
                sessionID: UUID(), jobID: UUID(), requestFingerprint: phone.manifest.fingerprint, protocolVersion: 4,
                partitionTargetBytes: 50_331_648, createdAt: phone.session.createdAt,
                peerBinding: phone.session.peerBinding)
            let descriptor = try PartitionDescriptor(
                sessionID: phone.session.sessionID, jobID: phone.session.jobID, index: 0,
                sourceDates: content.requestedDates, byteCount: 1_000, sha256: phone.manifest.fingerprint.sha256,
                previousSHA256: nil)
            let partition = FakePhone.Partition(descriptor: descriptor, bytes: [])
            #expect(try rig.transfer(partition, of: phone).disposition == .reject, "\(zone)")
        }
    }

    @Test("a job of a durable phone keeps its session: another one is refused, also after a disconnect")
    func oneSessionPerJob() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        try rig.transfer(try phone.partitions(payloadBytes: 900)[0], of: phone)
        rig.disconnect()
        rig.connect()
        let other = try rig.filePhone(id)
        #expect(try rig.transfer(try other.partitions()[0], of: other).disposition == .reject)
        #expect(try rig.transfer(try phone.partitions(payloadBytes: 900)[1], of: phone).disposition == .resume)
    }
}
