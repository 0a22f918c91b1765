import CanonicalJSON
import Foundation
import HealthRecords
import TestSupport

@testable import Biomarkers

/// An export of a few records and results, written by hand into a folder.
struct SmallExport {
    /// 2026-04-15T08:00:00Z: the day of the export, and of the newest samples unless a test says otherwise.
    static let today: Int64 = 1_776_240_000
    static let day: Int64 = 86_400

    var exportDate: Int64? = SmallExport.today
    /// Whether the date stands behind the records.
    var isDateLast = false
    var body: [String] = []
    var resources: [String: String] = [:]
    var tail = "</HealthData>\n"

    /// `2026-04-15 10:00:00 +0200`.
    static func stamp(_ seconds: Int64, offsetHours: Int64 = 2) -> String {
        let local = Double(seconds + offsetHours * 3_600 - Int64(RFC3339.referenceSince1970))
        let text = RFC3339.seconds(since2001: local) ?? ""
        return text.replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: "")
            + " \(offsetHours < 0 ? "-" : "+")0\(abs(offsetHours))00"
    }

    static func record(
        _ type: String, _ value: String?, _ unit: String?, at end: Int64, start: Int64? = nil, source: String = "Watch",
        version: String? = nil, created: Int64? = nil, offsetHours: Int64 = 2, mealTime: Int? = nil
    ) -> String {
        var text = "<Record type=\"HKQuantityTypeIdentifier\(type)\" sourceName=\"\(source)\""
        if let version { text += " sourceVersion=\"\(version)\"" }
        if let unit { text += " unit=\"\(unit)\"" }
        if let created { text += " creationDate=\"\(stamp(created))\"" }
        text += " startDate=\"\(stamp(start ?? end, offsetHours: offsetHours))\""
        text += " endDate=\"\(stamp(end, offsetHours: offsetHours))\""
        if let value { text += " value=\"\(value)\"" }
        guard let mealTime else { return text + "/>" }
        return text + ">\n  <MetadataEntry key=\"HKBloodGlucoseMealTime\" value=\"\(mealTime)\"/>\n </Record>"
    }

    /// A blood pressure inside its correlation.
    static func pressure(_ systolic: Int, _ diastolic: Int, at end: Int64) -> String {
        let dates = "startDate=\"\(stamp(end))\" endDate=\"\(stamp(end))\""
        return "<Correlation type=\"HKCorrelationTypeIdentifierBloodPressure\" sourceName=\"Cuff\" \(dates)>\n"
            + record("BloodPressureDiastolic", "\(diastolic)", "mmHg", at: end, source: "Cuff") + "\n"
            + record("BloodPressureSystolic", "\(systolic)", "mmHg", at: end, source: "Cuff") + "\n </Correlation>"
    }

    mutating func add(
        _ type: String, _ value: String?, _ unit: String?, daysAgo: Double, source: String = "Watch",
        mealTime: Int? = nil
    ) {
        let end = Self.today - Int64(daysAgo * Double(Self.day))
        body.append(Self.record(type, value, unit, at: end, source: source, mealTime: mealTime))
    }

    /// An Observation of FHIR R4; `more` are further members.
    mutating func observe(
        _ name: String, loinc: String? = nil, value: String, date: String? = "2026-03-01", status: String = "final",
        id: String? = nil, category: String? = "laboratory", more: String = "", file: String? = nil
    ) {
        let coding = loinc.map { ", \"coding\": [{\"system\": \"http://loinc.org\", \"code\": \"\($0)\"}]" } ?? ""
        var text = "{\"resourceType\": \"Observation\", \"status\": \"\(status)\", "
        text += "\"code\": {\"text\": \"\(name)\"\(coding)}, \(value)"
        if let date { text += ", \"effectiveDateTime\": \"\(date)\"" }
        if let id { text += ", \"id\": \"\(id)\"" }
        if let category { text += ", \"category\": [{\"coding\": [{\"code\": \"\(category)\"}]}]" }
        text += (more.isEmpty ? "" : ", " + more) + "}"
        resources[file ?? "Observation-\(resources.count).json"] = text
    }

    static func quantity(_ value: String, _ unit: String?) -> String {
        "\"valueQuantity\": {\"value\": \(value)" + (unit.map { ", \"unit\": \"\($0)\"" } ?? "") + "}"
    }

    /// The main file.
    var xml: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData locale=\"en_US\">\n"
        let date = exportDate.map { " <ExportDate value=\"\(Self.stamp($0))\"/>\n" } ?? ""
        if !isDateLast { text += date }
        for line in body { text += " " + line + "\n" }
        if isDateLast { text += date }
        return text + tail
    }

    /// Writes it and reads it.
    func propose(now: Int64 = SmallExport.today + 400 * SmallExport.day) throws -> ProposalReport {
        let folder = try TemporaryFolder()
        try Data(xml.utf8).write(to: URL(fileURLWithPath: folder.appending("export.xml")))
        let records = folder.appending("clinical-records")
        try FileManager.default.createDirectory(atPath: records, withIntermediateDirectories: false)
        for (name, text) in resources {
            try Data(text.utf8).write(to: URL(fileURLWithPath: records + "/" + name))
        }
        return try ExportProposals.propose(
            path: folder.path, options: ProposalOptions(now: Instant(secondsSince1970: Double(now))))
    }
}
