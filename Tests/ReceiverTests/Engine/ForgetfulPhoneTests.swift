import Foundation
import Testing

@testable import ConnectedProtocol
@testable import Receiver

/// A phone that keeps nothing over a disconnect begins the job of a request again, with another session. What becomes of the first one
/// must not touch the job or the result of the second.
@Suite struct ForgetfulPhoneTests {
    private struct Field {
        let rig: EngineRig
        let id: UUID
        let first: FakePhone
        let second: FakePhone

        /// One partition of the first session has come, then the phone went and came back.
        init(suspendsFirst: Bool = false) throws {
            rig = try EngineRig()
            var capabilities = EngineRig.phoneCapabilities(rig.phoneID)
            capabilities.flags.remove(.durableConnectedExportRecovery)
            rig.connect(capabilities)
            (id, _) = rig.createJob(EngineRig.raw)
            first = try Self.phone(rig, id)
            second = try Self.phone(rig, id)
            let partitions = try first.partitions(payloadBytes: 900)
            for partition in suspendsFirst ? partitions : [partitions[0]] { try rig.transfer(partition, of: first) }
            if suspendsFirst {
                rig.disk.setWriteFailure(ENOSPC)
                rig.send(try first.finalize(partitions))
                rig.settle()
                rig.disk.setWriteFailure(nil)
            }
            rig.disconnect()
            rig.connect(capabilities)
            rig.settle()
        }

        private static func phone(_ rig: EngineRig, _ id: UUID) throws -> FakePhone {
            var phone = try rig.rawPhone(id)
            let session = phone.session
            phone.session = try CorpusSession(
                sessionID: session.sessionID, jobID: id, requestFingerprint: session.requestFingerprint,
                protocolVersion: session.protocolVersion, partitionTargetBytes: session.partitionTargetBytes,
                createdAt: session.createdAt, peerBinding: nil)
            return phone
        }

        func cancelFirst() -> Bool? {
            _ = rig.channel.take()
            rig.send(
                .corpusCancel(
                    CorpusTransferCancel(
                        sessionID: first.session.sessionID, jobID: id, reason: .protocolError,
                        requestedAt: ProtocolDate(secondsSince2001: rig.now.wall))))
            rig.settle()
            return rig.channel.take().compactMap { message -> Bool? in
                if case .corpusCancelAck(let ack) = message { ack.accepted } else { nil }
            }.first
        }

        func result() -> ControlAnswer { rig.engine.job(id, stateOnly: false) }
    }

    @Test("a cancel of the first session leaves the finished result of the second alone")
    func afterwards() throws {
        let field = try Field()
        let rig = field.rig
        let partitions = try field.second.partitions()
        for partition in partitions {
            #expect(try rig.transfer(partition, of: field.second).finalAck?.accepted == true)
        }
        rig.send(try field.second.finalize(partitions))
        rig.settle()
        #expect(rig.engine.book.jobs[field.id]?.state == .completed && field.result().spool != nil)
        let before = rig.stateFiles().filter { $0.hasSuffix("control-response.json") }
        #expect(before.count == 2 && field.cancelFirst() == true)
        #expect(rig.stateFiles().filter { $0.hasSuffix("control-response.json") } == before)
        #expect(rig.engine.book.jobs[field.id]?.state == .completed && field.result().spool != nil)
        #expect(!rig.stateFiles().contains { $0.contains(field.first.session.sessionID.uuidString + "/items/") })
    }

    @Test(
        "a first session whose result waited for space makes none once the second has ended, nor after a restart",
        arguments: [false, true])
    func suspended(restarts: Bool) throws {
        let field = try Field(suspendsFirst: true)
        let rig = field.rig
        let partitions = try field.second.partitions()
        for partition in partitions {
            #expect(try rig.transfer(partition, of: field.second).finalAck?.accepted == true)
        }
        rig.send(try field.second.finalize(partitions))
        rig.settle()
        let job = try #require(rig.engine.book.jobs[field.id])
        #expect(job.state == .completed && job.sessionID == field.second.session.sessionID)
        let before = rig.stateFiles().filter { $0.hasSuffix("control-response.json") }
        if restarts { try rig.restart() }
        for _ in 0..<5 {
            rig.advance(1_000)
            rig.engine.tick()
            rig.settle()
        }
        #expect(rig.engine.session(field.first.session.sessionID)?.machine.journal.state == .cancelled)
        #expect(rig.engine.book.jobs[field.id]?.sessionID == field.second.session.sessionID)
        #expect(rig.stateFiles().filter { $0.hasSuffix("control-response.json") } == before && before.count == 2)
        #expect(field.result().spool != nil)
    }

    @Test("a cancel of the first session leaves the job and the transfer of the second alone")
    func meanwhile() throws {
        let field = try Field()
        let rig = field.rig
        let partitions = try field.second.partitions(payloadBytes: 900)
        let start = try rig.begin(partitions[0], of: field.second)
        #expect(field.cancelFirst() == true)
        #expect(rig.engine.book.jobs[field.id]?.state == .transferring)
        rig.chunk(1, of: partitions[0], start)
        rig.send(.transferComplete(TransferComplete(start)))
        rig.settle()
        #expect(
            rig.channel.take().contains { if case .transferFinalAck(let ack) = $0 { ack.accepted } else { false } })
        for partition in partitions[1...] { try rig.transfer(partition, of: field.second) }
        rig.send(try field.second.finalize(partitions))
        rig.settle()
        #expect(rig.engine.book.jobs[field.id]?.state == .completed)
    }

    @Test("a visit that cannot be noted is said in the log; the phone is not turned away")
    func unnotedVisit() throws {
        let rig = try EngineRig()
        try rig.engine.store.transaction {
            try $0.runScript("CREATE TRIGGER full BEFORE UPDATE ON trust BEGIN SELECT RAISE(FAIL, 'full'); END")
        }
        let visit = TrustChange.touchRecord(installationID: rig.phoneID, displayName: "Phone", lastConnectedAt: 1)
        try rig.engine.decideGate { _ in ((), ListenerGate.Effects(changes: [visit])) }
        #expect(rig.lines.contains { $0.contains("visit_not_stored code=database_refused") })
    }
}
