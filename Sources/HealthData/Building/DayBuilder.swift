import CanonicalJSON
import Foundation
import HealthRecords

/// Builds the record of one day from what an Apple Health export holds (health-data.md 6, 7, 8 and 10).
///
/// A pure function of its input. What an export cannot hold stays absent; what it holds but cannot be read becomes a
/// partial failure.
public struct DayBuilder: Sendable {
    /// The zone that defines days.
    public let zone: CalendarZone
    /// Which source counts where several overlap.
    public let sources: SourcePriority
    /// Which metrics are computed.
    public let selection: MetricSelection

    /// A builder for one zone.
    public init(
        zone: CalendarZone, sources: SourcePriority = SourcePriority(), selection: MetricSelection = .all
    ) {
        self.zone = zone
        self.sources = sources
        self.selection = selection
    }

    /// The record of a day; with `includesArchive` every source object of the selected metrics comes along.
    public func record(
        of day: CivilDate, from source: SourceDay, includesArchive: Bool = false
    ) -> DailyRecord {
        var build = DayBuild(builder: self, frame: DayFrame(day: day, zone: zone), source: source)
        build.run()
        if includesArchive { build.buildArchive() }
        return build.record
    }
}

/// One day being built.
struct DayBuild {
    let builder: DayBuilder
    let frame: DayFrame
    let source: SourceDay
    let samples: SampleIndex
    var record: DailyRecord

    init(builder: DayBuilder, frame: DayFrame, source: SourceDay) {
        self.builder = builder
        self.frame = frame
        self.source = source
        samples = SampleIndex(source.records)
        record = DailyRecord(
            date: Date(timeIntervalSince1970: frame.interval.lowerBound),
            calendarTimeZoneIdentifier: frame.zone.identifier)
    }

    mutating func run() {
        buildPlainMetrics()
        buildCategories()
        buildCardioFitness()
        buildBloodPressure()
        buildSeries()
        buildSleep()
        buildWorkouts()
        reportFailures()
    }

    private var archiveBuild: ArchiveBuild {
        ArchiveBuild(frame: frame, source: source, samples: samples, selection: builder.selection)
    }

    func archiveContents() -> ArchiveBuild.Contents { archiveBuild.contents() }

    mutating func buildArchive() {
        let archive = archiveBuild.archive()
        record.healthKitRecordArchive = archive
        record.healthKitRecordCaptureStatus = archive.captureStatus
    }

    func isSelected(_ metricID: String) -> Bool { builder.selection.contains(metricID) }

    private mutating func reportFailures() {
        // What was not asked for makes nothing of what was asked for partial.
        let selection = builder.selection
        for failure in source.failures where selection.concerns(type: failure.dataType) {
            report(failure.dataType, failure.code)
        }
        for (type, count) in samples.unreadableCounts(in: frame) where selection.concerns(type: type) {
            report(type, "\(count) values without a number or a known unit were left out")
        }
    }

    private mutating func report(_ dataType: String, _ reason: String) {
        record.partialFailures.append(
            DailyRecord.PartialFailure(
                date: record.date, dataType: dataType, dateRangeDescription: frame.day.description,
                errorDescription: reason))
    }
}
