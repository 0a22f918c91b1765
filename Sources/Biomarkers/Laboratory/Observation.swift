import CanonicalJSON
import HealthRecords

/// A FHIR Observation as far as it is needed here, DSTU2 or R4 (apple-health-export.md 14).
struct Observation {
    /// What kind of result it is.
    enum Category {
        case laboratory
        /// Nothing said: taken as a laboratory's.
        case unstated
        case vitalSigns
        case other
    }

    /// What the value is.
    enum Value {
        /// A number with the text that stood in the file.
        case number(Double, text: String)
        /// A bound, words, a range, a yes or no.
        case words(String)
        case absent
    }

    /// The server's id of the resource.
    var id: String?
    /// In lower case.
    var status: String
    var category: Category
    /// LOINC codes in order, with what the sender calls them.
    var loincCodes: [(code: String, display: String?)]
    /// `code.text`, else the first display, else the first local code.
    var name: String
    /// Every printed name.
    var names: [String]
    /// Where the material came from, as printed.
    var specimen: String
    var value: Value
    /// UCUM code or printed unit.
    var unit: String?
    var date: ClinicalDate?
    /// The date as written, also when it cannot be read.
    var dateText: String?
    /// When the result was made available; the later one of two equal dates wins.
    var issued: Instant?
    /// `meta.versionId`.
    var version: Int

    /// The value as it was written, without the unit.
    var valueText: String? {
        switch value {
        case .number(_, let text), .words(let text): text
        case .absent: nil
        }
    }
}

/// Reads FHIR resources out of parsed JSON. Takes an object where an array is usual and the other way round.
enum ObservationReader {
    /// What one file of `clinical-records` holds.
    struct Contents {
        var observations: [Observation] = []
        /// Panels and narratives: name, date, status.
        var reports: [Unplaceable] = []
        /// Resources by type.
        var counts: [String: Int] = [:]
    }

    /// Resources in one file; beyond it the file is no clinical record.
    static let resourceLimit = 10_000

    private static let loincSystems: Set<String> = [
        "http://loinc.org", "http://loinc.org/", "https://loinc.org", "https://loinc.org/",
        "urn:oid:2.16.840.1.113883.6.1",
    ]
    private static let ucumSystems: Set<String> = [
        "http://unitsofmeasure.org", "http://unitsofmeasure.org/", "https://unitsofmeasure.org",
    ]

    /// Reads a resource, a Bundle, or an array of resources.
    static func read(_ document: JSONValue, zone: CalendarZone) -> Contents {
        var contents = Contents()
        var pending = [document]
        while let next = pending.popLast(), contents.counts.values.reduce(0, +) < resourceLimit {
            if let elements = next.array {
                pending += elements.reversed()
                continue
            }
            guard let type = next["resourceType"]?.string else { continue }
            contents.counts[type, default: 0] += 1
            switch type {
            case "Bundle":
                pending += (next["entry"]?.array ?? []).compactMap { $0["resource"] }.reversed()
            case "Observation":
                contents.observations.append(observation(next, zone))
            case "DiagnosticReport":
                contents.reports.append(report(next))
            default: break
            }
        }
        return contents
    }

    private static func observation(_ resource: JSONValue, _ zone: CalendarZone) -> Observation {
        let codings = list(resource["code"]?["coding"])
        let loinc = codings.filter { loincSystems.contains($0["system"]?.string ?? "") }
        let text = resource["code"]?["text"]?.string?.trimmingBlanks
        let displays = codings.compactMap { $0["display"]?.string?.trimmingBlanks }
        let names = ([text].compactMap(\.self) + displays).filter { !$0.isEmpty }
        let (value, unit) = value(of: resource)
        let dateText = dateText(resource)
        return Observation(
            id: resource["id"]?.string, status: (resource["status"]?.string ?? "").lowercased(),
            category: category(resource["category"]),
            loincCodes: loinc.compactMap { coding in
                coding["code"]?.string.map { (code: $0.trimmingBlanks, display: coding["display"]?.string) }
            },
            name: names.first ?? codings.first?["code"]?.string ?? "(no name)", names: names,
            specimen: [resource["specimen"]?["display"]?.string, conceptText(resource["specimen"]?["type"])]
                .compactMap(\.self).joined(separator: " "),
            value: value, unit: unit, date: dateText.flatMap { ClinicalDate($0, zone: zone) }, dateText: dateText,
            issued: resource["issued"]?.string.flatMap(RFC3339.parse).map { Instant(secondsSince2001: $0) },
            version: resource["meta"]?["versionId"]?.string.flatMap { Int($0) } ?? 0)
    }

    private static func report(_ resource: JSONValue) -> Unplaceable {
        let codings = list(resource["code"]?["coding"])
        return Unplaceable(
            kind: .report, name: conceptText(resource["code"]) ?? "(no name)",
            loinc: codings.first { loincSystems.contains($0["system"]?.string ?? "") }?["code"]?.string,
            valueText: resource["conclusion"]?.string, date: dateText(resource),
            reason: resource["status"]?.string == "entered-in-error" ? .withdrawn : .notANumber)
    }

