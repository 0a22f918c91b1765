import CanonicalJSON
import Foundation
import HealthRecords
import Testing

@testable import HealthData

@Suite("The day builder")
struct DayBuilderTests {
    private let day: TestDay

    init() throws { day = try TestDay() }

    @Test("watch and phone steps of one stretch count once, by the priority of the watch")
    func steps() throws {
        let record = try day.build([
            Source.quantity("StepCount", 500, "count", from: day.at(9), to: day.at(9.5), Source.watch),
            Source.quantity("StepCount", 600, "count", from: day.at(9), to: day.at(9.5), Source.phone),
            Source.quantity("StepCount", 120, "count", from: day.at(12), to: day.at(12.1), Source.phone),
        ])
        #expect(record.activity.steps == 620)
    }

    @Test("the person's order of sources wins over the default")
    func userOrder() throws {
        let records = [
            Source.quantity("StepCount", 500, "count", from: day.at(9), to: day.at(9.5), Source.watch),
            Source.quantity("StepCount", 700, "count", from: day.at(9), to: day.at(9.5), Source.app),
        ]
        #expect(try day.build(records).activity.steps == 500)
        #expect(try day.build(records, sources: ["steps & more"]).activity.steps == 700)
        #expect(try day.build(records, sources: ["Robin’s Apple Watch", "Steps & More"]).activity.steps == 500)
    }

    @Test("an exact copy of a sample counts once; equal instants with other metadata both count")
    func duplicates() throws {
        let steps = Source.quantity("StepCount", 50, "count", from: day.at(9), to: day.at(9.1))
        var copy = steps
        copy.created = Instant(secondsSince1970: day.at(20))
        #expect(try day.build([steps, copy]).activity.steps == 50)
        var bread = Source.quantity("DietaryProtein", 4, "g", from: day.at(12), to: day.at(12), Source.app)
        bread.metadata = [MetadataEntry(key: "HKFoodType", value: "Bread")]
        var cheese = bread
        cheese.metadata = [MetadataEntry(key: "HKFoodType", value: "Cheese")]
        #expect(try day.build([bread, cheese]).nutrition.protein == 8)
    }

    @Test("units of the export are converted to those of the record")
    func units() throws {
        let record = try day.build([
            Source.quantity("DistanceWalkingRunning", 2, "mi", from: day.at(9), to: day.at(10)),
            Source.quantity("ActiveEnergyBurned", 418.4, "kJ", from: day.at(9), to: day.at(10)),
            Source.quantity("BodyMass", 150, "lb", from: day.at(8), to: day.at(8)),
            Source.quantity("BodyTemperature", 98.6, "degF", from: day.at(8), to: day.at(8)),
            Source.quantity("BloodGlucose", 5, "mmol<180.1558800000541>/L", from: day.at(8), to: day.at(8)),
            Source.quantity("OxygenSaturation", 0.97, "%", from: day.at(3), to: day.at(3)),
            Source.quantity("OxygenSaturation", 95, "%", from: day.at(4), to: day.at(4)),
            Source.quantity("WaistCircumference", 33, "in", from: day.at(8), to: day.at(8)),
            Source.quantity("AppleWalkingSteadiness", 0.92, "%", from: day.at(8), to: day.at(8)),
            Source.quantity("DietaryWater", 10, "fl_oz_us", from: day.at(8), to: day.at(8)),
            Source.quantity("DietaryVitaminD", 0.02, "mg", from: day.at(8), to: day.at(8)),
        ])
        #expect(record.activity.walkingRunningDistance == 2 * 1_609.344)
        #expect(abs((record.activity.activeCalories ?? 0) - 100) < 1e-9)
        #expect(abs((record.body.weight ?? 0) - 68.0388555) < 1e-9)
        #expect(abs((record.vitals.bodyTemperatureAvg ?? 0) - 37) < 1e-9)
        #expect(abs((record.vitals.bloodGlucoseAvg ?? 0) - 90.07794) < 1e-9)
        #expect(record.vitals.bloodOxygenMin == 0.95)
        #expect(record.vitals.bloodOxygenMax == 0.97)
        #expect(abs((record.body.waistCircumference ?? 0) - 83.82) < 1e-9)
        #expect(abs((record.mobility.walkingSteadiness ?? 0) - 92) < 1e-9)
        #expect(abs((record.nutrition.water ?? 0) - 0.295735295625) < 1e-12)
        #expect(abs((record.vitamins.vitaminD ?? 0) - 20) < 1e-9)
    }

