import CanonicalJSON
import ConnectedProtocol
import Cryptography
import Foundation
import Testing

@testable import Receiver

private func finalAck(_ messages: [SyncMessage]) -> CorpusTransferFinalAck? {
    messages.compactMap { message in
        if case .corpusFinalAck(let ack) = message { return ack }
        return nil
    }.first
}

@Suite struct RawJobTests {
    @Test("a raw job goes from request to response: stored, counted, served with its digest")
    func wholeJob() throws {
        let rig = try EngineRig()
        rig.connect()
        _ = rig.channel.take()
        let (id, answers) = rig.createJob(EngineRig.raw)
        guard case .exportRequest(let request) = rig.channel.take().first else {
            Issue.record("no request was sent")
            return
        }
        #expect(request.jobID == id && request.requestedDateIdentifiers == FakePhone.labels)
        #expect(request.rawProfile == .canonicalSourceRecords && request.requestedBy == .cli)
        rig.send(.exportAccepted(ExportAccepted(jobID: id, acceptedAt: ProtocolDate(secondsSince2001: 0))))
        #expect(rig.engine.book.jobs[id]?.state == .accepted)

        let phone = try rig.rawPhone(id, padding: 3_000)
        let partitions = try phone.partitions(payloadBytes: 2_500)
        #expect(partitions.count > 3)
        for (index, partition) in partitions.enumerated() {
            let (disposition, ack) = try rig.transfer(partition, of: phone)
            #expect(disposition == (index == 0 ? .accept : .resume) && ack?.accepted == true)
        }
        #expect(rig.engine.book.jobs[id]?.committedPartitions == partitions.count)
        #expect(rig.engine.book.jobs[id]?.processedDays == 3)
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let ack = try #require(finalAck(rig.channel.take()))
        #expect(ack.accepted && ack.successCount == 3 && ack.totalCount == 3 && ack.completedDates?.count == 3)

        let answer = try #require(answers.answers.first)
        #expect(answer.response.status == .success && answer.response.durable?.state == .completed)
        let spool = try #require(answer.spool)
        let snapshot = try spool.openSnapshot()
        let handle = FileHandle(fileDescriptor: snapshot.fileDescriptor, closeOnDealloc: true)
        let body = [UInt8](try handle.readToEnd() ?? Data())
        #expect(SHA256.hash(body).hex == spool.description.sha256 && body.count == Int(snapshot.byteCount))
        let document = try JSONParser.parse(body)
        #expect(document["status"]?.string == "success")
        #expect(document["raw_result"]?["days"]?.array?.count == 3)
        #expect(document["raw_result"]?["days"]?.array?[1]["health_data"]?["date"]?.string == "2026-01-02")
        #expect(document.object?.members.last?.key == "raw_result")
        #expect(rig.stateFiles().contains("jobs/\(id.uuidString)/control-response.json"))
        #expect(!rig.stateFiles().contains { $0.hasSuffix(".item") || $0.contains("spool-") })
    }

    @Test("a missing day makes the result partial")
    func partial() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob(EngineRig.raw)
        let phone = try FakePhone(
            jobID: id, mode: .strictRaw, phone: rig.phoneID, workstation: rig.engine.store.installationID,
            createdAt: ProtocolDate(secondsSince2001: rig.now.wall)
        ) { try $0 == "2026-01-02" ? FakePhone.missingDay($0) : FakePhone.rawDay($0) }
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let ack = finalAck(rig.channel.take())
        #expect(ack?.successCount == 2 && ack?.totalCount == 3)
        #expect(answers.answers.first?.response.status == .partialSuccess)
        #expect(answers.answers.first?.response.failureReason == "incomplete_raw_capture")
    }

    @Test("a document that breaks a rule fails the job for good, and both answers are replayed")
    func refusedContent() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob(EngineRig.raw)
        let phone = try FakePhone(
            jobID: id, mode: .strictRaw, phone: rig.phoneID, workstation: rig.engine.store.installationID,
            createdAt: ProtocolDate(secondsSince2001: rig.now.wall)
        ) { try FakePhone.rawDay($0, version: 99) }
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        for _ in 0..<2 {
            rig.send(try phone.finalize(partitions))
            rig.settle()
            let messages = rig.channel.take()
            guard case .macExportFailed = messages.dropLast().last else {
                Issue.record("the failure must precede the ack")
                return
            }
            #expect(finalAck(messages)?.accepted == false)
        }
        #expect(answers.answers.first?.response.failureReason == "raw_profile_response_mismatch")
        #expect(answers.answers.first?.spool == nil)
    }
}

