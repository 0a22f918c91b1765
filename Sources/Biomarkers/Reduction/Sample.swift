/// One reading that can count, as small as it gets: millions pass, the windows keep thousands.
struct Sample {
    /// Seconds since 1970; the time of the sample (biomarkers.md 2, rule 1).
    var end: Int64
    /// Seconds since 1970.
    var start: Int64
    /// Seconds since 1970; the least number when unknown.
    var created: Int64
    /// The order in the file.
    var index: Int
    /// In the unit of the biomarker.
    var value: Double
    /// Number of the source's name.
    var source: Int32
    /// Number of the unit's text: the same number in two units is not the same sample.
    var unit: Int32
    /// How often it stood in the file.
    var copies: Int32 = 1
    /// The correlation that it stood in; 0 for none.
    var correlation: Int32 = 0
    /// A note that goes with it.
    var isMealTimeUnknown = false

    /// Whether both are one reading (biomarkers.md 2, rule 5).
    func isCopy(of other: Sample) -> Bool {
        end == other.end && start == other.start && source == other.source && unit == other.unit
            && value == other.value
    }

    /// Takes a copy in.
    mutating func absorb(_ copy: Sample) {
        copies += copy.copies
        created = max(created, copy.created)
        index = max(index, copy.index)
        if correlation == 0 { correlation = copy.correlation }
        isMealTimeUnknown = isMealTimeUnknown && copy.isMealTimeUnknown
    }

    /// Whether this is the later one: by time, then created last, then later in the file (biomarkers.md 2, rule 4).
    func isLater(than other: Sample) -> Bool {
        (end, created, index) > (other.end, other.created, other.index)
    }

    /// Time order; equal times by what makes copies neighbours.
    static func isBefore(_ left: Sample, _ right: Sample) -> Bool {
        if left.end != right.end { return left.end < right.end }
        if left.start != right.start { return left.start < right.start }
        if left.source != right.source { return left.source < right.source }
        if left.unit != right.unit { return left.unit < right.unit }
        return left.value < right.value
    }
}

/// Why records of a type did not count (biomarkers.md 8).
enum Exclusion: String, CaseIterable {
    case outsideWindow = "outside_window"
    case duplicate
    case future
    case implausible
    case unit
    case notANumber = "not_a_number"
    case afterMeal = "after_meal"
    case continuousSensor = "continuous_sensor"
}

/// How many were left out, by reason.
struct Exclusions {
    private var counts = [Int](repeating: 0, count: Exclusion.allCases.count)

    subscript(_ reason: Exclusion) -> Int {
        get { counts[Self.place(reason)] }
        set { counts[Self.place(reason)] = newValue }
    }

    /// Those that occurred.
    var byReason: [String: Int] {
        var found: [String: Int] = [:]
        for reason in Exclusion.allCases where self[reason] > 0 { found[reason.rawValue] = self[reason] }
        return found
    }

    private static func place(_ reason: Exclusion) -> Int {
        switch reason {
        case .outsideWindow: 0
        case .duplicate: 1
        case .future: 2
        case .implausible: 3
        case .unit: 4
        case .notANumber: 5
        case .afterMeal: 6
        case .continuousSensor: 7
        }
    }
}
