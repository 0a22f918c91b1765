import HealthRecords

extension ExportReader {
    /// Finds `HealthData` and reads everything in it.
    mutating func readRoot() throws {
        var token = try nextToken()
        while token == .end {
            note(.strayEndTag)
            token = try nextToken()
        }
        guard token == .start else {
            if scanner.doctypeName == "HealthData" {
                // The file ends before its root: whatever it was, it is cut.
                isBroken = true
                return
            }
            throw ExportError.notAnExport(path: entry)
        }
        switch scanner.element {
        case .healthData: break
        case .clinicalDocument: throw ExportError.onlyClinicalDocument(path: entry)
        default: throw ExportError.notAnExport(path: entry)
        }
        locale = text(.locale)
        checkAttributes(AttributeSet(.locale))
        isInRoot = true
        if !scanner.isEmpty {
            open = [.healthData]
            while try nextTopLevel() {}
        }
        isInRoot = false
        if !isBroken { try readRest() }
    }

    private mutating func nextTopLevel() throws -> Bool {
        switch try nextToken() {
        case .endOfStream:
            isBroken = true
            return false
        case .end:
            if scanner.element == .healthData { return false }
            note(.strayEndTag)
            return true
        case .start:
            try readTopLevel()
            return true
        }
    }

    private mutating func readTopLevel() throws {
        switch scanner.element {
        case .record: try readRecord(parent: .none)
        case .correlation: try readCorrelation()
        case .workout: try readWorkout()
        case .activitySummary: try readActivitySummary()
        case .clinicalRecord: try readClinicalRecord()
        case .audiogram: try readAudiogram()
        case .visionPrescription: try readVisionPrescription()
        case .exportDate: try readExportDate()
        case .me: try readCharacteristics()
        default: try skipUnknown(in: .healthData)
        }
    }

    /// What stands behind the root is reported, not read (apple-health-export.md 15).
    private mutating func readRest() throws {
        var isReported = false
        while true {
            let token = try nextToken()
            if token == .endOfStream { return }
            if !isReported { note(.contentAfterRoot) }
            isReported = true
        }
    }

    private mutating func readExportDate() throws {
        if let seconds = date(.value) {
            exportDate = Instant(secondsSince1970: Double(seconds))
            // One day of tolerance for clocks and zones, as biomarkers.md 2 has it.
            latestPlausible = seconds + 86_400
        }
        checkAttributes(AttributeSet(.value))
        try skipSubtree()
        if let exportDate { try visitor.exportDate(exportDate) }
    }

    private mutating func readCharacteristics() throws {
        var me = HealthCharacteristics()
        me.dateOfBirth = text(.dateOfBirth).flatMap { $0.isEmpty ? nil : $0 }
        me.biologicalSex = text(.biologicalSex)
        me.bloodType = text(.bloodType)
        me.fitzpatrickSkinType = text(.fitzpatrickSkinType)
        me.cardioFitnessMedicationsUse = text(.cardioFitnessMedicationsUse)
        checkAttributes(
            AttributeSet(.dateOfBirth, .biologicalSex, .bloodType, .fitzpatrickSkinType, .cardioFitnessMedicationsUse))
        try skipSubtree()
        try visitor.characteristics(me)
    }

    // MARK: Attributes of the rarer elements

    /// The first attribute of a name.
    func attribute(_ name: AttributeName) -> TagAttribute? {
        for index in 0..<scanner.attributeCount where scanner.attributes[index].name == name {
            return scanner.attributes[index]
        }
        return nil
    }

    /// The text of an attribute; nil when absent.
    mutating func text(_ name: AttributeName) -> String? { attribute(name).map { text($0) } }

    /// The text of an attribute.
    mutating func text(_ attribute: TagAttribute) -> String {
        var bytes: [UInt8] = []
        let mending = ExportText.decode(scanner.value(attribute), into: &bytes)
        note(mending)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The number of an attribute; nil when absent, and, counted, when it is no number.
    mutating func number(_ name: AttributeName) -> Double? {
        guard let attribute = attribute(name), attribute.valueEnd > attribute.valueStart else { return nil }
        if let number = ExportNumber.read(scanner.value(attribute)) { return number.value }
        note(.unreadableValue)
        return nil
    }

    /// The instant of an attribute in seconds; nil when absent, and, counted, when it is no date.
    mutating func date(_ name: AttributeName) -> Int64? {
        guard let attribute = attribute(name) else { return nil }
        return date(attribute)
    }

    mutating func date(_ attribute: TagAttribute) -> Int64? {
        let (seconds, form) = dates.read(scanner.value(attribute))
        switch form {
        case .usual: return seconds
        case .odd:
            note(.oddDateForm)
            return seconds
        case .unreadable:
            note(.unreadableDate)
            return nil
        }
    }

    mutating func instant(_ name: AttributeName) -> Instant? {
        date(name).map { Instant(secondsSince1970: Double($0)) }
    }

    /// Counts attributes that the element does not have, and those that stand twice.
    mutating func checkAttributes(_ known: AttributeSet) {
        var seen = AttributeSet()
        for index in 0..<scanner.attributeCount {
            let attribute = scanner.attributes[index]
            if attribute.name == .unknown || !known.contains(attribute.name) {
                noteUnknown(attribute)
            } else if !seen.insert(attribute.name) {
                note(.duplicateAttribute)
            }
        }
    }

    mutating func noteUnknown(_ attribute: TagAttribute) {
        var name: [UInt8] = []
        let raw = UnsafeBufferPointer(
            start: scanner.buffer + Int(attribute.nameStart), count: Int(attribute.nameEnd - attribute.nameStart))
        _ = ExportText.decode(raw, into: &name)
        problems.noteUnknownAttribute(scanner.element.text + "@" + String(decoding: name, as: UTF8.self))
        note(.unknownAttribute)
    }
}
