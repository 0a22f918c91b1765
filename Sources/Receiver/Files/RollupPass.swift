import CanonicalJSON
import HealthData

/// One pass over the transferred days that feeds the roll-ups that are open: at most one of a kind.
///
/// Lives between slices in memory only; after a restart it begins where the first roll-up that is not written begins.
struct RollupPass: Sendable {
    /// The place of the next day in the plan's transferred days.
    private(set) var nextDay: Int
    private var builders: [RollupPeriod: RollupBuilder] = [:]

    /// A pass for the roll-ups of a plan from `index` on.
    init(_ plan: FilePlan, from index: Int) {
        let start = plan.periods[index...].map(\.start).min()
        nextDay = plan.transferred.firstIndex { day in start.map { day.day >= $0 } ?? true } ?? plan.transferred.count
    }

    /// The next day that belongs to a period or lies before it; nil when the period is complete.
    mutating func takeDay(of period: RollupPeriod, _ plan: FilePlan) -> FilePlan.Day? {
        guard nextDay < plan.transferred.count, plan.transferred[nextDay].day <= period.end else { return nil }
        defer { nextDay += 1 }
        return plan.transferred[nextDay]
    }

    /// Adds a day to every roll-up from `index` on that covers it. A range covers requested days alone
    /// (export-formats.md 7.1).
    mutating func add(_ document: DayDocument, _ day: FilePlan.Day, _ plan: FilePlan, from index: Int) {
        var periods = plan.settings.calendarRollups.map { RollupPeriod($0, containing: day.day) }
        if day.isRequested { periods += plan.periods.filter { $0.kind == .range } }
        for period in periods {
            guard let place = plan.periodIndex[period], place >= index else { continue }
            builders[period, default: RollupBuilder(period: period, version: document.version, settings: plan.settings)]
                .add(document)
        }
    }

    /// The roll-up of a period that is complete; nil when no day has any metric.
    mutating func finish(_ period: RollupPeriod, _ plan: FilePlan) -> Rollup? {
        builders.removeValue(forKey: period)?.finish(generatedAt: plan.generatedAt)
    }
}
