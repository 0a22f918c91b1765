import CanonicalJSON
import Foundation
import TestSupport
import Testing

@testable import healthmd

/// Each kind of object that an export can hold, one in, from `phone import` to the lossless document of its day
/// (health-data.md 5, 10).
@Suite("Lossless days of an import")
struct LosslessImportTests {
    private let folder: TemporaryFolder
    private let document: JSONValue

    init() throws {
        folder = try TemporaryFolder()
        let export = try Self.write(in: folder, "export")
        document = try Self.document(of: "2026-04-15", importing: export, state: folder.appending("state"))
    }

    private static let dates = "startDate=\"2026-04-15 09:00:00 +0200\" endDate=\"2026-04-15 09:10:00 +0200\""
    private static let origin = """
        sourceName="Robin’s Watch" sourceVersion="11.2" device="&lt;&lt;HKDevice: 0x2835f0aa0&gt;, name:Watch&gt;" \
        creationDate="2026-04-15 10:00:00 +0200" \(dates)
        """

    private static let resources = [
        "r4":
            #"{"resourceType":"Observation","id":"r4","category":[{"coding":[{"code":"laboratory"}]}],"valueString":"grün"}"#,
        "dstu2": #"{"resourceType":"Observation","id":"dstu2","category":{"coding":[{"code":"vital-signs"}]}}"#,
        "order": #"{"resourceType":"MedicationOrder","id":"order"}"#,
        "patient": #"{"resourceType":"Patient","id":"patient"}"#,
        "unlisted": #"{"resourceType":"Condition","id":"unlisted"}"#,
    ]

    private static let body = """
         <ExportDate value="2026-04-15 20:00:00 +0200"/>
         <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" unit="mmHg" value="118" \(origin)/>
         <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" unit="ms" value="41" \(origin)>
          <MetadataEntry key="HKAlgorithmVersion" value="2"/>
          <HeartRateVariabilityMetadataList>
           <InstantaneousBeatsPerMinute bpm="61" time="9:00:00,12"/>
           <InstantaneousBeatsPerMinute bpm="63.5" time="9:00:01,08"/>
          </HeartRateVariabilityMetadataList>
         </Record>
         <Correlation type="HKCorrelationTypeIdentifierBloodPressure" \(origin)>
          <MetadataEntry key="HKWasUserEntered" value="1"/>
          <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" unit="mmHg" value="118" sourceName="Robin’s Watch" \(dates)/>
          <Record type="HKQuantityTypeIdentifierBloodPressureDiastolic" unit="mmHg" value="76" \(origin)/>
         </Correlation>
         <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="10" durationUnit="min" totalDistance="2.5" \
        totalDistanceUnit="km" \(origin)>
          <MetadataEntry key="HKIndoorWorkout" value="0"/>
          <WorkoutEvent type="HKWorkoutEventTypeLap" date="2026-04-15 09:05:00 +0200" duration="1" durationUnit="min">
           <MetadataEntry key="lap" value="first"/>
          </WorkoutEvent>
          <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" \(dates) average="150.5" minimum="90" maximum="171" \
        unit="count/min"/>
          <WorkoutActivity uuid="A-1" \(dates) duration="10" durationUnit="min"/>
          <WorkoutZoneGroup type="HKQuantityTypeIdentifierHeartRate" unit="count/min">
           <WorkoutZone maximum="132" duration="2" durationUnit="min"/>
          </WorkoutZoneGroup>
          <WorkoutRoute \(origin)>
           <MetadataEntry key="HKMetadataKeySyncVersion" value="2"/>
           <FileReference path="/workout-routes/route.gpx"/>
          </WorkoutRoute>
         </Workout>
         <ActivitySummary dateComponents="2026-04-15" activeEnergyBurned="410.5" activeEnergyBurnedUnit="kcal"/>
         <ClinicalRecord type="Observation" identifier="id-r4" sourceName="Clinic" sourceURL="https://x/r4" fhirVersion="4.0.1" \
        receivedDate="2026-04-15 12:00:00 +0200" resourceFilePath="/clinical-records/r4.json"/>
         <ClinicalRecord type="Observation" identifier="id-dstu2" sourceName="Clinic" sourceURL="https://x/d" fhirVersion="1.0.2" \
        receivedDate="2026-04-15 12:00:00 +0200" resourceFilePath="/clinical-records/dstu2.json"/>
         <ClinicalRecord type="MedicationOrder" identifier="id-order" sourceName="Clinic" sourceURL="https://x/o" \
        fhirVersion="1.0.2" receivedDate="2026-04-15 12:00:00 +0200" resourceFilePath="/clinical-records/order.json"/>
         <ClinicalRecord type="Patient" identifier="id-patient" sourceName="Clinic" sourceURL="https://x/p" fhirVersion="4.0.1" \
        receivedDate="2026-04-15 12:00:00 +0200" resourceFilePath="/clinical-records/patient.json"/>
         <ClinicalRecord type="HKClinicalTypeIdentifierProcedureRecord" identifier="id-gone" sourceName="Clinic" sourceURL="" \
        fhirVersion="4.0.1" receivedDate="2026-04-15 12:00:00 +0200" resourceFilePath="/clinical-records/gone.json"/>
         <Audiogram type="HKDataTypeIdentifierAudiogram" \(origin)>
          <MetadataEntry key="k" value="v"/>
          <SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="10.5" leftEarUnit="dBHL" leftEarMasked="true" \
        rightEarValue="15" rightEarUnit="dBHL" rightEarClampingRangeLowerBound="-10" rightEarClampingRangeUpperBound="90"/>
          <SensitivityPoint frequencyValue="2" frequencyUnit="kHz" leftEarValue="1" leftEarUnit="dB"/>
         </Audiogram>
         <VisionPrescription type="contacts" dateIssued="2026-04-15 11:00:00 +0200" expirationDate="2028-04-15 11:00:00 +0200" \
        brand="Lens">
          <RightEye sphere="-1.25" sphereUnit="D" addPower="1" add="1.5" addUnit="D" prismAmount="2" prismAmountUnit="D" \
        farPD="31" farPDUnit="mm"/>
          <LeftEye axis="90" axisUnit="deg"/>
          <Attachment identifier="ATT-1"/>
          <MetadataEntry key="k" value="v"/>
         </VisionPrescription>
        """

