import Foundation
import Receiver
import Testing

@Suite struct JobRequestTests {
    @Test("time-out and queueing are not part of the immutable request, everything else is")
    func immutablePart() throws {
        let day = try #require(CalendarDay("2023-11-14"))
        let request = JobRequest(jobID: UUID(), dateSelection: .explicitRange(first: day, last: day))
        var other = request
        other.waitTimeoutSeconds = 5
        other.queueIfOffline = true
        #expect(request.isSameImmutableRequest(as: other))
        other.destination = "/elsewhere"
        #expect(!request.isSameImmutableRequest(as: other))
    }

    @Test("the HTTP status follows the response status")
    func httpStatus() {
        #expect(ControlResponse(status: .partialSuccess, message: "").httpStatus == 200)
        #expect(ControlResponse(status: .preparing, message: "").httpStatus == 202)
        #expect(ControlResponse(status: .timedOut, message: "").httpStatus == 408)
        #expect(ControlResponse(status: .unavailable, message: "", failureReason: "job_not_found").httpStatus == 404)
        #expect(ControlResponse(status: .unavailable, message: "", failureReason: "job_expired").httpStatus == 409)
        #expect(ControlResponse(status: .cancelled, message: "").httpStatus == 409)
    }
}
