import HealthExport

/// Everything about one HealthKit type: what can count, what was left out and why.
struct RecordReduction {
    /// Units of one type that are told apart in the counts.
    static let unitLimit = 32
    /// How `HKBloodGlucoseMealTime` marks a reading after a meal.
    private static let afterMeal = "2"
    private static let mealTimeKey = "HKBloodGlucoseMealTime"

    let biomarker: Biomarker
    let rule: WearableRule
    /// Collects what a window can need; nil when the latest sample answers.
    private(set) var window: WindowReduction?
    /// Keeps the latest samples; nil when there is a window.
    private(set) var latest: LatestReduction?
    var excluded = Exclusions()
    /// Records of the type, copies and unusable ones included.
    var recordCount = 0
    /// Records whose unit has no conversion, by unit.
    var unknownUnits: [String: Int] = [:]

    private var unitID: Int32 = -2
    private var conversion: UnitConversion?

    init(_ biomarker: Biomarker, _ rule: WearableRule) {
        self.biomarker = biomarker
        self.rule = rule
        window = rule.windowDays.map { WindowReduction(days: $0) }
        latest = rule.windowDays == nil ? LatestReduction(detectsSensors: rule.isFasting) : nil
    }

    /// Takes one record in.
    ///
    /// - Parameters:
    ///   - source: the number of the source's name.
    ///   - correlation: the correlation it stands in, 0 for none.
    ///   - latestPlausible: samples that end later were written by a clock that was wrong.
    mutating func add(
        _ record: RecordView, source: Int32, correlation: Int32, latestPlausible: Int64, tables: ExportTables
    ) {
        recordCount += 1
        guard let value = value(of: record, tables) else { return }
        guard record.endSeconds <= latestPlausible else {
            excluded[.future] += 1
            return
        }
        // No window reaches to where a device without a clock writes, or to spans that run backwards
        // (apple-health-export.md 6.2).
        guard record.endSeconds >= record.startSeconds, record.endSeconds >= 0 else {
            excluded[.outsideWindow] += 1
            return
        }
        var sample = Sample(
            end: record.endSeconds, start: record.startSeconds, created: record.createdSeconds, index: record.index,
            value: value, source: source, unit: record.unitID, correlation: correlation)
        if rule.isFasting {
            let mealTime = record.metadataValue(Self.mealTimeKey)
            guard mealTime != Self.afterMeal else {
                excluded[.afterMeal] += 1
                return
            }
            sample.isMealTimeUnknown = mealTime == nil
        }
        window?.add(sample)
        latest?.add(sample)
    }

    /// Sorts the window and folds the copies in it, once all records are in.
    mutating func finish() { window?.fold() }

    /// The number in the biomarker's unit; nil, and counted, when there is none.
    private mutating func value(of record: RecordView, _ tables: ExportTables) -> Double? {
        guard record.kind == .quantity else {
            // A number without a unit is as useless as one in an unknown unit.
            excluded[record.unitID < 0 && record.valueBytes != nil ? .unit : .notANumber] += 1
            return nil
        }
        if record.unitID != unitID {
            unitID = record.unitID
            conversion = biomarker.quantity.conversion(from: tables.text(unitID))
        }
        guard let conversion, let value = biomarker.quantity.value(record.number, by: conversion) else {
            excluded[.unit] += 1
            count(unit: tables.text(unitID))
            return nil
        }
        guard rule.possible.contains(value) else {
            excluded[.implausible] += 1
            return nil
        }
        // None of these can be negative (apple-health-export.md 5.2).
        guard value >= 0, value.isFinite else {
            excluded[.notANumber] += 1
            return nil
        }
        return value
    }

    private mutating func count(unit: String) {
        let key = unknownUnits[unit] != nil || unknownUnits.count < Self.unitLimit ? unit : "…"
        unknownUnits[key, default: 0] += 1
    }

    /// The span of the usable samples, window or not; nil without any.
    var span: (oldest: Int64, newest: Int64)? {
        let oldest = window?.oldest ?? latest?.oldest ?? 0
        let newest = window?.newest ?? latest?.newest ?? -1
        return newest >= oldest ? (oldest, newest) : nil
    }
}
