import ConnectedProtocol
import Foundation
import Glibc
import HMDCItem
import HealthData
import Testing

@testable import Receiver

/// A destination that others use too, and files of other providers.
@Suite("File jobs: destination and sidecars") struct DestinationTests {
    private func begin(
        _ rig: EngineRig, external: [ExternalDailyRecord] = [], steps: Int? = 4_711,
        failure: DayFailure.Reason? = nil, _ change: (inout SettingsContent) -> Void = { _ in }
    ) throws -> (phone: FakePhone, finalize: SyncMessage, disposition: PartitionDisposition?) {
        if rig.connection == nil { rig.connect() }
        let (id, _) = rig.createJob()
        var settings = SettingsContent()
        change(&settings)
        let phone = try rig.filePhone(id, settings: settings) { label in
            try FakePhone.healthDay(label, steps: steps, failure: failure, external: external)
        }
        let partitions = try phone.partitions()
        let disposition = try rig.transfer(partitions[0], of: phone).disposition
        let finalize = try phone.finalize(partitions)
        if disposition == .accept { rig.send(finalize) }
        return (phone, finalize, disposition)
    }

    private func result(_ rig: EngineRig) -> MacExportResult? {
        rig.settle()
        return rig.channel.take().compactMap { message -> MacExportResult? in
            if case .macExportResult(let result) = message { return result }
            return nil
        }.last
    }

    @Test(
        "while another receiver writes into the destination nothing is written; the job says why and goes on after it")
    func otherReceiver() throws {
        let rig = try EngineRig()
        let other = Glibc.open(rig.destinationPath, O_RDONLY | O_DIRECTORY)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        let (phone, finalize, _) = try begin(rig)
        #expect(result(rig) == nil && rig.destinationFiles().isEmpty)
        let message = rig.engine.book.jobs[phone.session.jobID]?.message
        #expect(message?.contains("destination_in_use") == true && message?.contains("stop the other receiver") == true)
        flock(other, LOCK_UN)
        rig.send(finalize)
        #expect(result(rig)?.status == .success)
        // It is free again for the other one.
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }

    @Test("a job that is cancelled while it writes gives the destination free")
    func freeAfterCancel() throws {
        let rig = try EngineRig(sliceSeconds: 0)
        let (phone, _, _) = try begin(rig)
        while rig.destinationFiles().isEmpty { rig.settle(steps: 1) }
        let other = Glibc.open(rig.destinationPath, O_RDONLY | O_DIRECTORY)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        _ = rig.engine.cancel(phone.session.jobID)
        rig.settle()
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }

    @Test(
        "every planned folder is looked at before the first write: a file or link in its place refuses the transfer",
        arguments: [
            "Health/2026", "Health/JSON", "Health/Rollups", "Health/Rollups/Range", "Journal", "Health/Log",
            "Health/Log/Own",
        ])
    func takenFolder(path: String) throws {
        let rig = try EngineRig()
        let url = URL(fileURLWithPath: rig.destinationPath + "/" + path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: url)
        let (_, _, disposition) = try begin(rig) {
            $0.folderStructure = "{year}/{month}"
            if path == "Health/JSON" { $0.organizeFormatsIntoFolders = true }
            $0.generateRangeSummary = true
            $0.dailyNoteInjection.enabled = true
            $0.dailyNoteInjection.folderPath = "Journal"
            $0.individualTracking.globalEnabled = true
            $0.individualTracking.entriesFolder = "Log"
            var config = MetricTracking()
            config.customFolder = "Own"
            $0.individualTracking.metricConfigs["steps"] = config
        }
        #expect(disposition == .reject)
        #expect(rig.destinationFiles() == [path])
    }

    @Test(
        "a day that only other providers know gets their files; without a failure of the phone's it is a success",
        arguments: [nil, .noHealthData, .healthKitError] as [DayFailure.Reason?], [false, true])
    func providersOnly(failure: DayFailure.Reason?, rollups: Bool) throws {
        let rig = try EngineRig()
        let record = ExternalDailyRecord(
            provider: "whoop", providerDisplayName: "Band", date: "2026-01-01",
            fetchedAt: Date(timeIntervalSinceReferenceDate: 790_000_000), payloads: [], warnings: [])
        _ = try begin(rig, external: [record], steps: nil, failure: failure) {
            $0.exportFormats = ["JSON", "Markdown"]
            $0.includeDataDictionary = false
            $0.generateWeeklyRollups = rollups
            $0.dailyNoteInjection.enabled = rollups
        }
        let told = try #require(self.result(rig))
        #expect(
            rig.destinationFiles().filter { !$0.contains("Rollups") }
                == FakePhone.labels.map { "Health/Providers/whoop/\($0).json" })
        #expect(told.externalRecordFileCount == 3 && told.outputBreakdown?.looseAggregateFileCount == 0)
        #expect(told.successCount == (failure == nil ? 3 : 0))
        #expect(
            told.failedDateDetails.map(\.reason.rawValue)
                == Array(repeating: failure?.rawValue ?? "", count: failure == nil ? 0 : 3))
    }

    @Test("what another provider delivered is a file of its own, counted as such; a name that is no folder is told")
    func sidecars() throws {
        func record(_ provider: String) -> ExternalDailyRecord {
            ExternalDailyRecord(
                provider: provider, providerDisplayName: "Band", date: "2026-01-01",
                fetchedAt: Date(timeIntervalSinceReferenceDate: 790_000_000.5),
                payloads: [
                    .init(
                        name: "recovery", endpoint: "/v1/recovery", statusCode: 200,
                        fetchedAt: Date(timeIntervalSinceReferenceDate: 790_000_000),
                        data: .object(["b": .array([.null, .bool(true), .string("x/y")]), "a": .number(0.5)]))
                ], warnings: ["late"])
        }
        let rig = try EngineRig()
        _ = try begin(rig, external: [record("whoop"), record("../x"), record("whoop")]) {
            $0.folderStructure = "{year}"
            $0.exportFormats = ["JSON"]
            $0.includeDataDictionary = false
        }
        let told = try #require(self.result(rig))
        #expect(told.status == .success && told.externalRecordFileCount == 3)
        #expect(told.outputBreakdown?.providerSidecarFileCount == 3 && told.totalFilesWritten == 6)
        #expect(told.partialFailures?.map(\.dataType) == Array(repeating: "external_daily_records", count: 3))
        let names = rig.destinationFiles().filter { $0.contains("Providers") }
        #expect(names == FakePhone.labels.map { "Health/Providers/whoop/2026/\($0).json" })
        let text = try String(contentsOfFile: rig.destinationPath + "/" + names[0], encoding: .utf8)
        #expect(
            text == """
                {
                  "date" : "2026-01-01",
                  "fetched_at" : "2026-01-13T12:26:40.500000000Z",
                  "payloads" : [
                    {
                      "data" : {
                        "a" : 0.5,
                        "b" : [
                          null,
                          true,
                          "x\\/y"
                        ]
                      },
                      "endpoint" : "\\/v1\\/recovery",
                      "fetched_at" : "2026-01-13T12:26:40.000000000Z",
                      "name" : "recovery",
                      "status_code" : 200
                    }
                  ],
                  "provider" : "whoop",
                  "provider_display_name" : "Band",
                  "schema" : "healthmd.external_provider_daily",
                  "schema_version" : 1,
                  "warnings" : [
                    "late"
                  ]
                }

                """)
    }
}
