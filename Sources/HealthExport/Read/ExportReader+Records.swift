import Glibc
import HealthRecords

extension ExportReader {
    /// What may end a record whose end tag is missing.
    static let recordEnders: [ElementName] = [
        .record, .correlation, .workout, .activitySummary, .clinicalRecord, .audiogram, .visionPrescription,
    ]

    /// The attributes of a record's tag, by their place; -1 when absent.
    private struct Slots {
        var type = -1, unit = -1, value = -1, name = -1, version = -1, device = -1, created = -1, start = -1, end = -1
    }

    /// Reads the record whose start tag is at hand, with its children, and hands it over. Nil when it was left out.
    @discardableResult
    mutating func readRecord(parent: RecordView.Parent) throws -> Bool {
        switch parent {
        case .none: break
        case .correlation: recordsInCorrelations += 1
        case .workout: recordsInWorkouts += 1
        }
        if parent != .none { elementCounts[Int(ElementName.record.rawValue)] -= 1 }
        if scanner.isOversize {
            try skipSubtree()
            return false
        }
        scratch.clear()
        let isEmpty = scanner.isEmpty
        let typeIndex = try readRecordTag()
        var isWhole = true
        if !isEmpty { isWhole = try readRecordChildren(isKept: typeIndex != nil) }
        guard let typeIndex, isWhole else { return false }
        view.parent = parent
        view.index = recordIndex
        recordIndex += 1
        count(typeIndex)
        if types[typeIndex].isWanted { try visitor.record(view) }
        return true
    }

    /// Sets the view from the tag at hand. The index of the type, or nil when the record is to be left out.
    @inline(__always)
    private mutating func readRecordTag() throws -> Int? {
        let slots = recordSlots()
        view.offset = scanner.tagOffset
        guard slots.type >= 0 else {
            note(.missingType)
            return nil
        }
        guard let typeIndex = try self.typeIndex(slots.type) else { return nil }
        view.typeID = lastTypeID
        guard readDates(slots) else {
            note(.unreadableDate)
            return nil
        }
        hasLostText = false
        readSource(slots)
        readUnit(slots.unit)
        if hasLostText {
            // Without its source or unit a record is another one, and would be taken for a copy of its neighbour.
            note(.textLimit)
            return nil
        }
        readValue(slots.value, prefersUnit: types[typeIndex].prefersUnit)
        return typeIndex
    }

    @inline(__always)
    private mutating func recordSlots() -> Slots {
        var slots = Slots()
        for index in 0..<scanner.attributeCount {
            let name = scanner.attributes[index].name
            var isFirst = true
            switch name {
            case .type: if slots.type < 0 { slots.type = index } else { isFirst = false }
            case .unit: if slots.unit < 0 { slots.unit = index } else { isFirst = false }
            case .value: if slots.value < 0 { slots.value = index } else { isFirst = false }
            case .sourceName: if slots.name < 0 { slots.name = index } else { isFirst = false }
            case .sourceVersion: if slots.version < 0 { slots.version = index } else { isFirst = false }
            case .device: if slots.device < 0 { slots.device = index } else { isFirst = false }
            case .creationDate: if slots.created < 0 { slots.created = index } else { isFirst = false }
            case .startDate: if slots.start < 0 { slots.start = index } else { isFirst = false }
            case .endDate: if slots.end < 0 { slots.end = index } else { isFirst = false }
            default: noteUnknown(scanner.attributes[index])
            }
            if !isFirst { note(.duplicateAttribute) }
        }
        return slots
    }

    // MARK: The parts

    @inline(__always)
    private mutating func typeIndex(_ slot: Int) throws -> Int? {
        let raw = scanner.value(scanner.attributes[slot])
        if tables.texts.matches(lastTypeID, raw) {
            if let mending = tables.texts.mending(lastTypeID) { note(mending) }
            return lastTypeIndex
        }
        guard let number = tables.texts.number(raw) else {
            note(.textLimit)
            return nil
        }
        guard types.count < Self.typeLimit || typeIndexes[number] != nil else {
            throw ExportError.tooManyTypes(place(), limit: Self.typeLimit)
        }
        if let mending = tables.texts.mending(number) { note(mending) }
        lastTypeID = number
        if let known = typeIndexes[number] {
            lastTypeIndex = known
            return known
        }
        let text = tables.text(number)
        types.append(
            TypeState(
                textID: number, isWanted: visitor.wantsRecords(ofType: text),
                prefersUnit: text.hasPrefix("HKQuantityTypeIdentifier")))
        lastTypeIndex = types.count - 1
        typeIndexes[number] = lastTypeIndex
        return lastTypeIndex
    }

