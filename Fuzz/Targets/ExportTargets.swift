import Foundation
import HealthRecords

@testable import HealthExport

/// The main file (apple-health-export.md 3 to 11, 15): a small buffer, cut pieces and the general path give the same
/// records as one piece on the fast path.
func fuzzExport(_ input: [UInt8]) {
    guard let input = KnobbedInput(input) else { return }
    let whole = readExport(input.bytes, usesFastPath: true, pieceSize: .max)
    let general = readExport(input.bytes, usesFastPath: false, pieceSize: .max)
    hold(whole == general, "both paths over a tag give the same records")
    let cut = readExport(input.bytes, usesFastPath: true, pieceSize: Int(input.knob) + 1)
    hold(whole == cut, "records do not depend on how the stream is cut")
}

/// What a reading gave, in one comparable value.
private struct ExportAnswer: Equatable {
    var records: [String] = []
    var others = 0
    var code: String?
    var counts: [String: Int] = [:]
    var brokenOffAt: Int?
}

/// Room for every input of this target: what does not fit into the buffer is passed over, and both ways of reading may
/// then stop at different places.
private let exportCapacity = 1 << 14

/// Tables have room for a whole export, which costs more than an input: each serves a thousand of them.
nonisolated(unsafe) private var tables = ExportTables()
nonisolated(unsafe) private var tableUseCount = 0

private func readExport(_ bytes: [UInt8], usesFastPath: Bool, pieceSize: Int) -> ExportAnswer {
    tableUseCount += 1
    if tableUseCount % 3_000 == 0 { tables = ExportTables() }
    let visitor = AnswerVisitor()
    var reader = ExportReader(
        source: MemoryBytes(bytes, pieceSize: pieceSize), entry: "export.xml", visitor: visitor,
        tables: tables, usesFastPath: usesFastPath, capacity: exportCapacity)
    defer { reader.scanner.deallocate() }
    do {
        let summary = try reader.run()
        visitor.answer.brokenOffAt = summary.brokenOffAt?.offset
        for problem in summary.problems.all { visitor.answer.counts[problem.code.rawValue] = problem.count }
        for (name, count) in summary.elements { visitor.answer.counts[name] = count }
    } catch let error as ExportError {
        visitor.answer.code = error.code
    } catch {
        fatalError("an export is refused with a code: \(type(of: error))")
    }
    return visitor.answer
}

private final class AnswerVisitor: ExportVisitor {
    var answer = ExportAnswer()

    func record(_ record: RecordView) {
        answer.records.append("\(record.offset) \(record.materialized())")
    }
    func correlation(_ correlation: HealthCorrelation) { answer.others += 1 }
    func workout(_ workout: HealthWorkout, routePaths paths: [String]) { answer.others += 1 + paths.count }
    func activitySummary(_ summary: ActivitySummary) { answer.others += 1 }
    func characteristics(_ characteristics: HealthCharacteristics) { answer.others += 1 }
    func clinicalRecord(_ record: ClinicalRecord) { answer.others += 1 }
    func audiogram(_ audiogram: Audiogram) { answer.others += 1 }
    func visionPrescription(_ prescription: VisionPrescription) { answer.others += 1 }
}

/// Routes (apple-health-export.md 13): each point lies on the earth, and cutting the stream changes nothing.
func fuzzRoute(_ input: [UInt8]) {
    guard let input = KnobbedInput(input) else { return }
    var points: [[RoutePoint]] = []
    for size in [Int.max, Int(input.knob) + 1] {
        var found: [RoutePoint] = []
        let summary = decoded {
            try RouteReader.read(MemoryBytes(input.bytes, pieceSize: size), entry: "a.gpx") { point in
                hold(abs(point.latitude) <= 90 && abs(point.longitude) <= 180, "a point lies on the earth")
                found.append(point)
            }
        }
        if let summary { hold(summary.pointCount == found.count, "points are counted as they are handed over") }
        points.append(found)
    }
    hold(points[0] == points[1], "points do not depend on how the stream is cut")
}

/// Electrocardiograms (apple-health-export.md 12): a recording has samples, all of them numbers, and a usable rate.
func fuzzElectrocardiogram(_ bytes: [UInt8]) {
    guard let recording = ElectrocardiogramReader.read(bytes, fileName: "a.csv") else { return }
    hold(!recording.microvolts.isEmpty, "a recording has samples")
    hold(recording.microvolts.allSatisfy(\.isFinite), "a sample is a number")
    hold(recording.sampleRate > 0 && recording.sampleRate.isFinite, "a rate is a positive number")
}
