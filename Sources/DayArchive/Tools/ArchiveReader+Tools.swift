import CanonicalJSON

// The tools that answer from opened days (day-archive-reader.md 7).
extension ArchiveReader {
    /// Calls a tool by its name and gives its answer, members in the published order.
    ///
    /// - Throws: ``ReaderError``, ``ClientError``, ``WireError``: their sentences are what a caller shows.
    public func call(_ name: String, _ arguments: JSONObject = JSONObject()) throws -> JSONObject {
        switch name {
        case "phone_data_overview": try overview(ToolArguments(arguments, reading: []))
        case "phone_data_daily": try daily(ToolArguments(arguments, reading: ["metrics", "since", "until"]))
        case "phone_data_statistics":
            try statistics(ToolArguments(arguments, reading: ["metric", "since", "until", "group_by"]))
        case "phone_data_sleep": try sleep(ToolArguments(arguments, reading: ["since", "until"]))
        case "phone_data_workouts": try workouts(ToolArguments(arguments, reading: ["since", "until", "activity"]))
        case "phone_data_samples":
            try samples(ToolArguments(arguments, reading: ["metric", "since", "until", "limit"]))
        case "phone_data_write": try write(ToolArguments(arguments, reading: ["items"]))
        case "phone_data_edits": try edits(ToolArguments(arguments, reading: ["status", "after"]))
        case "phone_data_sync": try syncNow(ToolArguments(arguments, reading: []))
        default: throw ReaderError.unknownTool(name)
        }
    }

    /// An answer that begins with the warning when there is one.
    private func answer(_ freshness: Freshness) -> JSONObject {
        var answer = JSONObject()
        answer.append("warning", ifPresent: freshness.warning.map { .string($0) })
        return answer
    }

    /// Passes the events of each mirrored day of a range.
    private func forEachDay(_ range: DayRange, _ body: (ArchiveDay, [ReadEvent]) throws -> Void) throws {
        for day in try profile.mirroredDays() where range.contains(day) { try body(day, try profile.events(day)) }
    }

    // MARK: Overview

    private func overview(_ arguments: ToolArguments) throws -> JSONObject {
        let freshness = try refresh(asksAlways: true)
        let days = try profile.mirroredDays()
        var answer = answer(freshness)
        answer.append("archive", freshness.numbers.map(Self.archive) ?? "unreachable")
        answer.append(
            "readable",
            [
                "days": .integer(days.count), "firstDay": text(days.first), "lastDay": text(days.last),
                "note": .string(Self.note(days.count, freshness.numbers)),
            ])
        answer.append("metrics", .array(try metricSummaries(days).map { .object($0) }))
        answer.append("writable", Self.writable)
        answer.append("howToRead", .array(Self.howToRead.map { .string($0) }))
        return answer
    }

    private func text(_ day: ArchiveDay?) -> JSONValue { day.map { .string($0.description) } ?? .null }

    private static func archive(_ numbers: ArchiveNumbers) -> JSONValue {
        [
            "days": .integer(numbers.days),
            "firstDay": numbers.firstDay.map { .string($0.description) } ?? .null,
            "lastDay": numbers.lastDay.map { .string($0.description) } ?? .null,
            "megabytes": .double(Rounding.tenths(Double(numbers.bytes) / 1_048_576)),
        ]
    }

    private static func note(_ readable: Int, _ numbers: ArchiveNumbers?) -> String {
        guard let numbers else { return "The archive could not be asked; there may be more." }
        if numbers.days > readable { return "\(numbers.days - readable) days are not copied yet." }
        if numbers.isComplete, readable > numbers.days {
            return "\(readable - numbers.days) days are readable here that the archive no longer holds."
        }
        return "All days of the archive are readable here."
    }

    private func metricSummaries(_ days: [ArchiveDay]) throws -> [JSONObject] {
        struct Summary {
            let isTotal: Bool
            let unit: String?
            var buckets: Set<String>
            let firstDay: ArchiveDay
            var lastDay: ArchiveDay
            var dayCount: Int
            var eventCount: Int
        }
        // Days ascend and metrics keep their order in the day, so names come by first day, stable.
        var names: [String] = []
        var summaries: [String: Summary] = [:]
        for (day, holding) in try profile.holdings(days) {
            for metric in holding.metrics {
                if summaries[metric.name] == nil {
                    names.append(metric.name)
                    summaries[metric.name] = Summary(
                        isTotal: !metric.buckets.isEmpty, unit: metric.unit, buckets: [], firstDay: day, lastDay: day,
                        dayCount: 0, eventCount: 0)
                }
                summaries[metric.name]?.buckets.formUnion(metric.buckets)
                summaries[metric.name]?.lastDay = day
                summaries[metric.name]?.dayCount += 1
                summaries[metric.name]?.eventCount += metric.eventCount
            }
        }
        return names.compactMap { name in
            summaries[name].map { summary in
                [
                    "metric": .string(name), "kind": .string(summary.isTotal ? "total" : "record"),
                    "unit": summary.unit.map { .string($0) } ?? .null,
                    "buckets": .array(summary.buckets.sorted().map { .string($0) }),
                    "firstDay": .string(summary.firstDay.description),
                    "lastDay": .string(summary.lastDay.description), "daysCovered": .integer(summary.dayCount),
                    "events": .integer(summary.eventCount),
                ]
            }
        }
    }

