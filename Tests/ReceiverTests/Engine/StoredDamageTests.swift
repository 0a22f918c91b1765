import ConnectedProtocol
import DurableStore
import Foundation
import Testing

@testable import Receiver

/// What the receiver has stored of a session is damaged, which does not pass: the job fails once, with a stable code, and the phone is
/// told so that it does not try for ever.
@Suite struct StoredDamageTests {
    private struct Field {
        let rig: EngineRig
        let id: UUID
        let answers: AnswerBox
        let phone: FakePhone
        let partitions: [FakePhone.Partition]

        init(isRaw: Bool = false, settings: SettingsContent = SettingsContent(), transferring count: Int? = nil) throws
        {
            rig = try EngineRig(sliceSeconds: 0)
            rig.connect()
            (id, answers) = rig.createJob { if isRaw { EngineRig.raw(&$0) } }
            phone = isRaw ? try rig.rawPhone(id) : try rig.filePhone(id, settings: settings)
            partitions = try phone.partitions(payloadBytes: 900)
            for partition in partitions.prefix(count ?? partitions.count) { try rig.transfer(partition, of: phone) }
            _ = rig.channel.take()
        }

        var folder: String { rig.root + "/state/sessions/" + phone.session.sessionID.uuidString }

        /// The item of one day, complete or half.
        func item(_ index: Int) -> String { folder + "/items/\(phone.items[index].pending.itemID.uuidString).item" }

        var job: Job? { rig.engine.book.jobs[id] }

        func finalize() throws {
            rig.send(try phone.finalize(partitions))
            rig.settle()
        }

        /// Failed with the code, said to whoever waits.
        func hasFailed(_ code: String) -> Bool {
            job?.state == .failed && job?.result?.failureReason == code && job?.result?.status == .failure
                && job?.message.contains(code) == true && rig.engine.suspended.isEmpty
        }
    }

    private static func flip(_ path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count - 3] ^= 1
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// The finals that went out: whether the failure came before the refusing acknowledgement.
    private func finals(_ messages: [SyncMessage]) -> [String] {
        messages.compactMap { message in
            switch message {
            case .macExportFailed: "failed"
            case .macExportResult: "result"
            case .corpusFinalAck(let ack): ack.accepted ? "yes" : "no"
            case .exportCancel: "cancel"
            default: nil
            }
        }
    }

    @Test(
        "one bit of an item of a finished transfer fails the job once, and the phone hears the end",
        arguments: [true, false])
    func flippedItem(_ isRaw: Bool) throws {
        let field = try Field(isRaw: isRaw)
        try Self.flip(field.item(1))
        try field.finalize()
        #expect(field.hasFailed("item_file_damaged"))
        #expect(field.answers.answers.last?.response.failureReason == "item_file_damaged")
        #expect(finals(field.rig.channel.take()) == ["failed", "no"])
        // The same again, also after a restart; nothing is tried any more.
        try field.rig.restart()
        field.rig.connect()
        _ = field.rig.channel.take()
        try field.finalize()
        #expect(finals(field.rig.channel.take()) == ["failed", "no"])
        #expect(field.hasFailed("item_file_damaged"))
        if isRaw { #expect(!field.rig.stateFiles().contains { $0.hasSuffix("control-response.json") }) }
    }

    enum Game: CaseIterable, Sendable {
        case gone, cut, link, readable
    }

    @Test("an item file that is gone, cut, a link, or open to others fails the job as well", arguments: Game.allCases)
    func gamesWithItems(_ game: Game) throws {
        for isRaw in [true, false] {
            let field = try Field(isRaw: isRaw)
            let item = field.item(2)
            switch game {
            case .gone: try FileManager.default.removeItem(atPath: item)
            case .cut: try #require(truncate(item, 10) == 0)
            case .link:
                try FileManager.default.moveItem(atPath: item, toPath: field.rig.root + "/elsewhere")
                try FileManager.default.createSymbolicLink(
                    atPath: item, withDestinationPath: field.rig.root + "/elsewhere")
            case .readable: try #require(chmod(item, 0o644) == 0)
            }
            try field.finalize()
            #expect(field.hasFailed("item_file_damaged"))
            #expect(finals(field.rig.channel.take()) == ["failed", "no"])
        }
    }

    @Test("a session's folder in which somebody put a link where the result goes fails the raw job")
    func resultFolder() throws {
        let field = try Field(isRaw: true)
        try FileManager.default.createDirectory(atPath: field.rig.root + "/outside", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: field.folder + "/terminal", withDestinationPath: field.rig.root + "/outside")
        try field.finalize()
        #expect(field.hasFailed("session_folder_changed"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: field.rig.root + "/outside").isEmpty)
    }

    @Test("a damaged half item, met by the next partition, fails the job with the code, not by the phone's word")
    func halfItem() throws {
        let field = try Field(transferring: 1)
        let half = try #require(
            field.rig.engine.session(field.phone.session.sessionID)?.machine.journal.partialItems.keys.first)
        try Self.flip(field.folder + "/items/\(half.uuidString).item")
        try field.rig.restart()
        field.rig.connect()
        #expect(try field.rig.transfer(field.partitions[1], of: field.phone).finalAck?.accepted == false)
        #expect(field.hasFailed("item_file_damaged"))
    }