    /// Writes the export in a folder of the name.
    private static func write(in folder: TemporaryFolder, _ name: String) throws -> String {
        let root = URL(fileURLWithPath: folder.appending(name))
        func put(_ path: String, _ text: String) throws {
            let url = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try put(
            "export.xml", "<?xml version=\"1.0\"?>\n<HealthData locale=\"en_US\">\n\(body)\n</HealthData>\n")
        for (name, text) in resources { try put("clinical-records/\(name).json", text) }
        try put(
            "electrocardiograms/ecg_2026-04-15.csv",
            """
            Name,Robin Example
            Date of Birth,"Jul 9, 1984"
            Recorded Date,2026-04-15 16:32:18 +0200
            Classification,Sinus Rhythm
            Symptoms,Fatigue
            Software Version,1.90
            Device,"Watch7,12"
            Sample Rate,512 hertz
            Average Heart Rate,64 bpm


            Lead,Lead I
            Unit,µV

            -265.868
            12.5
            3

            """)
        try put(
            "workout-routes/route.gpx",
            """
            <?xml version="1.0"?><gpx version="1.1"><trk><trkseg>
            <trkpt lon="13.4" lat="52.5"><ele>34.5</ele><time>2026-04-15T07:00:00Z</time><extensions><speed>2.5</speed>\
            <course>90</course><hAcc>3</hAcc><vAcc>4</vAcc></extensions></trkpt>
            <trkpt lon="13.5" lat="52.6"><time>2026-04-15T07:00:05Z</time></trkpt>
            </trkseg></trk></gpx>
            """)
        return root.path
    }

    private static func document(of day: String, importing export: String, state: String) throws -> JSONValue {
        let words = ["phone", "import", export, "--time-zone", "Europe/Berlin", "--data-dir", state]
        try #require(try CommandRun(words).status == 0)
        return try CommandRun(["phone", "show", day, "--detail", "lossless", "--data-dir", state]).document()
    }

    private var records: [JSONValue] { document["healthkit_record_archive"]?["external_records"]?.array ?? [] }

    private func only(_ kind: String, _ type: String? = nil) throws -> JSONValue {
        let found = records.filter {
            $0["record_kind"]?.string == kind && (type == nil || $0["object_type_identifier"]?.string == type)
        }
        #expect(found.count == 1, "\(kind) \(type ?? "")")
        return try #require(found.first)
    }

    /// Plain values in place of typed ones.
    private func plain(_ typed: JSONValue?) -> JSONValue? {
        guard let typed, let type = typed["type"]?.string else { return typed }
        guard let value = typed["value"] else { return nil }
        switch type {
        case "array": return .array((value.array ?? []).compactMap(plain))
        case "dictionary":
            return .object(
                JSONObject((value.object?.members ?? []).map { JSONObject.Member($0.key, plain($0.value) ?? .null) }))
        case "quantity": return ["value": value, "unit": typed["unit"] ?? .null]
        default: return value
        }
    }

    private func fields(_ record: JSONValue) -> JSONValue {
        .object(
            JSONObject(
                (record["fields"]?.object?.members ?? []).map { JSONObject.Member($0.key, plain($0.value) ?? .null) }))
    }

    private let started: JSONValue = "2026-04-15T07:00:00.000000000Z"
    private let ended: JSONValue = "2026-04-15T07:10:00.000000000Z"

    private func expectOrigin(_ fields: JSONValue) {
        #expect(fields["startDate"] == started && fields["endDate"] == ended)
        #expect(fields["creationDate"] == "2026-04-15T08:00:00.000000000Z")
        #expect(fields["sourceName"] == "Robin’s Watch" && fields["sourceVersion"] == "11.2")
        #expect(fields["device"] == "name:Watch")
    }

    @Test("a hearing test keeps its points, with units that its names do not say beside them")
    func audiogram() throws {
        let record = try only("audiogram", "HKDataTypeIdentifierAudiogram")
        #expect(record["selected_metric_ids"] == ["audiograms"])
        let fields = fields(record)
        expectOrigin(fields)
        #expect(fields["metadata"] == ["k": "v"])
        #expect(
            fields["sensitivityPoints"] == [
                [
                    "frequencyHertz": 1000,
                    "tests": [
                        ["masked": true, "sensitivityDBHL": .double(10.5), "side": "left"],
                        [
                            "lowerClampingBoundDBHL": -10, "sensitivityDBHL": 15, "side": "right",
                            "upperClampingBoundDBHL": 90,
                        ],
                    ],
                ],
                [
                    "frequency": ["value": 2, "unit": "kHz"],
                    "tests": [["sensitivity": ["value": 1, "unit": "dB"], "side": "left"]],
                ],
            ])
    }

