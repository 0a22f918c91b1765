import CanonicalJSON

/// Medications and doses of the body (export-formats.md 5.3.3).
struct MedicationsSection {
    let view: DayView
    private var document: DayDocument { view.document }

    func append(to page: inout MarkdownPage) {
        let medications = document.elements("medications.medications")
        if let count = document.value("medications.medicationCount")?.number?.int, count > 0 {
            let active = document.value("medications.activeMedicationCount")?.number?.int ?? 0
            let archived = document.value("medications.archivedMedicationCount")?.number?.int ?? 0
            page.item("**Authorized medications:** \(count) (\(active) active, \(archived) archived)")
            appendNames("Active", medications.filter { $0["isArchived"]?.bool != true }, to: &page)
            appendNames("Archived", medications.filter { $0["isArchived"]?.bool == true }, to: &page)
        }
        if !medications.isEmpty {
            page.details(
                "Medication Details (\(medications.count) medications)",
                header: [
                    "Name", "Display Name", "Nickname", "Concept ID", "Form", "Archived", "Has Schedule",
                    "Related Codings", "RxNorm Codes",
                ],
                rows: medications.map(row))
        }
        appendDoses(to: &page)
    }

    private func appendNames(_ label: String, _ medications: [JSONValue], to page: inout MarkdownPage) {
        let names = medications.compactMap { $0["name"]?.string }
        if !names.isEmpty { page.item("**\(label):** \(names.joined(separator: ", "))") }
    }

    private func row(_ medication: JSONValue) -> [String] {
        func text(_ name: String) -> String { medication[name]?.string ?? "" }
        let codings = (medication["relatedCodings"]?.array ?? []).map { coding in
            let version = coding["version"]?.string.map { "@\($0)" } ?? ""
            return "\(coding["system"]?.string ?? ""):\(coding["code"]?.string ?? "")\(version)"
        }
        return [
            text("name"), text("displayName"), text("nickname"), text("conceptIdentifier"), text("generalForm"),
            medication["isArchived"]?.bool == true ? "true" : "false",
            medication["hasSchedule"]?.bool == true ? "true" : "false", codings.joined(separator: ", "),
            (medication["rxNormCodes"]?.array ?? []).compactMap(\.string).joined(separator: ", "),
        ]
    }

    // MARK: Doses

    private func appendDoses(to page: inout MarkdownPage) {
        guard let count = document.value("medications.doseEventCount")?.number?.int, count > 0 else { return }
        let taken = document.value("medications.takenDoseCount")?.number?.int ?? 0
        let skipped = document.value("medications.skippedDoseCount")?.number?.int ?? 0
        page.item("**Dose events:** \(count) (\(taken) taken, \(skipped) skipped)")
        let doses = document.elements("medications.doseEvents")
        guard !doses.isEmpty else { return }
        for dose in doses {
            var parts = [dose["logStatusDisplay"]?.string ?? dose["logStatus"]?.string ?? ""]
            if let quantity = quantity(dose, "doseQuantity") { parts.append(quantity) }
            if let due = clock(dose["scheduledDate"]) { parts.append("scheduled \(due)") }
            let name = dose["medicationName"]?.string ?? ""
            page.item("\(clock(dose["startDate"]) ?? "") **\(name):** \(parts.joined(separator: "; "))")
        }
        page.details(
            "Dose Event Details (\(doses.count) events)",
            header: [
                "Time", "Name", "Status", "Dose", "Scheduled Dose", "Scheduled Time", "Start", "End", "Schedule Type",
                "ID", "Concept ID", "Metadata",
            ],
            rows: doses.map(doseRow))
    }

    private func doseRow(_ dose: JSONValue) -> [String] {
        func text(_ name: String) -> String { dose[name]?.string ?? "" }
        let metadata = DocumentMap.map(dose["metadata"]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [
            clock(dose["startDate"]) ?? "", text("medicationName"), text("logStatus"),
            quantity(dose, "doseQuantity") ?? "", quantity(dose, "scheduledDoseQuantity") ?? "",
            clock(dose["scheduledDate"]) ?? "", text("startDate"), text("endDate"), text("scheduleType"), text("id"),
            text("medicationConceptIdentifier"), metadata.joined(separator: ", "),
        ]
    }

    private func clock(_ value: JSONValue?) -> String? { value?.string.flatMap { view.clockText($0) } }

    /// `1 tablet`.
    private func quantity(_ dose: JSONValue, _ name: String) -> String? {
        dose[name]?.number.map { number in
            let unit = dose["unit"]?.string.map { " \($0)" } ?? ""
            return NumberText.shortest(number.double) + unit
        }
    }
}

/// The archive section of the body (export-formats.md 5.3.4).
struct ArchiveSection {
    let view: DayView

    func append(to page: inout MarkdownPage) {
        guard let archive = view.document.archive else { return }
        let counts = ArchiveCounts(view.document)
        page.item("**Capture status:** \(counts.captureStatus)")
        page.item("**Source records:** \(counts.recordCount)")
        page.item("**External records:** \(archive["external_records"]?.array?.count ?? 0)")
        page.item("**Queries:** \(queries(counts))")
        page.item("**Medication inventory:** \(archive["medication_inventory"]?.array?.count ?? 0)")
        page.item("**Integrity warnings:** \(counts.warnings.count)")
        let rows = counts.failures.map(failureRow) + counts.warnings.map(warningRow)
        guard !rows.isEmpty else { return }
        page.blank()
        page.table(["Type", "Identifier", "Details"], rows: rows)
    }

    private func queries(_ counts: ArchiveCounts) -> String {
        func count(_ statuses: String...) -> Int {
            counts.results.count { statuses.contains($0["status"]?.string ?? "") }
        }
        let empty = counts.results.count {
            $0["status"]?.string == "success" && ($0["record_count"]?.number?.int ?? 0) == 0
        }
        return [
            "\(count("success") - empty) succeeded", "\(empty) empty", "\(count("failure", "cancelled")) failed",
            "\(count("unsupported")) unsupported", "\(count("skipped")) skipped",
        ].joined(separator: " · ")
    }

    private func failureRow(_ result: JSONValue) -> [String] {
        let identifier = result["object_type_identifier"]?.string ?? result["identifier"]?.string ?? ""
        var details = result["status_description"]?.string ?? ""
        if let error = result["error"] {
            let code = error["code"].flatMap { view.plain($0) } ?? ""
            details = "\(error["domain"]?.string ?? "") \(code): \(error["description"]?.string ?? "")"
        }
        return ["Query failure", identifier, details]
    }

    private func warningRow(_ warning: JSONValue) -> [String] {
        var parts = [warning["message"]?.string ?? ""].filter { !$0.isEmpty }
        for (label, name) in [("metrics", "metric_ids"), ("records", "record_uuids")] {
            let texts = (warning[name]?.array ?? []).compactMap(\.string)
            if !texts.isEmpty { parts.append("\(label): \(texts.joined(separator: ", "))") }
        }
        return ["Integrity warning", warning["code"]?.string ?? "", parts.joined(separator: "; ")]
    }
}
