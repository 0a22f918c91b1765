import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

/// The destination lies on a file system that takes its time: only the open that asked for it waits.
@Suite struct SlowDestinationTests {
    private func dispositions(_ rig: EngineRig) -> [PartitionDisposition] {
        rig.settle()
        return rig.channel.take().compactMap {
            if case .corpusDisposition(let answer) = $0 { answer.disposition } else { nil }
        }
    }

    @Test("while a destination is looked at, the engine serves everybody else; the answer follows when it is there")
    func others() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        rig.scoutHangs = true
        rig.send(try phone.open(partitions[0]))
        #expect(dispositions(rig).isEmpty)
        #expect(rig.engine.status().activeExport?.jobID == id)
        // Another phone starts and ends a raw session of its own.
        let other = UUID()
        let channel = FakeChannel()
        rig.engine.handle(
            .opened(
                PeerOpening(
                    installationID: other, displayName: "Other", capabilities: EngineRig.phoneCapabilities(other),
                    usesSecureRecords: true, channel: channel)), from: ConnectionID(99))
        _ = channel.take()
        rig.engine.handle(
            .message(
                .corpusCancel(
                    CorpusTransferCancel(
                        sessionID: UUID(), jobID: UUID(), reason: .userRequested,
                        requestedAt: ProtocolDate(secondsSince2001: 0)))), from: ConnectionID(99))
        #expect(channel.take().count == 1)
        rig.engine.tick()
        rig.scoutHangs = false
        #expect(dispositions(rig) == [.accept])
        #expect(try rig.transfer(partitions[0], of: phone).finalAck?.accepted == true)
    }

    @Test("an open that the phone repeats meanwhile is answered once; another one takes its place")
    func repeated() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions(payloadBytes: 900)
        rig.scoutHangs = true
        for _ in 0..<3 { rig.send(try phone.open(partitions[0])) }
        rig.scoutHangs = false
        #expect(dispositions(rig) == [.accept])
        rig.scoutHangs = true
        rig.send(try phone.open(partitions[1]))
        rig.send(try phone.open(partitions[0]))
        rig.scoutHangs = false
        #expect(dispositions(rig) == [.accept], "the one that is asked for now")
    }

    @Test("an answer that comes when the phone has left, or come back, begins nothing")
    func disconnected() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partition = try phone.partitions()[0]
        rig.scoutHangs = true
        rig.send(try phone.open(partition))
        rig.disconnect()
        rig.connect()
        rig.scoutHangs = false
        #expect(dispositions(rig).isEmpty)
        #expect(rig.engine.session(phone.session.sessionID) == nil && rig.engine.scouting.isEmpty)
        rig.send(try phone.open(partition))
        #expect(dispositions(rig) == [.accept])
    }

    enum Word: CaseIterable, Sendable { case corpusCancel, jobCancel, status }

    @Test("a push that the phone gives up while its destination is looked at is not begun", arguments: Word.allCases)
    func givenUp(_ word: Word) throws {
        let rig = try EngineRig()
        rig.connect()
        let jobID = UUID()
        let phone = try rig.filePhone(jobID)
        rig.scoutHangs = true
        rig.send(try phone.open(try phone.partitions()[0]))
        let moment = ProtocolDate(secondsSince2001: rig.now.wall)
        switch word {
        case .jobCancel: rig.send(.macExportCancel(jobID: jobID))
        case .corpusCancel:
            rig.send(
                .corpusCancel(
                    CorpusTransferCancel(
                        sessionID: phone.session.sessionID, jobID: jobID, reason: .userRequested, requestedAt: moment)))
        case .status:
            rig.send(
                .corpusStatus(
                    CorpusStatus(
                        jobID: jobID, sessionID: phone.session.sessionID,
                        requestFingerprint: phone.manifest.fingerprint, state: .cancelled, processedDays: 0,
                        totalDays: 3, committedPartitionCount: 0, committedBytes: 0, updatedAt: moment,
                        expiresAt: moment)))
        }
        rig.scoutHangs = false
        #expect(dispositions(rig).isEmpty)
        #expect(rig.engine.book.jobs[jobID] == nil && rig.engine.session(phone.session.sessionID) == nil)
    }

    @Test("a destination that is exchanged meanwhile is looked at itself")
    func exchanged() throws {
        let rig = try EngineRig()
        rig.connect()
        // A push takes the folder that is selected when it begins.
        let phone = try rig.filePhone(UUID())
        let next = rig.root + "/next"
        for folder in [next, next + "/elsewhere"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: next + "/Health", withDestinationPath: next + "/elsewhere")
        rig.scoutHangs = true
        rig.send(try phone.open(try phone.partitions()[0]))
        _ = try rig.engine.setDestination(next)
        rig.scoutHangs = false
        #expect(dispositions(rig) == [.reject])
    }

    @Test("what fits no request is refused without a look at the destination")
    func unasked() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob(EngineRig.raw)
        let phone = try rig.filePhone(id)
        rig.scoutHangs = true
        rig.send(try phone.open(try phone.partitions()[0]))
        #expect(dispositions(rig) == [.reject])
    }
}
