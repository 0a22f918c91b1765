import CanonicalJSON
import Foundation
import HealthRecords

/// Hearing tests, prescriptions, recordings and clinical records of an export. Fields are named as the source's own payloads
/// are (health-data.md 5.3); a value whose unit is another than the name says stands as a quantity beside it.
extension ExternalRecord {
    // MARK: Hearing

    init(_ audiogram: Audiogram) {
        var fields = Self.origin(
            audiogram.source, audiogram.start, audiogram.end, audiogram.created, audiogram.metadata)
        fields.set("sensitivityPoints", list: audiogram.points.map(Self.point))
        self.init(
            identifier: Self.identifier(audiogram.contentDigest), type: Self.audiogramType, kind: "audiogram",
            metricIDs: ["audiograms"], fields: fields)
    }

    private static let audiogramType = "HKDataTypeIdentifierAudiogram"

    private static func point(_ point: Audiogram.SensitivityPoint) -> OpaqueValue {
        var fields = TypedFields()
        if point.frequency.unit == "Hz" {
            fields.set("frequencyHertz", point.frequency.value)
        } else {
            fields.set("frequency", value: quantity(point.frequency.value, unit: point.frequency.unit))
        }
        let ears: [(side: String, ear: Audiogram.Ear?)] = [("left", point.left), ("right", point.right)]
        fields.set("tests", list: ears.compactMap { side, ear in ear.map { test(side, $0) } })
        return fields.dictionary
    }

    private static func test(_ side: String, _ ear: Audiogram.Ear) -> OpaqueValue {
        var fields = TypedFields()
        fields.set("side", side)
        if ear.unit == "dBHL" {
            fields.set("sensitivityDBHL", ear.value)
        } else {
            fields.set("sensitivity", value: quantity(ear.value, unit: ear.unit))
        }
        if let masked = ear.masked { fields.set("masked", value: TypedValue.bool(masked)) }
        fields.set("lowerClampingBoundDBHL", ear.clampingLowerBound)
        fields.set("upperClampingBoundDBHL", ear.clampingUpperBound)
        return fields.dictionary
    }

    // MARK: Sight

    init(_ prescription: VisionPrescription) {
        var fields = TypedFields()
        fields.set("startDate", prescription.issued.date)
        fields.set("dateIssued", prescription.issued.date)
        fields.set("expirationDate", prescription.expires?.date)
        fields.set("prescriptionType", prescription.type)
        fields.set("brand", prescription.brand)
        for (name, eye) in [("rightEye", prescription.rightEye), ("leftEye", prescription.leftEye)] where !eye.isEmpty {
            fields.set(name, value: Self.eye(eye))
        }
        fields.set("attachmentIdentifiers", list: prescription.attachments.map(TypedValue.string))
        if !prescription.metadata.isEmpty { fields.set("metadata", value: Self.metadata(prescription.metadata)) }
        self.init(
            identifier: Self.identifier(prescription.contentDigest), type: "HKVisionPrescriptionTypeIdentifier",
            kind: "visionPrescription", metricIDs: ["vision_prescriptions"], fields: fields)
    }

    /// The names of an eye's values where they differ from the attributes of the export.
    private static let eyeNames = [
        "add": "addPower", "vertex": "vertexDistance", "farPD": "farPupillaryDistance",
        "nearPD": "nearPupillaryDistance",
    ]
    /// The values that stand together.
    private static let prismNames = ["prismAmount": "amount", "prismAngle": "angle"]

    private static func eye(_ values: [String: UnitValue]) -> OpaqueValue {
        var fields = TypedFields()
        var prism = TypedFields()
        for (name, value) in values {
            let typed = quantity(value.value, unit: value.unit)
            if let part = prismNames[name] {
                prism.set(part, value: typed)
            } else {
                fields.set(eyeNames[name] ?? name, value: typed)
            }
        }
        if !prism.values.isEmpty { fields.set("prism", value: prism.dictionary) }
        return fields.dictionary
    }

    // MARK: Heart

