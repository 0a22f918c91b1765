import CanonicalJSON
import Foundation
import HealthData
import HealthRecords

@testable import Sender

/// Health data that is made up from the day alone, so that every run of a scenario exports the same bytes.
final class SimulatedLibrary: DayLibrary, @unchecked Sendable {
    let first: CivilDate
    let dayCount: Int

    init(first: CivilDate, dayCount: Int) {
        self.first = first
        self.dayCount = dayCount
    }

    func currentGeneration() throws -> Int? { 1 }

    func open(_ generation: Int) throws -> any DaySource { SimulatedDays(self) }

    func day(_ offset: Int) -> CivilDate { first.adding(days: offset) ?? first }
}

private final class SimulatedDays: DaySource {
    private let library: SimulatedLibrary
    let zone = CalendarZone.utc

    init(_ library: SimulatedLibrary) {
        self.library = library
    }

    private struct Unreadable: Error {}

    func coverage() throws -> ClosedRange<CivilDate>? { library.first...library.day(library.dayCount - 1) }

    func losslessDay(of day: CivilDate, metricIDs: [String]?, version: DocumentVersion) throws -> LosslessDay {
        try LosslessDay(try record(of: day, metricIDs: metricIDs, includesArchive: true), version: version)
    }

    /// Of seven days one is empty, one cannot be read, one is long.
    func record(of day: CivilDate, metricIDs: [String]?, includesArchive: Bool) throws -> DailyRecord {
        let kind = day.daysSince1970 % 7
        if kind == 3 { throw Unreadable() }
        let instant = Double(day.daysSince1970) * 86_400
        var record = DailyRecord(date: Date(timeIntervalSince1970: instant), calendarTimeZoneIdentifier: "UTC")
        if kind != 5 { record.activity.steps = 1_000 + day.daysSince1970 % 1_000 }
        if kind == 1 {
            record.heart.heartRateSamples = (0..<12).map {
                .init(timestamp: record.date.addingTimeInterval(Double($0) * 60), value: 60 + Double($0))
            }
        }
        if includesArchive {
            record.healthKitRecordArchive = RecordArchive(
                captureStatus: .complete,
                dailyOwnership: .init(
                    ownerDate: day.description, intervalStart: record.date,
                    intervalEnd: record.date.addingTimeInterval(86_400), calendarTimeZoneIdentifier: "UTC"))
            record.healthKitRecordCaptureStatus = .complete
        }
        return record
    }
}