    private static let writable: JSONValue = .object(
        JSONObject(
            [
                .init(
                    WritableMetric.sleepName,
                    ["kind": "category", "stages": .array(WritableMetric.stages.map { .string($0) })])
            ]
                + WritableMetric.units.map { .init($0.metric, ["kind": "quantity", "unit": .string($0.unit)]) }))

    private static let howToRead = [
        "Days are the person's own days; instants are UTC.",
        "A record belongs to the day it begins on: a night that begins before midnight is in the evening's day.",
        "Totals of a day come from events whose bucket is day; hours are never added up to days.",
        "A missing value means that nothing was recorded, not zero.",
        "Sleep comes as overlapping stretches; phone_data_sleep joins them into nights.",
        "oxygenSaturation is a fraction of 1: 0.97 means 97 %.",
    ]

    // MARK: Totals and readings

    /// The total of each metric of one day: the last event whose bucket is the day.
    private static func totals(_ events: [ReadEvent]) -> [String: Double] {
        var totals: [String: Double] = [:]
        for event in events where event.bucket == "day" {
            if let metric = event.metric, let value = event.value { totals[metric] = Rounding.thousandths(value) }
        }
        return totals
    }

    private func daily(_ arguments: ToolArguments) throws -> JSONObject {
        let range = try arguments.range(defaultDays: ToolCatalog.dailyDays, today: today)
        guard range.count <= ToolCatalog.dailyLongest else {
            throw ReaderError.tooMuch(what: "days", maximum: ToolCatalog.dailyLongest)
        }
        let metrics = try chosenMetrics(arguments)
        var answer = answer(try refresh())
        var rows: [JSONValue] = []
        try forEachDay(range) { day, events in
            let totals = Self.totals(events)
            rows.append(
                .array([.string(day.description)] + metrics.map { totals[$0.name].map { .double($0) } ?? .null }))
        }
        answer.append("units", .object(JSONObject(metrics.map { .init($0.name, .string($0.unit)) })))
        answer.append("columns", .array(["day"] + metrics.map { .string($0.name) }))
        answer.append("rows", .array(rows))
        return answer
    }

    private func chosenMetrics(_ arguments: ToolArguments) throws(ReaderError) -> [(name: String, unit: String)] {
        guard let value = arguments.value("metrics") else { return MetricCatalog.totals }
        guard let list = value.array else { throw .badArgument(name: "metrics", what: "is a list of names") }
        guard !list.isEmpty else { return MetricCatalog.totals }
        var chosen: [(name: String, unit: String)] = []
        for value in list {
            guard let total = MetricCatalog.totals.first(where: { $0.name == value.string }) else {
                throw .badArgument(
                    name: "metrics", what: "are of \(MetricCatalog.totalNames.joined(separator: ", "))")
            }
            if !chosen.contains(where: { $0.name == total.name }) { chosen.append(total) }
        }
        return chosen
    }

    private func statistics(_ arguments: ToolArguments) throws -> JSONObject {
        let metric = try arguments.required("metric", of: MetricCatalog.statisticsNames)
        let range = try arguments.range(defaultDays: ToolCatalog.statisticsDays, today: today)
        let word = try arguments.word("group_by", of: DayGroup.allCases.map(\.rawValue))
        let group = word.flatMap(DayGroup.init) ?? .month
        let isTotal = MetricCatalog.totalNames.contains(metric)
        var answer = answer(try refresh())
        var unit: String?
        var labels: [String] = []
        var values: [String: [Double]] = [:]
        try forEachDay(range) { day, events in
            let own = events.filter { $0.metric == metric }
            unit = unit ?? own.lazy.compactMap(\.unit).first
            let found = isTotal ? Self.totals(own).map(\.value) : own.filter { $0.bucket == nil }.compactMap(\.value)
            guard !found.isEmpty else { return }
            let label = group.label(day)
            if values[label] == nil { labels.append(label) }
            values[label, default: []] += found
        }
        guard labels.count <= ToolCatalog.mostRows else {
            throw ReaderError.tooMuch(what: "groups", maximum: ToolCatalog.mostRows)
        }
        answer.append("metric", .string(metric))
        answer.append("unit", unit.map { .string($0) } ?? .null)
        answer.append("unitNote", ifPresent: MetricCatalog.unitNote(metric).map { .string($0) })
        answer.append("over", .string(isTotal ? "daily totals" : "individual readings"))
        answer.append("groupBy", .string(group.rawValue))
        answer.append(
            "rows",
            .array(
                labels.compactMap { label in
                    Distribution(values[label] ?? []).map { distribution in
                        .object(JSONObject([.init("group", .string(label))] + distribution.members.members))
                    }
                }))
        return answer
    }