    /// False when start or end cannot be read.
    @inline(__always)
    private mutating func readDates(_ slots: Slots) -> Bool {
        guard slots.start >= 0, slots.end >= 0 else { return false }
        let (start, startForm) = dates.read(scanner.value(scanner.attributes[slots.start]))
        let (end, endForm) = dates.read(scanner.value(scanner.attributes[slots.end]))
        guard startForm != .unreadable, endForm != .unreadable else { return false }
        view.startSeconds = start
        view.endSeconds = end
        view.createdSeconds = RecordView.noDate
        var isOdd = startForm == .odd || endForm == .odd
        if slots.created >= 0 {
            let (created, form) = dates.read(scanner.value(scanner.attributes[slots.created]))
            view.createdSeconds = created
            if form == .unreadable { note(.unreadableCreationDate) }
            isOdd = isOdd || form == .odd
        }
        if isOdd { note(.oddDateForm) }
        if end < start { note(.endBeforeStart) }
        if start < 0 { note(.dateBefore1970) }
        if end > latestPlausible { note(.dateInFuture) }
        return true
    }

    @inline(__always)
    private mutating func readSource(_ slots: Slots) {
        lastName = slots.name < 0 ? -1 : readText(scanner.value(scanner.attributes[slots.name]), last: lastName)
        lastVersion =
            slots.version < 0 ? -1 : readText(scanner.value(scanner.attributes[slots.version]), last: lastVersion)
        lastDevice =
            slots.device < 0
            ? -1 : readText(Self.withoutPointer(scanner.value(scanner.attributes[slots.device])), last: lastDevice)
        let key = ExportTables.SourceKey(name: lastName, version: lastVersion, device: lastDevice)
        if key != lastSourceKey { findSource(key) }
        view.sourceID = lastSourceID
    }

    private mutating func findSource(_ key: ExportTables.SourceKey) {
        lastSourceKey = key
        if let number = tables.sourceNumber(key) {
            lastSourceID = number
        } else {
            // More combinations than any export has.
            hasLostText = true
            lastSourceKey = ExportTables.SourceKey(name: -2, version: -2, device: -2)
            return
        }
        while sourceCounts.count <= Int(lastSourceID) { sourceCounts.append(0) }
    }

    /// The number of a text, cheaply when it is the last one's; -1 when the table is full.
    @inline(__always)
    private mutating func readText(_ raw: UnsafeBufferPointer<UInt8>, last: Int32) -> Int32 {
        var number = last
        if !tables.texts.matches(last, raw) {
            guard let found = tables.texts.number(raw) else {
                hasLostText = true
                return -1
            }
            number = found
        }
        if let mending = tables.texts.mending(number) { note(mending) }
        return number
    }

    @inline(__always)
    private mutating func readUnit(_ slot: Int) {
        view.unitID = -1
        guard slot >= 0 else { return }
        let raw = scanner.value(scanner.attributes[slot])
        guard raw.count > 0 else { return }
        lastUnit = readText(raw, last: lastUnit)
        view.unitID = lastUnit
    }

    /// Number, name or neither (apple-health-export.md 5.2).
    @inline(__always)
    private mutating func readValue(_ slot: Int, prefersUnit: Bool) {
        view.valueSpan = RecordScratch.Span(start: 0, count: -1)
        view.number = 0
        view.scale = -1
        guard slot >= 0 else {
            view.kind = view.unitID >= 0 ? .unreadable : .none
            if view.kind == .unreadable { note(.unreadableValue) }
            return
        }
        let raw = scanner.value(scanner.attributes[slot])
        if view.unitID >= 0, let number = ExportNumber.read(raw) {
            view.kind = .quantity
            view.number = number.value
            view.mantissa = number.mantissa
            view.scale = number.scale
            return
        }
        view.kind = view.unitID >= 0 || prefersUnit || raw.isEmpty ? .unreadable : .category
        if view.kind == .unreadable { note(.unreadableValue) }
        keepValueText(raw)
    }

    private mutating func keepValueText(_ raw: UnsafeBufferPointer<UInt8>) {
        var mending: ExportText.Mending?
        guard let span = scratch.add(raw, &mending) else {
            note(.textLimit)
            return
        }
        if let mending { note(mending) }
        view.valueSpan = span
    }