    @Test("a prescription keeps both eyes, its dates and its attachments' names")
    func prescription() throws {
        let record = try only("vision_prescription", "HKVisionPrescriptionTypeIdentifier")
        #expect(record["selected_metric_ids"] == ["vision_prescriptions"])
        let fields = fields(record)
        #expect(fields["dateIssued"] == "2026-04-15T09:00:00.000000000Z")
        #expect(fields["expirationDate"] == "2028-04-15T09:00:00.000000000Z")
        #expect(fields["prescriptionType"] == "contacts" && fields["brand"] == "Lens")
        #expect(
            fields["rightEye"] == [
                "addPower": ["value": .double(1.5), "unit": "D"], "farPupillaryDistance": ["value": 31, "unit": "mm"],
                "prism": ["amount": ["value": 2, "unit": "D"]], "sphere": ["value": .double(-1.25), "unit": "D"],
            ])
        #expect(fields["leftEye"] == ["axis": ["value": 90, "unit": "deg"]])
        #expect(fields["attachmentIdentifiers"] == ["ATT-1"] && fields["metadata"] == ["k": "v"])
    }

    @Test("an electrocardiogram keeps every voltage and its header, without the person's name")
    func electrocardiogram() throws {
        let record = try only("electrocardiogram", "HKDataTypeIdentifierElectrocardiogram")
        #expect(record["selected_metric_ids"] == ["electrocardiograms"])
        let fields = fields(record)
        #expect(fields["startDate"] == "2026-04-15T14:32:18.000000000Z")
        #expect(fields["numberOfVoltageMeasurements"] == 3)
        #expect(
            fields["voltageMeasurements"] == [
                ["lead": "Lead I", "timeSinceSampleStart": 0, "volts": .double(-0.000265868)],
                ["lead": "Lead I", "timeSinceSampleStart": .double(0.001953125), "volts": .double(0.0000125)],
                ["lead": "Lead I", "timeSinceSampleStart": .double(0.00390625), "volts": .double(0.000003)],
            ])
        #expect(fields["samplingFrequency"] == ["value": 512, "unit": "Hz"])
        #expect(fields["averageHeartRate"] == ["value": 64, "unit": "count/min"])
        #expect(fields["classification"] == "Sinus Rhythm" && fields["symptomsStatus"] == "Fatigue")
        #expect(fields["softwareVersion"] == "1.90" && fields["device"] == "Watch7,12")
        #expect(fields["microvolts"] == nil && fields["symptoms"] == nil && fields["lead"] == nil)
        let text = String(decoding: JSONWriter.encode(document, style: .compact), as: UTF8.self)
        #expect(!text.contains("Robin Example") && !text.contains("1984"))
    }

    @Test(
        "clinical records of both FHIR versions keep their resource byte for byte",
        arguments: [
            ("r4", "HKClinicalTypeIdentifierLabResultRecord", "4.0.1", "clinical_lab_result_records"),
            ("dstu2", "HKClinicalTypeIdentifierVitalSignRecord", "1.0.2", "clinical_vital_sign_records"),
            ("order", "HKClinicalTypeIdentifierMedicationRecord", "1.0.2", "clinical_medication_records"),
            ("patient", "Patient", "4.0.1", ""),
        ])
    func clinical(name: String, type: String, version: String, metric: String) throws {
        let record = try only("clinical", type)
        #expect(record["selected_metric_ids"] == (metric.isEmpty ? [] : [.string(metric)]))
        let fields = fields(record)
        #expect(fields["receivedDate"] == "2026-04-15T10:00:00.000000000Z" && fields["sourceName"] == "Clinic")
        #expect(fields["bytesAvailable"] == true)
        let resource = try #require(fields["fhirResource"])
        #expect(resource["fhirVersion"] == .string(version) && resource["identifier"] == .string("id-" + name))
        let data = try #require(resource["rawJSONData"]?.string.flatMap { Data(base64Encoded: $0) })
        #expect(String(decoding: data, as: UTF8.self) == Self.resources[name])
    }

    @Test(
        "a clinical file that no element names is there; an element without a file is there and makes the kind a failure"
    )
    func clinicalFiles() throws {
        let unlisted = fields(try only("clinical", "HKClinicalTypeIdentifierConditionRecord"))
        #expect(unlisted["fhirResource"]?["resourceType"] == "Condition" && unlisted["receivedDate"] == nil)
        let gone = try only("clinical", "HKClinicalTypeIdentifierProcedureRecord")
        #expect(fields(gone)["bytesAvailable"] == false && fields(gone)["fhirResource"]?["rawJSONData"] == nil)
        let result = try #require(results["HKClinicalTypeIdentifierProcedureRecord"])
        #expect(result["status"] == "failure" && result["record_count"] == 1)
        #expect(result["status_description"]?.string?.contains("1 records are not in the export") == true)
    }

    @Test("beats, metadata and both pressures of a correlation are there, and each relationship leads to a record")
    func records_() throws {
        let variability = fields(try only("quantity", "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"))
        expectOrigin(variability)
        #expect(variability["value"] == 41 && variability["unit"] == "ms")
        #expect(variability["metadata"] == ["HKAlgorithmVersion": "2"])
        #expect(
            variability["beats"] == [
                ["beatsPerMinute": 61, "time": "9:00:00,12"], ["beatsPerMinute": .double(63.5), "time": "9:00:01,08"],
            ])
        let correlation = try only("correlation", "HKCorrelationTypeIdentifierBloodPressure")
        expectOrigin(fields(correlation))
        #expect(fields(correlation)["metadata"] == ["HKWasUserEntered": "1"])
        #expect(correlation["relationships"]?.array?.map { $0["role"] } == ["systolic", "diastolic"])
        #expect(fields(try only("quantity", "HKQuantityTypeIdentifierBloodPressureSystolic"))["value"] == 118)
        #expect(fields(try only("quantity", "HKQuantityTypeIdentifierBloodPressureDiastolic"))["value"] == 76)
        let identifiers = Set(records.compactMap { $0["external_identifier"]?.string })
        for relationship in records.flatMap({ $0["relationships"]?.array ?? [] }) {
            #expect(identifiers.contains(relationship["target"]?["value"]?.string ?? ""))
        }
    }

    @Test("a workout keeps its parts, and its route the points and who recorded it")
    func workout() throws {
        let fields_ = fields(try only("workout"))
        expectOrigin(fields_)
        #expect(fields_["activityType"] == "HKWorkoutActivityTypeRunning" && fields_["durationSeconds"] == 600)
        #expect(fields_["totalDistance"] == ["value": .double(2.5), "unit": "km"])
        #expect(fields_["metadata"] == ["HKIndoorWorkout": "0"])
        #expect(
            fields_["events"] == [
                [
                    "date": "2026-04-15T07:05:00.000000000Z", "durationSeconds": 60, "metadata": ["lap": "first"],
                    "type": "HKWorkoutEventTypeLap",
                ]
            ])
        #expect(fields_["allStatistics"]?.array?.first?["average"] == .double(150.5))
        #expect(fields_["activities"]?.array?.first?["originalUUID"] == "A-1")
        #expect(fields_["zoneGroups"]?.array?.first?["zones"] == [["durationSeconds": 120, "maximum": 132]])
        let route = fields(try only("workout_route"))
        #expect(
            route["locations"]?.array?.first == [
                "altitudeMeters": .double(34.5), "courseDegrees": 90, "horizontalAccuracyMeters": 3, "index": 0,
                "latitude": .double(52.5), "longitude": .double(13.4), "speedMetersPerSecond": .double(2.5),
                "timestamp": started,
                "verticalAccuracyMeters": 4,
            ])
        #expect(route["locationCount"] == 2)
        let element = try #require(route["routes"]?.array?.first)
        expectOrigin(element)
        #expect(element["metadata"] == ["HKMetadataKeySyncVersion": "2"])
        #expect(element["files"] == ["/workout-routes/route.gpx"])
        #expect(
            fields(try only("activity_summary"))["activeEnergyBurned"] == ["value": .double(410.5), "unit": "kcal"])
    }

    private var results: [String: JSONValue] {
        let list = document["healthkit_record_archive"]?["query_manifest"]?["results"]?.array ?? []
        return Dictionary(list.compactMap { result in result["object_type_identifier"]?.string.map { ($0, result) } }) {
            first, _ in first
        }
    }

    @Test("what an export cannot hold is unsupported, what is of no day is skipped, and the day is called partial")
    func unsupported() throws {
        #expect(document["raw_capture_status"] == "partial")
        for type in [
            "HKDataTypeStateOfMind", "HKMedicationDoseEventTypeIdentifierMedicationDoseEvent",
            "HKVerifiableClinicalRecordTypeIdentifier", "HKDocumentTypeIdentifierCDA",
            "HKCharacteristicTypeIdentifierWheelchairUse",
        ] {
            #expect(results[type]?["status"] == "unsupported", "\(type)")
        }
        #expect(results["HKCharacteristicTypeIdentifierBloodType"]?["status"] == "skipped")
        let succeeded = results.filter { $0.value["status"] == "success" }
        #expect(succeeded.values.allSatisfy { $0["record_count"]?.number?.int ?? 0 > 0 })
        #expect(succeeded["HKDataTypeIdentifierElectrocardiogram"]?["metric_ids"] == ["electrocardiograms"])
    }

    @Test("every record has the digest of its content as identity, the same from another copy of the export")
    func identities() throws {
        let identifiers = records.compactMap { $0["external_identifier"]?.string }
        #expect(Set(identifiers).count == records.count && records.count == 16)
        for record in records where record["record_kind"] != "activity_summary" {
            let identifier = try #require(record["external_identifier"]?.string)
            let parts = identifier.split(separator: "|")
            #expect(parts.first == "apple_health_export.content_digest" && parts[1].utf8.count == 64)
            #expect(record["external_identity_kind"] == "apple_health_export_content_digest")
            #expect(record["original_uuid"] == nil)
        }
        let copy = try Self.write(in: folder, "other-name")
        let again = try Self.document(of: "2026-04-15", importing: copy, state: folder.appending("other-state"))
        #expect(again["healthkit_record_archive"] == document["healthkit_record_archive"])
    }
}
