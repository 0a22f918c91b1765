import ConnectedProtocol
import DurableStore
import Foundation
import HealthData
import TestSupport
import Testing

@testable import Receiver

/// Pinned roll-up jobs (corpus-protocol.md 13.6): everything is spooled and journaled before the first write.
@Suite("Received range plan") struct RangePlanTests {
    private static let pin = """
        {"engine":"rust","profile":"p","public_schema":"healthmd.health_data","public_schema_version":8,
         "core_api_version":1,"semantic_input_version":1,"canonical_model_version":1,"render_input_version":1,
         "artifact_plan_version":1,"registry_version":1,"registry_sha256":"\(String(repeating: "a", count: 64))",
         "semantic_profile_revision":1,"render_profile_revision":1,"core_source_revision":"r","calendar_time_zone":"UTC"}
        """

    private func everything(_ settings: inout SettingsContent, isPinned: Bool = true) throws {
        settings.exportFormats = ["JSON", "Markdown", "CSV", "Obsidian Bases"]
        settings.generateRangeSummary = true
        settings.generateMonthlyRollups = true
        settings.individualTracking.globalEnabled = true
        settings.individualTracking.metricConfigs["steps"] = MetricTracking()
        guard isPinned else { return }
        settings.appleExportEnginePin = try JSONDecoder().decode(EnginePin.self, from: Data(Self.pin.utf8))
    }

    private func begin(
        _ rig: EngineRig, supporting: [String] = ["2026-01-04"], _ change: (inout SettingsContent) throws -> Void
    ) throws -> (phone: FakePhone, finalize: SyncMessage, disposition: PartitionDisposition?) {
        if rig.connection == nil { rig.connect() }
        let (id, _) = rig.createJob()
        var settings = SettingsContent()
        try change(&settings)
        let phone = try rig.filePhone(id, settings: settings, supporting: supporting) {
            try FakePhone.healthDay($0, isRequested: FakePhone.labels.contains($0))
        }
        let partitions = try phone.partitions()
        var disposition: PartitionDisposition?
        for partition in partitions { disposition = try rig.transfer(partition, of: phone).disposition }
        let finalize = try phone.finalize(partitions)
        if disposition == .accept { rig.send(finalize) }
        return (phone, finalize, disposition)
    }

    private func result(_ rig: EngineRig) throws -> MacExportResult {
        rig.settle()
        let results = rig.channel.take().compactMap { message -> MacExportResult? in
            if case .macExportResult(let result) = message { return result }
            return nil
        }
        return try #require(results.last)
    }