    /// `<<HKDevice: 0x2835f0aa0>, name:Apple Watch, …>` without the pointer, which differs from record to record, and
    /// without the last bracket (apple-health-export.md 8). Other forms stay as they are.
    @inline(__always)
    static func withoutPointer(_ raw: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let escaped: StaticString = "&lt;&lt;HKDevice: 0x"
        let plain: StaticString = "<<HKDevice: 0x"
        return strip(raw, lead: escaped, close: "&gt;, ", tail: "&gt;")
            ?? strip(raw, lead: plain, close: ">, ", tail: ">") ?? raw
    }

    @inline(__always)
    private static func strip(
        _ raw: UnsafeBufferPointer<UInt8>, lead: StaticString, close: StaticString, tail: StaticString
    ) -> UnsafeBufferPointer<UInt8>? {
        guard let base = raw.baseAddress, raw.count > lead.utf8CodeUnitCount,
            memcmp(base, lead.utf8Start, lead.utf8CodeUnitCount) == 0
        else { return nil }
        var index = lead.utf8CodeUnitCount
        while index < raw.count, isHex(base[index]) { index += 1 }
        guard raw.count >= index + close.utf8CodeUnitCount,
            memcmp(base + index, close.utf8Start, close.utf8CodeUnitCount) == 0
        else { return nil }
        index += close.utf8CodeUnitCount
        var count = raw.count - index
        let length = tail.utf8CodeUnitCount
        if count >= length, memcmp(base + index + count - length, tail.utf8Start, length) == 0 { count -= length }
        return UnsafeBufferPointer(start: base + index, count: count)
    }

    @inline(__always)
    private static func isHex(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6
    }

    @inline(__always)
    private mutating func count(_ index: Int) {
        types.withUnsafeMutableBufferPointer { types in
            if view.parent == .none { types[index].count += 1 } else { types[index].nestedCount += 1 }
            if view.startSeconds < types[index].first { types[index].first = view.startSeconds }
            if view.endSeconds > types[index].last { types[index].last = view.endSeconds }
            if view.unitID != types[index].lastUnit {
                types[index].lastUnit = view.unitID
                if view.unitID >= 0, !types[index].units.contains(view.unitID), types[index].units.count < 16 {
                    types[index].units.append(view.unitID)
                }
            }
        }
        sourceCounts[Int(lastSourceID)] += 1
    }

    // MARK: Children

    /// Reads metadata and beats up to the end tag. False when the record is to be left out.
    private mutating func readRecordChildren(isKept: Bool) throws -> Bool {
        var isWhole = true
        open.append(.record)
        defer { open.removeLast() }
        while try nextChild(of: .record, endedBy: Self.recordEnders) {
            switch scanner.element {
            case .metadataEntry:
                if scanner.isOversize { isWhole = false } else if isKept { keepMetadata() }
                try skipSubtree()
            case .heartRateVariabilityMetadataList:
                if !scanner.isEmpty { try readBeats(isKept: isKept) }
            default:
                try skipUnknown(in: .record)
            }
        }
        return isWhole && !isBroken
    }

    private mutating func keepMetadata() {
        guard let key = attribute(.key), let value = attribute(.value) else {
            checkAttributes(AttributeSet(.key, .value))
            note(.malformedTag)
            return
        }
        if scanner.attributeCount != 2 { checkAttributes(AttributeSet(.key, .value)) }
        var mending: ExportText.Mending?
        guard let keyID = tables.texts.number(scanner.value(key)),
            let span = scratch.add(scanner.value(value), &mending),
            scratch.add(key: keyID, value: span)
        else {
            note(.textLimit)
            return
        }
        if let mending { note(mending) }
        if let mending = tables.texts.mending(keyID) { note(mending) }
    }

    private mutating func readBeats(isKept: Bool) throws {
        open.append(.heartRateVariabilityMetadataList)
        defer { open.removeLast() }
        while try nextChild(of: .heartRateVariabilityMetadataList, endedBy: Self.recordEnders) {
            guard scanner.element == .instantaneousBeatsPerMinute else {
                try skipUnknown(in: .heartRateVariabilityMetadataList)
                continue
            }
            if isKept { keepBeat() }
            try skipSubtree()
        }
    }

    private mutating func keepBeat() {
        checkAttributes(AttributeSet(.bpm, .time))
        guard let rate = number(.bpm) else { return }
        var mending: ExportText.Mending?
        let time = attribute(.time).map { scanner.value($0) } ?? UnsafeBufferPointer(start: nil, count: 0)
        guard let span = scratch.add(time, &mending), scratch.add(beatsPerMinute: rate, time: span) else {
            note(.textLimit)
            return
        }
        if let mending { note(mending) }
    }
}