    /// `effectiveDateTime`, else the begin of `effectivePeriod`, else `issued`. Never the date of the download.
    private static func dateText(_ resource: JSONValue) -> String? {
        resource["effectiveDateTime"]?.string ?? resource["effectiveInstant"]?.string
            ?? resource["effectivePeriod"]?["start"]?.string ?? resource["issued"]?.string
    }

    private static func category(_ field: JSONValue?) -> Observation.Category {
        let concepts = list(field)
        guard !concepts.isEmpty else { return .unstated }
        var words: Set<String> = []
        for concept in concepts {
            for coding in list(concept["coding"]) {
                words.insert((coding["code"]?.string ?? "").lowercased())
                words.insert((coding["display"]?.string ?? "").lowercased())
            }
            words.insert((concept["text"]?.string ?? "").lowercased())
        }
        words.remove("")
        if words.isEmpty { return .unstated }
        if !words.isDisjoint(with: ["laboratory", "lab", "labs"]) { return .laboratory }
        if !words.isDisjoint(with: ["vital-signs", "vital signs"]) { return .vitalSigns }
        return .other
    }

    // MARK: Values

    private static func value(of resource: JSONValue) -> (Observation.Value, String?) {
        if let quantity = resource["valueQuantity"] { return value(ofQuantity: quantity) }
        if let text = resource["valueString"]?.string { return (value(ofText: text), nil) }
        if let concept = resource["valueCodeableConcept"] {
            return (conceptText(concept).map(Observation.Value.words) ?? .absent, nil)
        }
        if let number = resource["valueInteger"]?.number {
            return (.number(number.double, text: text(number)), nil)
        }
        if let flag = resource["valueBoolean"]?.bool { return (.words(flag ? "true" : "false"), nil) }
        if let ratio = resource["valueRatio"] {
            let parts = ["numerator", "denominator"].map { quantityText(ratio[$0]) }
            return (.words(parts.joined(separator: " : ")), nil)
        }
        if let range = resource["valueRange"] {
            return (.words(["low", "high"].map { quantityText(range[$0]) }.joined(separator: " – ")), nil)
        }
        let components = list(resource["component"])
        if !components.isEmpty { return (.words(componentsText(components)), nil) }
        return (conceptText(resource["dataAbsentReason"]).map(Observation.Value.words) ?? .absent, nil)
    }

    private static func value(ofQuantity quantity: JSONValue) -> (Observation.Value, String?) {
        let isUCUM = ucumSystems.contains(quantity["system"]?.string ?? "")
        let unit = (isUCUM ? quantity["code"]?.string : nil) ?? quantity["unit"]?.string ?? quantity["code"]?.string
        let value: Observation.Value =
            if let number = quantity["value"]?.number {
                .number(number.double, text: text(number))
            } else if let text = quantity["value"]?.string {
                self.value(ofText: text)
            } else {
                .absent
            }
        guard let comparator = quantity["comparator"]?.string, !comparator.isEmpty else { return (value, unit) }
        // A bound is not the number that stands beside the sign.
        switch value {
        case .number(_, let text), .words(let text): return (.words(comparator + text), unit)
        case .absent: return (.words(comparator), unit)
        }
    }

    /// A number when the whole text is one: digits with a point and no exponent games.
    private static func value(ofText text: String) -> Observation.Value {
        let trimmed = text.trimmingBlanks
        let isDecimal =
            trimmed.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x2D }
            && trimmed.utf8.contains { $0 &- 0x30 < 10 }
        if isDecimal, trimmed.utf8.count <= 32, let number = Double(trimmed) { return .number(number, text: trimmed) }
        return trimmed.isEmpty ? .absent : .words(trimmed)
    }

    private static func text(_ number: JSONNumber) -> String {
        var bytes: [UInt8] = []
        JSONNumberText.append(number, style: .shortest, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func quantityText(_ quantity: JSONValue?) -> String {
        guard let quantity else { return "?" }
        let (value, unit) = value(ofQuantity: quantity)
        let number: String
        switch value {
        case .number(_, let text), .words(let text): number = text
        case .absent: number = "?"
        }
        return unit.map { number + " " + $0 } ?? number
    }

    private static func componentsText(_ components: [JSONValue]) -> String {
        components.map { component in
            let name = conceptText(component["code"]) ?? list(component["code"]?["coding"]).first?["code"]?.string
            let value = value(of: component)
            let text: String
            switch value.0 {
            case .number(_, let number), .words(let number): text = value.1.map { number + " " + $0 } ?? number
            case .absent: text = "?"
            }
            return name.map { "\($0): \(text)" } ?? text
        }.joined(separator: "; ")
    }

    // MARK: Shapes

    /// The elements of an array, or the one thing that stands in its place.
    private static func list(_ field: JSONValue?) -> [JSONValue] {
        guard let field, !field.isNull else { return [] }
        return field.array ?? [field]
    }

    /// The text of a CodeableConcept, else its first display.
    private static func conceptText(_ concept: JSONValue?) -> String? {
        if let text = concept?["text"]?.string?.trimmingBlanks, !text.isEmpty { return text }
        return list(concept?["coding"]).compactMap { $0["display"]?.string?.trimmingBlanks }.first { !$0.isEmpty }
    }
}