    /// A recording.
    ///
    /// - Parameter includesVoltages: false leaves ``voltagesKey`` out: as a tree they are tens of megabytes, so the writer of documents
    ///   makes them one by one.
    init(_ recording: Electrocardiogram, includesVoltages: Bool = true) {
        let seconds = Double(recording.microvolts.count) / recording.sampleRate
        var fields = TypedFields()
        fields.set("startDate", recording.recorded.date)
        fields.set("endDate", Instant(secondsSince1970: recording.recorded.secondsSince1970 + seconds).date)
        fields.set("classification", recording.classification)
        fields.set("symptomsStatus", recording.symptoms)
        fields.set("softwareVersion", recording.softwareVersion)
        fields.set("device", recording.device)
        if let rate = recording.averageHeartRate {
            fields.set("averageHeartRate", value: Self.quantity(rate, unit: "count/min"))
        }
        fields.set("samplingFrequency", value: Self.quantity(recording.sampleRate, unit: "Hz"))
        fields.set("numberOfVoltageMeasurements", value: TypedValue.signed(recording.microvolts.count))
        if includesVoltages { fields.set(Self.voltagesKey, list: Array(Self.voltages(of: recording))) }
        fields.set("fileName", recording.fileName)
        self.init(
            identifier: Self.identifier(of: recording), type: Self.electrocardiogramType,
            kind: "electrocardiogram", metricIDs: ["electrocardiograms"], fields: fields)
    }

    /// The identity of a recording: its content.
    static func identifier(of recording: Electrocardiogram) -> String { identifier(recording.contentDigest) }

    /// The list of the voltages (health-data.md 5.3).
    static let voltagesKey = "voltageMeasurements"

    /// The voltages of a recording, each made when it is asked for. Apple's file has one lead, in the language of the phone.
    static func voltages(of recording: Electrocardiogram) -> some Sequence<OpaqueValue> {
        // One value for all of them, not a copy each.
        let lead = recording.lead.map(TypedValue.string)
        return recording.microvolts.enumerated().lazy.map { index, microvolts in
            var fields = TypedFields()
            fields.set("timeSinceSampleStart", Double(index) / recording.sampleRate)
            if let lead { fields.set("lead", value: lead) }
            fields.set("volts", volts(microvolts))
            return fields.dictionary
        }
    }

    /// The number nearest to the decimal of the file, a millionth of it. A division would round a second time, and `-265.868` would
    /// not be what reads as `-0.000265868`.
    static func volts(_ microvolts: Double) -> Double {
        let parts = microvolts.description.split(separator: "e")
        guard microvolts.isFinite, let digits = parts.first, let exponent = parts.count == 1 ? 0 : Int(parts[1]),
            let volts = Double("\(digits)e\(exponent - 6)")
        else { return microvolts / 1e6 }
        return volts
    }

    // MARK: Clinical records

    init(_ document: ClinicalDocument, type: String, metricIDs: [String]) {
        let record = document.record
        var resource = TypedFields()
        resource.set("resourceType", record.type)
        resource.set("identifier", record.identifier)
        resource.set("fhirVersion", record.fhirVersion)
        resource.set("sourceURLString", record.sourceURL)
        if let bytes = document.resource { resource.set("rawJSONData", value: TypedValue.data(bytes)) }
        var fields = TypedFields()
        fields.set("startDate", record.received?.date)
        fields.set("receivedDate", record.received?.date)
        fields.set("sourceName", record.sourceName)
        fields.set("resourceFilePath", record.resourcePath)
        fields.set("fhirResource", value: resource.dictionary)
        fields.set("bytesAvailable", value: TypedValue.bool(document.resource != nil))
        self.init(
            identifier: Self.identifier(document.contentDigest), type: type, kind: "clinical", metricIDs: metricIDs,
            fields: fields)
    }
}

extension ClinicalDocument {
    /// The source's type of the record (``ClinicalRecord/healthKitType(isVitalSign:)``).
    var healthKitType: String {
        // Only an observation has to be looked into: its category tells, one object in DSTU2, a list of them in R4. What is no
        // JSON is kept as it is, as a laboratory result.
        guard record.type == "Observation", let resource, let value = try? JSONParser.parse(resource) else {
            return record.healthKitType(isVitalSign: false)
        }
        let categories = value["category"].map { $0.array ?? [$0] } ?? []
        let codes = categories.flatMap { $0["coding"]?.array ?? [] }.compactMap { $0["code"]?.string }
        return record.healthKitType(isVitalSign: codes.contains("vital-signs"))
    }
}