@Suite struct FileJobTests {
    @Test("a file job writes each day in each format, then the dictionary, and says so before the ack")
    func wholeJob() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions(payloadBytes: 1_000)
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let messages = rig.channel.take()
        let ack = try #require(finalAck(messages))
        #expect(ack.accepted && ack.successCount == 3 && ack.completedDates == phone.manifest.requestedDates)
        guard case .macExportResult(let result) = messages.dropLast().last else {
            Issue.record("the result must precede the ack")
            return
        }
        #expect(result.status == .success && result.totalFilesWritten == 7 && result.isTotalFilesWrittenAuthoritative)
        #expect(result.outputBreakdown?.looseAggregateFileCount == 6)
        #expect(
            rig.destinationFiles()
                == [
                    "Health/2026-01-01.json", "Health/2026-01-01.md", "Health/2026-01-02.json",
                    "Health/2026-01-02.md", "Health/2026-01-03.json", "Health/2026-01-03.md",
                    "Health/_healthmd_data_dictionary.json",
                ])
        let answer = try #require(answers.answers.first?.response)
        #expect(answer.status == .success && answer.filesWritten == 7 && answer.destinationPath != nil)
        let plan = try rig.engine.verificationPlan(id)
        #expect(plan.run().files == 7 && plan.run().differences.isEmpty)
        let json = try Data(contentsOf: URL(fileURLWithPath: rig.destinationPath + "/Health/2026-01-02.json"))
        #expect(try JSONParser.parse([UInt8](json))["date"]?.string == "2026-01-02")
    }

    @Test("days without data and failed days are told; no data counts as complete")
    func mixedDays() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id) { label in
            switch label {
            case "2026-01-01": try FakePhone.healthDay(label, steps: nil)
            case "2026-01-02": try FakePhone.healthDay(label, steps: nil, failure: .deviceLocked)
            default: try FakePhone.healthDay(label)
            }
        }
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let messages = rig.channel.take()
        #expect(finalAck(messages)?.successCount == 1 && finalAck(messages)?.completedDates?.count == 2)
        guard case .macExportResult(let result) = messages.dropLast().last else { return }
        #expect(result.status == .partialSuccess)
        #expect(result.failedDateDetails.map(\.reason) == [.noHealthData, .deviceLocked])
        let response = try #require(answers.answers.first?.response)
        #expect(response.failureReason == "no_health_data")
        #expect(response.partialFailures?.map(\.date) == ["2026-01-01", "2026-01-02"])
        #expect(response.partialFailures?.map(\.code) == ["no_health_data", "device_locked"])
    }

    @Test("a day whose file cannot be written is named, with the reason")
    func unwritableDay() throws {
        let rig = try EngineRig()
        rig.connect()
        try FileManager.default.createDirectory(
            atPath: rig.destinationPath + "/Health/2026-01-02.json", withIntermediateDirectories: true)
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let response = try #require(answers.answers.first?.response)
        #expect(response.status == .partialSuccess && response.successCount == 2)
        #expect(response.partialFailures?.map(\.date) == ["2026-01-02"])
        #expect(response.partialFailures?.map(\.code) == ["file_write_error"])
    }

    @Test("an open that breaks a rule pauses the job and tells who waits")
    func malformedOpen() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        let open = """
            {"connectedCorpusTransferOpen":{"_0":{"session":{"sessionID":"\(phone.session.sessionID.uuidString)",\
            "jobID":"\(id.uuidString)"},"partition":{"index":0,"sha256":"\(String(repeating: "a", count: 64))"}}}}
            """
        rig.send(try SyncMessage.decode(Array(open.utf8)))
        #expect(answers.answers.first?.response.status == .accepted)
        #expect(rig.engine.book.jobs[id]?.state == .paused)
    }

    @Test("the receiver's own state folder is no destination, nor is anything in it")
    func destinationInState() throws {
        let rig = try EngineRig()
        for path in ["/state", "/state/jobs"] {
            #expect(throws: ReceiverControlError.self) { try rig.engine.setDestination(rig.root + path) }
        }
        #expect(rig.engine.destinationInformation().path?.hasSuffix("/destination") == true)
    }

    @Test("a destination that is gone is named together with what is wrong")
    func missingDestination() throws {
        let rig = try EngineRig()
        rig.connect()
        try FileManager.default.removeItem(atPath: rig.destinationPath)
        let id = UUID()
        guard let day = CalendarDay("2026-01-01") else { preconditionFailure("a day of the test") }
        func refusal(_ change: (inout JobRequest) -> Void) -> ControlResponse? {
            var request = JobRequest(jobID: id, dateSelection: .explicitRange(first: day, last: day))
            change(&request)
            guard case .answered(let answer) = rig.create(request).submission else { return nil }
            return answer.response
        }
        let stored = try #require(refusal { _ in })
        #expect(stored.failureReason == "mac_destination_unavailable")
        #expect(stored.message.contains("/destination cannot be used: it does not exist."))
        let named = try #require(refusal { $0.destination = "relative" })
        #expect(named.message.contains("the path must be absolute"))
    }

    @Test("a phone may start a file export itself; it becomes a job of its own")
    func sourceInitiated() throws {
        let rig = try EngineRig()
        rig.connect()
        let phone = try rig.filePhone(UUID())
        let partitions = try phone.partitions()
        for partition in partitions {
            #expect(try rig.transfer(partition, of: phone).finalAck?.accepted == true)
        }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(finalAck(rig.channel.take())?.accepted == true)
        let job = try #require(rig.engine.book.jobs[phone.session.jobID])
        #expect(job.origin == .sourceInitiated && job.state == .completed)
        #expect(rig.destinationFiles().count == 7)
        let strange = try rig.rawPhone(UUID())
        #expect(try rig.transfer(try strange.partitions()[0], of: strange).disposition == .reject)
    }

    @Test(
        "a symlink in place of a planned folder refuses the transfer; one in place of a file is replaced, not followed")
    func links() throws {
        let rig = try EngineRig()
        rig.connect()
        let outside = rig.root + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: rig.destinationPath + "/Health", withDestinationPath: outside)
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        #expect(try rig.transfer(partitions[0], of: phone).disposition == .reject)
        // Whoever waits hears why at once; the job pauses and goes on when the folder is mended.
        let told = try #require(answers.answers.first?.response)
        #expect(told.status == .accepted && told.failureReason == "destination_unavailable")
        #expect(told.message.hasPrefix("The destination cannot be used"))
        #expect(rig.engine.book.jobs[id]?.state == .paused)
        try FileManager.default.removeItem(atPath: rig.destinationPath + "/Health")
        try FileManager.default.createDirectory(
            atPath: rig.destinationPath + "/Health", withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: outside + "/victim"))
        try FileManager.default.createSymbolicLink(
            atPath: rig.destinationPath + "/Health/2026-01-01.json", withDestinationPath: outside + "/victim")
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(finalAck(rig.channel.take())?.successCount == 3)
        #expect(try String(contentsOfFile: outside + "/victim", encoding: .utf8) == "mine")
    }

    @Test("a phone that heard of a destination that was away for a moment hears that it is back before it is asked")
    func destinationIsBack() throws {
        let rig = try EngineRig()
        try FileManager.default.moveItem(atPath: rig.destinationPath, toPath: rig.root + "/moved")
        rig.connect()
        try FileManager.default.moveItem(atPath: rig.root + "/moved", toPath: rig.destinationPath)
        _ = rig.createJob()
        rig.settle()
        let told = rig.channel.take().compactMap { message -> String? in
            switch message {
            case .macStatus(let status): "usable: \(status.folderAccessHealthy)"
            case .exportRequest: "request"
            default: nil
            }
        }
        #expect(told == ["usable: false", "usable: true", "request"])
    }

    @Test("a destination that was swapped for another folder is not written")
    func swappedDestination() throws {
        let rig = try EngineRig()
        rig.connect()
        let (id, answers) = rig.createJob()
        let phone = try rig.filePhone(id)
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        try FileManager.default.moveItem(atPath: rig.destinationPath, toPath: rig.root + "/moved")
        try FileManager.default.createDirectory(atPath: rig.destinationPath, withIntermediateDirectories: true)
        rig.send(try phone.finalize(partitions))
        rig.settle()
        let messages = rig.channel.take()
        #expect(finalAck(messages)?.accepted == false)
        guard case .macExportFailed(let failed) = messages.dropLast().last else {
            Issue.record("the failure must precede the ack")
            return
        }
        #expect(failed.reason == .macFolderAccessDenied)
        #expect(answers.answers.first?.response.status == .failure && rig.destinationFiles().isEmpty)
    }
}
