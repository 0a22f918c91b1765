import Foundation
import HMDCItem
import HealthRecords
import Testing

@testable import HealthData

@Suite("Records in items")
struct ItemRoundTripTests {
    private func roundTrip(_ record: DailyRecord) throws -> DailyRecord {
        let bytes = try ItemEncoder().encode(record, kind: .macHealthDay)
        let copy = try ItemDecoder().decode(DailyRecord.self, from: bytes, kind: .macHealthDay)
        #expect(try ItemEncoder().encode(copy, kind: .macHealthDay) == bytes)
        return copy
    }

    @Test("a record comes out of an item as it went in, and renders the same files")
    func record() throws {
        let record = try SampleDay.record()
        let copy = try roundTrip(record)
        #expect(copy == record)
        for format in ExportFormat.allCases {
            let files = try [record, copy].map {
                try DayRenderer.bytes(of: DayDocument($0, detail: .timeSeries), as: format)
            }
            expectSameBytes(files[1], files[0])
        }
    }

    @Test("the archive of an export comes out as it went in")
    func archive() throws {
        let day = try TestDay()
        var sample = Source.quantity("HeartRate", 61.5, "count/min", from: day.at(1), to: day.at(1))
        sample.created = sample.end
        sample.metadata = [MetadataEntry(key: "k", value: "v")]
        let record = DayBuilder(zone: day.zone).record(
            of: day.day, from: SourceDay(records: [sample]), includesArchive: true)
        let copy = try roundTrip(record)
        #expect(copy == record)
        expectSameBytes(
            try DayDocument(copy, detail: .lossless).canonicalBytes(),
            try DayDocument(record, detail: .lossless).canonicalBytes())
    }

    @Test("members of a lap that are not known keep their kinds")
    func unknownMembers() throws {
        var record = try SampleDay.record()
        var lap = WorkoutSection(index: 1, startTime: SampleDay.at(18), endTime: SampleDay.at(18.25), duration: 900)
        lap.unknown = [
            "when": .date(SampleDay.at(18)), "raw": .data(Data([1, 2])), "n": .unsigned(7), "s": .signed(-7),
            "x": .double(0.5), "flag": .bool(true), "none": .null, "list": .array([.string("a"), .double(2)]),
            "map": .object(["k": .string("v")]),
        ]
        record.workouts[0].laps = [lap]
        #expect(try roundTrip(record).workouts[0].laps == [lap])
    }

    @Test("a key of another kind than ours is kept among the unknown, not lost and no error")
    func otherKinds() throws {
        let phone: [String: OpaqueValue] = [
            "index": .string("first"), "startTimeISO": .date(SampleDay.at(18)), "endTimeISO": .string("soon"),
            "duration": .signed(900),
        ]
        let bytes = try ItemEncoder().encode(OpaqueValue.object(phone), kind: .macHealthDay)
        let section = try ItemDecoder().decode(WorkoutSection.self, from: bytes, kind: .macHealthDay)
        #expect(section.startTime == SampleDay.at(18))
        #expect(section.duration == 900)
        #expect(section.unknown == ["index": .string("first"), "endTimeISO": .string("soon")])
    }

    @Test("an item of another version may leave out sections and lists that were not there yet")
    func missingParts() throws {
        let phone: [String: OpaqueValue] = [
            "date": .date(SampleDay.start),
            "timeContext": .object(["calendarTimeZoneIdentifier": .string("UTC"), "later": .bool(true)]),
            "heart": .object(["restingHeartRate": .double(55)]), "ring": .signed(3),
        ]
        let bytes = try ItemEncoder().encode(OpaqueValue.object(phone), kind: .macHealthDay)
        let record = try ItemDecoder().decode(DailyRecord.self, from: bytes, kind: .macHealthDay)
        #expect(record.heart.restingHeartRate == 55)
        #expect(record.heart.heartRateSamples.isEmpty && record.workouts.isEmpty)
        #expect(record.healthKitRecordCaptureStatus == .notRequested)
        let wrong = phone.merging(["steps": .null, "workouts": .string("none")]) { $1 }
        let refused = try ItemEncoder().encode(OpaqueValue.object(wrong), kind: .macHealthDay)
        #expect(throws: (any Error).self) {
            try ItemDecoder().decode(DailyRecord.self, from: refused, kind: .macHealthDay)
        }
    }
}
