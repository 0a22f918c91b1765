import Foundation
import Receiver
import Testing

@Suite struct CalendarDayTests {
    @Test("a label is ten strict characters of a day that exists")
    func strictLabels() {
        for label in ["2023-11-14", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            #expect(CalendarDay(label)?.description == label)
        }
        for label in [
            "2023-02-29", "1900-02-29", "2023-13-01", "2023-00-10", "2023-01-00", "2023-04-31", "0000-01-01",
            "2023-1-01", "2023-01-1", "20230101", "2023-01-01 ", "２０２３-01-01", "+023-01-01", "",
        ] {
            #expect(CalendarDay(label) == nil, "\(label)")
        }
    }

    @Test("days count from 1970-01-01 and every day has its own label")
    func arithmetic() throws {
        #expect(try #require(CalendarDay("1970-01-01")).dayNumber == 0)
        #expect(try #require(CalendarDay("2001-01-01")).dayNumber == 11_323)
        var day = try #require(CalendarDay("1999-12-25"))
        for _ in 0..<800 {
            #expect(CalendarDay(day.description) == day)
            day = try #require(day.adding(days: 1))
        }
        #expect(day.description == "2002-03-04")
        #expect(try #require(CalendarDay("9999-12-31")).adding(days: 1) == nil)
    }
}

@Suite struct ExportRequestTests {
    @Test("time-out and queueing are not part of the immutable request, everything else is")
    func immutablePart() throws {
        let day = try #require(CalendarDay("2023-11-14"))
        let request = ExportRequest(jobID: UUID(), dateSelection: .explicitRange(first: day, last: day))
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