    @Test("a value in an unknown unit is left out and reported")
    func unknownUnit() throws {
        let record = try day.build([
            Source.quantity("BodyMass", 11, "stone-ish", from: day.at(8), to: day.at(8)),
            Source.quantity("OxygenSaturation", 180, "%", from: day.at(8), to: day.at(8)),
        ])
        #expect(record.body.weight == nil)
        #expect(record.vitals.bloodOxygenAvg == nil)
        #expect(
            record.partialFailures.map(\.dataType)
                == ["HKQuantityTypeIdentifierBodyMass", "HKQuantityTypeIdentifierOxygenSaturation"])
        #expect(!record.partialFailures.contains { $0.errorDescription.contains("180") })
    }

    @Test("averages and extremes take every source; most recent is the latest end in the day")
    func discrete() throws {
        let record = try day.build([
            Source.quantity("HeartRate", 60, "count/min", from: day.at(1), to: day.at(1), Source.watch),
            Source.quantity("HeartRate", 90, "count/min", from: day.at(2), to: day.at(2), Source.app),
            Source.quantity("HeartRate", 200, "count/min", from: day.at(24), to: day.at(24)),
            Source.quantity("RestingHeartRate", 55, "count/min", from: day.at(0), to: day.at(23)),
            Source.quantity("RestingHeartRate", 57, "count/min", from: day.at(6), to: day.at(7)),
        ])
        #expect(record.heart.averageHeartRate == 75)
        #expect(record.heart.heartRateMin == 60)
        #expect(record.heart.heartRateMax == 90)
        #expect(record.heart.restingHeartRate == 55)
        #expect(record.heart.heartRateSamples.map(\.value) == [60, 90])
    }

    @Test("stand hours are distinct local hours with a stood sample")
    func standHours() throws {
        let record = try day.build([
            Source.category("AppleStandHour", "AppleStandHourStood", from: day.at(8), to: day.at(9)),
            Source.category("AppleStandHour", "AppleStandHourStood", from: day.at(8.5), to: day.at(9), Source.phone),
            Source.category("AppleStandHour", "AppleStandHourIdle", from: day.at(9), to: day.at(10)),
            Source.category("AppleStandHour", "AppleStandHourStood", from: day.at(10), to: day.at(11)),
        ])
        #expect(record.activity.standHours == 2)
    }

    @Test("symptoms that are not present are not counted; unknown days stay without values")
    func symptoms() throws {
        let record = try day.build([
            Source.category("Headache", "SeverityModerate", from: day.at(8), to: day.at(9)),
            Source.category("Headache", "SeverityNotPresent", from: day.at(10), to: day.at(11)),
            Source.category("Fatigue", "SeverityNotPresent", from: day.at(10), to: day.at(11)),
        ])
        #expect(record.symptoms.counts == ["symptom_headache": 1])
        #expect(record.symptoms.samples.first?.symbolicValue == "moderate")
        #expect(record.symptoms.samples.first?.rawValue == 3)
    }

    @Test("mindful minutes are the plain sum of durations of sessions that start in the day")
    func mindful() throws {
        let record = try day.build([
            Source.category("MindfulSession", "NotApplicable", from: day.at(8), to: day.at(8.25)),
            Source.category("MindfulSession", "NotApplicable", from: day.at(8.1), to: day.at(8.2), Source.app),
            Source.category("MindfulSession", "NotApplicable", from: day.at(-0.1), to: day.at(0.5)),
        ])
        #expect(abs((record.mindfulness.mindfulMinutes ?? 0) - 21) < 1e-6)
        #expect(record.mindfulness.mindfulSessions == 2)
    }

    @Test("VO2 max is carried forward from the newest sample before the end of the day, never from the future")
    func cardioFitness() throws {
        let earlier = Source.quantity("VO2Max", 41, "mL/min·kg", from: day.at(-48), to: day.at(-48))
        let future = Source.quantity("VO2Max", 49, "mL/min·kg", from: day.at(25), to: day.at(25))
        let carried = try day.build([future], carried: [earlier])
        #expect(carried.activity.vo2Max == 41)
        #expect(carried.activity.vo2MaxCarriedForward == true)
        #expect(carried.activity.vo2MaxAgeSeconds == 172_800)
        let today = Source.quantity("VO2Max", 42, "mL/min·kg", from: day.at(12), to: day.at(12))
        let fresh = try day.build([today], carried: [earlier])
        #expect(fresh.activity.vo2Max == 42)
        #expect(fresh.activity.vo2MaxCarriedForward == false)
        #expect(fresh.activity.vo2MaxAgeSeconds == 0)
        #expect(fresh.activity.vo2MaxSourceUUID != carried.activity.vo2MaxSourceUUID)
    }

    @Test("pressures pair by correlation, and by source and time where no correlation holds them")
    func bloodPressure() throws {
        let first = [
            Source.quantity("BloodPressureSystolic", 118, "mmHg", from: day.at(8), to: day.at(8)),
            Source.quantity("BloodPressureDiastolic", 76, "mmHg", from: day.at(8), to: day.at(8)),
        ]
        let loose = [
            Source.quantity("BloodPressureSystolic", 124, "mmHg", from: day.at(20), to: day.at(20)),
            Source.quantity("BloodPressureDiastolic", 80, "mmHg", from: day.at(20), to: day.at(20)),
        ]
        let correlation = HealthCorrelation(
            type: "HKCorrelationTypeIdentifierBloodPressure", source: Source.watch, start: first[0].start,
            end: first[0].end, members: first.reversed(), contentDigest: [1, 2, 3])
        let record = try day.build(first + loose, correlations: [correlation])
        #expect(record.vitals.bloodPressureSystolicAvg == 121)
        #expect(record.vitals.bloodPressureDiastolicMax == 80)
        #expect(record.vitals.bloodPressureSamples.map(\.systolic) == [118, 124])
        #expect(record.vitals.bloodPressureSamples.map(\.diastolic) == [76, 80])
        #expect(
            record.vitals.bloodPressureSamples.first?.metadata["healthmd_id_source"]
                == "apple_health_export_content_digest")
    }

    @Test("only selected metrics are computed; one sleep or workout metric selects the shared section")
    func selection() throws {
        let records = [
            Source.quantity("StepCount", 500, "count", from: day.at(9), to: day.at(9.5)),
            Source.quantity("HeartRate", 60, "count/min", from: day.at(1), to: day.at(1)),
            Source.category("SleepAnalysis", "SleepAnalysisAsleepDeep", from: day.at(23), to: day.at(24)),
        ]
        let record = try day.build(records, selection: MetricSelection(metricIDs: ["steps", "sleep_rem"]))
        #expect(record.activity.steps == 500)
        #expect(record.heart.averageHeartRate == nil)
        #expect(record.heart.heartRateSamples.isEmpty)
        #expect(record.sleep.deepSleep == 3_600)
    }

    @Test("every exportable quantity with a summary value reaches its place in the document")
    func coverage() throws {
        let metrics = Registry.current.metrics.filter {
            !$0.isArchiveOnly && $0.isExportable && $0.recordUnit != nil
        }
        #expect(metrics.count > 90)
        let records = metrics.map { metric in
            HealthRecord(
                type: metric.healthKitIdentifier ?? "", source: Source.watch,
                value: .quantity(1, unit: metric.recordUnit ?? ""), start: Instant(secondsSince1970: day.at(9)),
                end: Instant(secondsSince1970: day.at(9.1)))
        }
        let document = try DayDocument(day.build(records), detail: .timeSeries)
        for metric in metrics {
            for place in metric.outputs.compactMap(\.places.first) {
                #expect(document.value(place.path) != nil, "\(metric.id): \(place.path)")
            }
        }
    }

    @Test("days around clock changes have 23 and 25 hours")
    func clockChanges() throws {
        let spring = try TestDay("2026-03-29")
        let autumn = try TestDay("2026-10-25")
        #expect(spring.frame.interval.upperBound - spring.frame.interval.lowerBound == 23 * 3_600)
        #expect(autumn.frame.interval.upperBound - autumn.frame.interval.lowerBound == 25 * 3_600)
        let late = Source.quantity("HeartRate", 60, "count/min", from: autumn.at(24.5), to: autumn.at(24.5))
        #expect(try autumn.build([late]).heart.averageHeartRate == 60)
        #expect(try spring.build([late]).heart.averageHeartRate == nil)
        let stood = [1.0, 2.0, 3.0].map {
            Source.category("AppleStandHour", "AppleStandHourStood", from: autumn.at($0), to: autumn.at($0 + 1))
        }
        #expect(try autumn.build(stood).activity.standHours == 2, "02:00 comes twice and is one local hour")
    }
}

@Suite("Name-based UUIDs")
struct NameBasedUUIDTests {
    @Test("SHA-1 gives the digests of FIPS 180-4")
    func digests() {
        func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        #expect(hex(SHA1.hash(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(hex(SHA1.hash([])) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        #expect(
            hex(SHA1.hash(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)))
                == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    }

    @Test("a digest has one identity, of version 5 and the RFC variant")
    func version() {
        let uuid = NameBasedUUID.uuid([1, 2, 3])
        #expect(uuid == NameBasedUUID.uuid([1, 2, 3]))
        #expect(uuid != NameBasedUUID.uuid([1, 2, 4]))
        #expect(uuid.uuid.6 >> 4 == 5)
        #expect(uuid.uuid.8 >> 6 == 2)
    }
}