    private func files(_ rig: EngineRig) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in rig.destinationFiles() {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: rig.destinationPath + "/" + name))
        }
        return files
    }

    private func spooled(_ rig: EngineRig) -> Int { rig.stateFiles().count { $0.hasSuffix(".artifact") } }

    @Test(
        "nothing goes to the destination before the whole plan is spooled and journaled; the files are those without a pin"
    )
    func spoolsFirst() throws {
        let plain = try EngineRig(sliceSeconds: 0)
        _ = try begin(plain) { try everything(&$0, isPinned: false) }
        let expected = try result(plain)
        let rig = try EngineRig(sliceSeconds: 0)
        let (phone, _, _) = try begin(rig) { try everything(&$0) }
        var most = 0
        while rig.destinationFiles().isEmpty {
            #expect(spooled(plain) == 0)
            most = max(most, spooled(rig))
            rig.settle(steps: 1)
        }
        let session = try #require(rig.engine.session(phone.session.sessionID))
        let mark = try #require(session.output.rangePlan)
        // Three days in four formats and an entry each, two roll-ups in four formats, the dictionary.
        #expect(mark.artifactCount == 3 * 5 + 2 * 4 + 1 && most == mark.artifactCount)
        let result = try result(rig)
        #expect(result.status == .success && result.outputBreakdown == expected.outputBreakdown)
        #expect(try files(rig) == files(plain))
        #expect(spooled(rig) == 0)
    }

    @Test("a receiver that dies at any piece of work of a range plan gives the same bytes", arguments: [false, true])
    func sameBytes(isArchive: Bool) throws {
        func change(_ settings: inout SettingsContent) throws {
            try everything(&settings)
            settings.archiveExportFiles = isArchive
            settings.dailyNoteInjection.enabled = true
            settings.dailyNoteInjection.createIfMissing = true
        }
        let whole = try EngineRig(sliceSeconds: 0)
        _ = try begin(whole, change)
        let expected = try result(whole)
        #expect(expected.status == .success)
        let files = try files(whole)
        #expect(files.count == (isArchive ? 1 : 3 * 5 + 2 * 4 + 1) + 3)
        var isOver = false
        var steps = 0
        while !isOver {
            let rig = try EngineRig(sliceSeconds: 0)
            let (_, finalize, _) = try begin(rig, change)
            rig.settle(steps: steps)
            isOver = rig.channel.take().contains { if case .macExportResult = $0 { true } else { false } }
            try rig.restart()
            rig.settle()
            rig.connect()
            rig.send(finalize)
            let again = try result(rig)
            #expect(again.outputBreakdown == expected.outputBreakdown, "dead after \(steps)")
            #expect(try self.files(rig) == files, "dead after \(steps)")
            steps += 5
        }
    }

    @Test("a spooled file that changed after the plan was journaled is not put into the destination; the job fails")
    func damagedArtifact() throws {
        let rig = try EngineRig(sliceSeconds: 0)
        let (phone, _, _) = try begin(rig) { try everything(&$0) }
        while rig.engine.session(phone.session.sessionID)?.output.rangePlan == nil { rig.settle(steps: 1) }
        for name in rig.stateFiles() where name.hasSuffix("0000.artifact") {
            let url = URL(fileURLWithPath: rig.root + "/state/" + name)
            var bytes = try Data(contentsOf: url)
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: url)
        }
        rig.settle()
        #expect(rig.destinationFiles().isEmpty)
        let job = try #require(rig.engine.book.jobs[phone.session.jobID])
        #expect(job.state == .failed && job.result?.failureReason == "item_file_damaged")
    }

    @Test(
        "before protocol version 3 no range plan is taken, and one that was stored before that was checked fails",
        arguments: [1, 2])
    func oldVersion(version: Int) throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, _) = rig.createJob()
        var settings = SettingsContent()
        try everything(&settings)
        let phone = try FakePhone(
            jobID: id, mode: .writeFiles, phone: rig.phoneID, workstation: rig.engine.store.installationID,
            createdAt: ProtocolDate(secondsSince2001: rig.now.wall), settings: settings, version: version,
            item: { try FakePhone.healthDay($0) })
        #expect(try rig.transfer(phone.partitions()[0], of: phone).disposition == .reject)
        let job = try #require(rig.engine.book.jobs[id])
        #expect(job.state == .paused && job.message.contains("protocol version 3"))
        let folder = try TemporaryFolder()
        let state = try Directory.openRoot(folder.path)
        let work = FileFinalizer.Work(
            journal: DestinationJournal(session: phone.session, manifest: phone.manifest),
            folder: try SessionFolder.create(phone.session.sessionID, in: state),
            binding: try #require(rig.engine.storedDestination()), frontier: 0, output: OutputAccount(),
            interruption: Interruption())
        #expect(throws: FileFinalizer.Unplannable.self) { try FileFinalizer.runSlice(work) }
        #expect(rig.destinationFiles().isEmpty && spooled(rig) == 0)
    }

    @Test("without an engine pin nothing is spooled")
    func onlyPinned() throws {
        let manifest = try FakePhone(
            jobID: UUID(), mode: .writeFiles, phone: UUID(), workstation: UUID(),
            createdAt: ProtocolDate(secondsSince2001: 790_000_000), settings: SettingsContent(),
            item: { try FakePhone.healthDay($0) }
        ).manifest
        #expect(try !FilePlan(manifest).isPinnedRollup)
        var settings = SettingsContent()
        try everything(&settings)
        settings.generateRangeSummary = false
        settings.generateMonthlyRollups = false
        let withoutRollups = try FakePhone(
            jobID: UUID(), mode: .writeFiles, phone: UUID(), workstation: UUID(),
            createdAt: ProtocolDate(secondsSince2001: 790_000_000), settings: settings,
            item: { try FakePhone.healthDay($0) }
        ).manifest
        #expect(try !FilePlan(withoutRollups).isPinnedRollup)
    }

    // MARK: - Limits

    @Test(
        "a pinned range is refused before the transfer in another write mode than Overwrite",
        arguments: ["Update", "Append"])
    func writeMode(mode: String) throws {
        let rig = try EngineRig()
        let (_, _, disposition) = try begin(rig) {
            try everything(&$0)
            $0.writeMode = mode
        }
        #expect(disposition == .reject)
    }

    @Test("400 transferred days are a range, 401 are refused before the transfer")
    func dates() throws {
        func labels(_ count: Int) -> [String] {
            (3..<count).map { number in
                let day = Date(timeIntervalSince1970: Double(20_454 + number) * 86_400)
                return day.formatted(.iso8601.year().month().day())
            }
        }
        for (count, expected) in [(400, PartitionDisposition.accept), (401, .reject)] {
            let rig = try EngineRig()
            rig.connect()
            let (id, _) = rig.createJob()
            var settings = SettingsContent()
            try everything(&settings)
            let phone = try rig.filePhone(id, settings: settings, supporting: labels(count)) {
                try FakePhone.healthDay($0, isRequested: FakePhone.labels.contains($0))
            }
            rig.send(try phone.open(try phone.partitions()[0]))
            rig.settle()
            let answers = rig.channel.take().compactMap { message -> PartitionDisposition? in
                if case .corpusDisposition(let answer) = message { return answer.disposition }
                return nil
            }
            #expect(answers == [expected], "\(count) days")
        }
    }

    private func withSpool(_ body: (inout RangePlanSpool) throws -> Void) throws {
        let folder = try TemporaryFolder()
        var spool = try RangePlanSpool(in: Directory.openRoot(folder.path))
        try body(&spool)
    }

    private func add(_ count: Int, _ kind: OutputKind = .day, to spool: inout RangePlanSpool) throws {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        try spool.add(kind, "file") { sink in
            var rest = count
            while rest > 0 {
                try sink(Array(piece.prefix(rest)))
                rest -= piece.count
            }
        }
    }

    @Test("one artifact has at most 8 MiB; one byte more is no part of the plan")
    func artifactLimit() throws {
        try withSpool { spool in
            try add(8 << 20, to: &spool)
            #expect(throws: FileFinalizer.Unplannable.self) { try add(8 << 20 + 1, to: &spool) }
            #expect(spool.plan.artifacts.count == 1)
        }
    }

    @Test("all artifacts together have at most 32 MiB, the dictionary 1 MiB besides")
    func totalLimit() throws {
        try withSpool { spool in
            for _ in 0..<4 { try add(8 << 20, to: &spool) }
            #expect(throws: FileFinalizer.Unplannable.self) { try add(1, to: &spool) }
            #expect(throws: FileFinalizer.Unplannable.self) { try add(1 << 20 + 1, .dictionary, to: &spool) }
            try add(1 << 20, .dictionary, to: &spool)
            #expect(spool.plan.artifacts.reduce(0) { $0 + $1.byteCount } == 33 << 20)
        }
    }

    @Test("a plan has at most 4,096 artifacts besides the dictionary")
    func artifactCount() throws {
        try withSpool { spool in
            for _ in 0..<4_096 { try add(0, to: &spool) }
            #expect(throws: FileFinalizer.Unplannable.self) { try add(0, to: &spool) }
            try add(0, .dictionary, to: &spool)
            #expect(spool.plan.artifacts.last?.spoolName == "data-dictionary.artifact")
            #expect(spool.plan.artifacts[4_095].spoolName == "artifacts/4095.artifact")
        }
    }

    @Test("an unsealed spool is begun anew, and a sealed plan must be the one that was journaled")
    func seal() throws {
        let folder = try TemporaryFolder()
        let root = try Directory.openRoot(folder.path)
        var first = try RangePlanSpool(in: root)
        try add(3, to: &first)
        var second = try RangePlanSpool(in: root)
        #expect(try root.directory("finalization/artifacts").entries().isEmpty)
        try add(5, to: &second)
        let mark = try second.seal()
        let plan = try RangePlanSpool.plan(in: root, mark)
        #expect(try RangePlanSpool.bytes(of: plan.artifacts[0], in: root) == Array("aaaaa".utf8))
        let other = RangePlan.Mark(sha256: String(repeating: "0", count: 64), artifactCount: 1)
        #expect(throws: ReceiverError.itemFileDamaged) { try RangePlanSpool.plan(in: root, other) }
    }
}