    @Test(
        "a session that cannot be believed after a restart fails its job; the phone is told to give it up, at every hello",
        arguments: ["folder", "item", "rows"])
    func unreadable(_ what: String) throws {
        let field = try Field(transferring: 2)
        let code: String
        switch what {
        case "folder":
            try FileManager.default.moveItem(atPath: field.folder, toPath: field.folder + "-moved")
            try FileManager.default.copyItem(atPath: field.folder + "-moved", toPath: field.folder)
            code = "session_folder_changed"
        case "item":
            try FileManager.default.removeItem(atPath: field.item(0))
            code = "item_file_damaged"
        default:
            try field.rig.engine.store.transaction {
                try $0.run("UPDATE sessions SET frontier = 7")
            }
            code = "session_state_unreadable"
        }
        try field.rig.restart()
        field.rig.settle()
        #expect(field.job?.state == .paused, "nobody looked yet")
        field.rig.connect()
        _ = field.rig.channel.take()
        #expect(try field.rig.transfer(field.partitions[2], of: field.phone).disposition == .reject)
        #expect(field.hasFailed(code))
        // The reject itself is no end for a phone that keeps everything.
        field.rig.connect()
        #expect(finals(field.rig.channel.take()) == ["cancel"])
        try field.rig.restart()
        field.rig.connect()
        #expect(finals(field.rig.channel.take()) == ["cancel"])
        #expect(field.hasFailed(code))
        // What is there stays for whoever wants to look, until it expires.
        #expect(FileManager.default.fileExists(atPath: field.folder))
        #expect(try field.rig.engine.storageNeeds(except: UUID()) == 0)
    }

    @Test("a session that was being finalized and cannot be believed fails at the start, without the phone")
    func unreadableAtStart() throws {
        let field = try Field()
        field.rig.send(try field.phone.finalize(field.partitions))
        try FileManager.default.removeItem(atPath: field.item(0))
        try field.rig.restart()
        field.rig.settle()
        #expect(field.hasFailed("item_file_damaged"))
        field.rig.connect()
        #expect(finals(field.rig.channel.take()) == ["cancel"])
        try field.finalize()
        #expect(finals(field.rig.channel.take()) == ["no"])
    }

    @Test("a push whose session is damaged is cancelled by its session, as a breach of the protocol")
    func push() throws {
        let rig = try EngineRig()
        rig.connect()
        let phone = try rig.filePhone(UUID())
        let partitions = try phone.partitions(payloadBytes: 900)
        try rig.transfer(partitions[0], of: phone)
        let items = rig.root + "/state/sessions/\(phone.session.sessionID.uuidString)/items"
        try FileManager.default.removeItem(atPath: items)
        try rig.restart()
        rig.connect()
        _ = rig.channel.take()
        rig.send(try phone.open(partitions[1]))
        rig.settle()
        let cancels = rig.channel.take().compactMap { message -> CorpusTransferCancel? in
            if case .corpusCancel(let cancel) = message { cancel } else { nil }
        }
        #expect(cancels.map(\.reason) == [.protocolError] && cancels.first?.sessionID == phone.session.sessionID)
        #expect(cancels.first?.message?.contains("item_file_damaged") == true)
    }

    @Test("a disk that fails now says nothing about the session: the job goes on when it works again")
    func failingDisk() throws {
        let field = try Field(isRaw: true)
        field.rig.disk.setWriteFailure(EIO)
        try field.finalize()
        #expect(field.job?.state == .paused && finals(field.rig.channel.take()).isEmpty)
        field.rig.disk.setWriteFailure(nil)
        field.rig.advance(15)
        field.rig.engine.tick()
        field.rig.settle()
        #expect(field.job?.state == .completed)
    }
}
