import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

/// A job that an older build stored although no request can carry its range.
@Suite struct LongestRangeTests {
    private func requests(_ rig: EngineRig) -> [UUID] {
        rig.settle()
        return rig.channel.take().compactMap { if case .exportRequest(let request) = $0 { request.jobID } else { nil } }
    }

    /// A job for so many days, stored while the phone is away.
    private func stored(_ dayCount: Int, _ rig: EngineRig) throws -> UUID {
        let first = try #require(CalendarDay("1925-01-01"))
        let last = try #require(CalendarDay(daysSince1970: first.daysSince1970 + dayCount - 1))
        let (id, answers) = rig.createJob { request in
            request = JobRequest(jobID: request.jobID, dateSelection: .explicitRange(first: first, last: last))
            request.queueIfOffline = true
        }
        #expect(answers.answers.isEmpty && rig.engine.book.jobs[id]?.state == .queued)
        return id
    }

    @Test("the longest range is sent; one day more fails the job with its code, once, and the next job gets its turn")
    func tooLong() throws {
        for count in [RequestAcceptance.maximumDays, RequestAcceptance.maximumDays + 1] {
            let rig = try EngineRig()
            let id = try stored(count, rig)
            try rig.restart()
            rig.connect()
            let isSent = count == RequestAcceptance.maximumDays
            #expect(requests(rig) == (isSent ? [id] : []))
            guard !isSent else { continue }
            let job = try #require(rig.engine.book.jobs[id])
            #expect(job.state == .failed && job.result?.failureReason == "invalid_date_range")
            #expect(job.result?.message.contains("36600 days") == true)
            let (next, _) = rig.createJob()
            #expect(requests(rig) == [next])
            try rig.restart()
            rig.connect()
            #expect(requests(rig) == [next])
        }
    }

    @Test("a stored request that is larger than a record fails its job as well, also when a person resumes it")
    func tooLarge() throws {
        for isResumed in [false, true] {
            let rig = try EngineRig()
            let id = try stored(3, rig)
            if isResumed {
                rig.connect()
                #expect(requests(rig) == [id])
                rig.disconnect()
            }
            let count = SecureTransportLimits.recordDocumentByteCount + 1
            try rig.engine.store.transaction {
                try $0.run("UPDATE jobs SET wire_request = zeroblob(\(count)) WHERE job_id = '\(id.uuidString)'")
            }
            rig.connect()
            if isResumed { _ = rig.engine.resume(id, waitTimeoutSeconds: 30) { _ in } }
            #expect(requests(rig).isEmpty)
            #expect(rig.engine.book.jobs[id]?.result?.failureReason == "invalid_date_range")
        }
    }
}
