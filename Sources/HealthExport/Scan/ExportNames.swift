import Glibc

/// The elements that an export, a route or a newer export is made of (apple-health-export.md 5 and 13).
enum ElementName: UInt8, CaseIterable {
    case unknown
    case healthData, exportDate, me, record, metadataEntry, heartRateVariabilityMetadataList
    case instantaneousBeatsPerMinute, correlation, workout, workoutEvent, workoutStatistics, workoutActivity
    case workoutRoute, fileReference, location, activitySummary, clinicalRecord, audiogram, sensitivityPoint
    case visionPrescription, rightEye, leftEye, attachment, workoutZoneGroup, workoutZone
    case clinicalDocument
    case gpx, trk, trkseg, trkpt, ele, time, extensions, speed, course, hAcc, vAcc

    /// The name as it stands in the file.
    var text: String {
        switch self {
        case .unknown: "?"
        case .gpx, .trk, .trkseg, .trkpt, .ele, .time, .extensions, .speed, .course, .hAcc, .vAcc: "\(self)"
        default: "\(self)".prefix(1).uppercased() + "\(self)".dropFirst()
        }
    }
}

/// The attributes of those elements.
enum AttributeName: UInt8, CaseIterable {
    case unknown
    case type, unit, value, sourceName, sourceVersion, device, creationDate, startDate, endDate, key, bpm, time
    case workoutActivityType, duration, durationUnit, totalDistance, totalDistanceUnit, totalEnergyBurned
    case totalEnergyBurnedUnit, date, average, minimum, maximum, sum, uuid, path
    case latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, speed
    case dateComponents, activeEnergyBurned, activeEnergyBurnedGoal, activeEnergyBurnedUnit
    case appleMoveTime, appleMoveTimeGoal, appleMoveMinutes, appleMoveMinutesGoal, appleExerciseTime
    case appleExerciseTimeGoal, appleStandHours, appleStandHoursGoal
    case identifier, sourceURL, fhirVersion, receivedDate, resourceFilePath
    case frequencyValue, frequencyUnit, leftEarValue, leftEarUnit, leftEarMasked, leftEarClampingRangeLowerBound
    case leftEarClampingRangeUpperBound, rightEarValue, rightEarUnit, rightEarMasked
    case rightEarClampingRangeLowerBound, rightEarClampingRangeUpperBound
    case dateIssued, expirationDate, brand
    case sphere, sphereUnit, cylinder, cylinderUnit, axis, axisUnit, add, addUnit, vertex, vertexUnit
    case prismAmount, prismAmountUnit, prismAngle, prismAngleUnit, farPD, farPDUnit, nearPD, nearPDUnit
    case baseCurve, baseCurveUnit, diameter, diameterUnit
    case locale, source, lat, lon
    case dateOfBirth, biologicalSex, bloodType, fitzpatrickSkinType, cardioFitnessMedicationsUse

    /// The name as it stands in the file.
    var text: String {
        switch self {
        case .dateOfBirth, .biologicalSex, .bloodType, .fitzpatrickSkinType, .cardioFitnessMedicationsUse:
            "HKCharacteristicTypeIdentifier" + "\(self)".prefix(1).uppercased() + "\(self)".dropFirst()
        default: "\(self)"
        }
    }
}

/// A set of attribute names in two machine words.
struct AttributeSet {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ names: AttributeName...) {
        for name in names { _ = insert(name) }
    }

    @inline(__always)
    func contains(_ name: AttributeName) -> Bool {
        let raw = UInt64(name.rawValue)
        return (raw < 64 ? low >> raw : high >> (raw & 63)) & 1 == 1
    }

    /// Adds a name; false when it was in already.
    @inline(__always)
    mutating func insert(_ name: AttributeName) -> Bool {
        let raw = UInt64(name.rawValue)
        let bit = UInt64(1) << (raw & 63)
        if raw < 64 {
            defer { low |= bit }
            return low & bit == 0
        }
        defer { high |= bit }
        return high & bit == 0
    }
}

/// Finds a name's number from its bytes: a hash table that is built once and never written again.
///
/// Length, the first and the last eight bytes are the key. They are the whole name up to sixteen bytes; the table makes
/// sure that they tell its longer names apart, and a longer name is compared in full.
struct NameTable: @unchecked Sendable {
    private struct Name {
        var first: UInt64
        var last: UInt64
        var count: Int
        var bytes: UnsafePointer<UInt8>
    }

    // The pointers live as long as the process and are only read after `init`.
    private let slots: UnsafeMutablePointer<UInt8>
    private let names: UnsafeMutablePointer<Name>
    private static let slotCount = 1_024

    static let elements = NameTable(ElementName.allCases.map(\.text))
    static let attributes = NameTable(AttributeName.allCases.map(\.text))

    /// A table of at most 255 distinct names; number 0 stands for every other name.
    init(_ texts: [String]) {
        precondition(texts.count < 256)
        slots = .allocate(capacity: Self.slotCount)
        slots.initialize(repeating: 0, count: Self.slotCount)
        names = .allocate(capacity: texts.count)
        for (number, text) in texts.enumerated() {
            let bytes = Array(text.utf8)
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 8)
            copy.initialize(repeating: 0, count: bytes.count + 8)
            copy.update(from: bytes, count: bytes.count)
            let (first, last) = Self.ends(copy, bytes.count)
            names.advanced(by: number).initialize(
                to: Name(first: first, last: last, count: bytes.count, bytes: UnsafePointer(copy)))
            guard number > 0 else { continue }
            var slot = Self.slot(first, last, bytes.count)
            while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
            slots[slot] = UInt8(number)
        }
    }

    @inline(__always)
    private static func ends(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> (UInt64, UInt64) {
        let first = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
        if count >= 8 {
            return (first, UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        }
        let short = first & ((1 << (UInt64(truncatingIfNeeded: count) * 8)) &- 1)
        return (short, short)
    }

    @inline(__always)
    private static func slot(_ first: UInt64, _ last: UInt64, _ count: Int) -> Int {
        var mixed = UInt64(truncatingIfNeeded: count) ^ (first &* 0x9E37_79B9_7F4A_7C15)
        mixed = (mixed ^ (mixed >> 32) ^ last) &* 0xC2B2_AE3D_27D4_EB4F
        return Int(truncatingIfNeeded: mixed >> 40) & (slotCount - 1)
    }

    /// The number of the name in `bytes`, 0 when it is none of the table's. Eight bytes from the start must be readable
    /// however short the name is.
    @inline(__always)
    func number(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt8 {
        let (first, last) = Self.ends(bytes, count)
        var slot = Self.slot(first, last, count)
        while true {
            let number = slots[slot]
            if number == 0 { return 0 }
            let name = names + Int(number)
            if name.pointee.first == first, name.pointee.last == last, name.pointee.count == count,
                count <= 16 || memcmp(name.pointee.bytes, bytes, count) == 0
            {
                return number
            }
            slot = (slot + 1) & (Self.slotCount - 1)
        }
    }
}