    // MARK: Sleep, workouts, samples

    private func sleep(_ arguments: ToolArguments) throws -> JSONObject {
        let range = try arguments.range(defaultDays: ToolCatalog.sleepDays, today: today)
        var answer = answer(try refresh())
        var events: [ReadEvent] = []
        try forEachDay(range.widened) { events += $1.filter { $0.metric == "sleep" } }
        let nights = Night.all(events).filter { range.contains($0.label) }
        guard nights.count <= ToolCatalog.mostRows else {
            throw ReaderError.tooMuch(what: "nights", maximum: ToolCatalog.mostRows)
        }
        let hours = Distribution(nights.map(\.asleepHours).filter { $0 > 0 })
        answer.append("nightsRecorded", .integer(nights.count))
        answer.append("nightsInRange", .integer(range.count))
        answer.append("asleepHours", hours.map { .object($0.members) } ?? .null)
        answer.append("rows", .array(nights.map { .object($0.row) }))
        return answer
    }

    private func workouts(_ arguments: ToolArguments) throws -> JSONObject {
        let range = try arguments.range(defaultDays: ToolCatalog.workoutDays, today: today)
        let activity = try arguments.text("activity")
        var answer = answer(try refresh())
        var events: [ReadEvent] = []
        try forEachDay(range) { events += $1.filter { $0.metric == "workout" } }
        let workouts = Workout.all(events).filter { activity == nil || $0.activity == activity }
        var order: [String] = []
        var sums: [String: (count: Int, minutes: Double)] = [:]
        for workout in workouts {
            if sums[workout.activity] == nil { order.append(workout.activity) }
            let sum = sums[workout.activity] ?? (0, 0)
            sums[workout.activity] = (sum.count + 1, Rounding.tenths(sum.minutes + (workout.minutes ?? 0)))
        }
        let ranked = order.enumerated().sorted { left, right in
            let counts = (sums[left.element]?.count ?? 0, sums[right.element]?.count ?? 0)
            return counts.0 == counts.1 ? left.offset < right.offset : counts.0 > counts.1
        }
        answer.append("total", .integer(workouts.count))
        answer.append(
            "byActivity",
            .array(
                ranked.map { _, name in
                    [
                        "activity": .string(name), "count": .integer(sums[name]?.count ?? 0),
                        "minutes": .double(sums[name]?.minutes ?? 0),
                    ]
                }))
        AnswerTable(workouts.prefix(ToolCatalog.mostRows).map(\.row)).append(to: &answer)
        if workouts.count > ToolCatalog.mostRows {
            answer.append(
                "note",
                .string("Only the first \(ToolCatalog.mostRows) workouts are in rows; counts and minutes are of all."))
        }
        return answer
    }

    private func samples(_ arguments: ToolArguments) throws -> JSONObject {
        guard let metric = try arguments.text("metric") else {
            throw ReaderError.badArgument(name: "metric", what: "is needed")
        }
        let range = try arguments.range(defaultDays: ToolCatalog.sampleDays, today: today)
        let limit = min(
            max(try arguments.whole("limit") ?? ToolCatalog.sampleLimit, 1), ToolCatalog.sampleHighestLimit)
        var answer = answer(try refresh())
        var found: [ReadEvent] = []
        try forEachDay(range) { found += $1.filter { $0.metric == metric } }
        // Equal starts keep the order of archive days and of the day (extensions.md 10): the sort is stable by offset.
        let sorted = found.enumerated().sorted { left, right in
            left.element.start == right.element.start
                ? left.offset < right.offset : left.element.start < right.element.start
        }.prefix(limit)
        answer.append("metric", .string(metric))
        answer.append("unitNote", ifPresent: MetricCatalog.unitNote(metric).map { .string($0) })
        answer.append("matched", .integer(found.count))
        answer.append("returned", .integer(sorted.count))
        AnswerTable(sorted.map(\.element.object), dropping: ["id", "metric"]).append(to: &answer)
        return answer
    }

    private func syncNow(_ arguments: ToolArguments) throws -> JSONObject {
        let before = try profile.mirroredDays().count
        var answer = answer(try refresh(isForced: true))
        let days = try profile.mirroredDays()
        answer.append("copied", .integer(days.count - before))
        answer.append("readable", .integer(days.count))
        answer.append("firstDay", text(days.first))
        answer.append("lastDay", text(days.last))
        return answer
    }
}
