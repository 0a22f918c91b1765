import CanonicalJSON

/// What one day holds of each metric, kept so that an overview need not parse every day (day-archive-reader.md 1).
struct DayHolding: Equatable {
    struct Metric: Equatable {
        let name: String
        var buckets: [String]
        let unit: String?
        var eventCount: Int
    }

    var metrics: [Metric]

    init(_ events: [ReadEvent]) {
        metrics = []
        var places: [String: Int] = [:]
        for event in events {
            let name = event.metric ?? "unknown"
            if let place = places[name] {
                metrics[place].eventCount += 1
                if let bucket = event.bucket, !metrics[place].buckets.contains(bucket) {
                    metrics[place].buckets.append(bucket)
                }
            } else {
                places[name] = metrics.count
                metrics.append(
                    Metric(name: name, buckets: event.bucket.map { [$0] } ?? [], unit: event.unit, eventCount: 1))
            }
        }
    }

    init?(_ value: JSONValue) {
        guard let object = value.object else { return nil }
        metrics = []
        for member in object.members {
            guard let count = member.value["events"]?.number?.int,
                let buckets = member.value["buckets"]?.array?.compactMap(\.string)
            else { return nil }
            metrics.append(
                Metric(name: member.key, buckets: buckets, unit: member.value["unit"]?.string, eventCount: count))
        }
    }

    var document: JSONValue {
        .object(
            JSONObject(
                metrics.map { metric in
                    .init(
                        metric.name,
                        [
                            "buckets": .array(metric.buckets.map { .string($0) }),
                            "unit": metric.unit.map { .string($0) } ?? .null, "events": .integer(metric.eventCount),
                        ])
                }))
    }
}

extension ReaderProfile {
    /// The holding of each day, from the cache where its file has not changed. The cache is written only when something did.
    func holdings(_ days: [ArchiveDay]) throws -> [(day: ArchiveDay, holding: DayHolding)] {
        var cached: [String: JSONValue] = [:]
        // A damaged cache is made anew.
        for member in (try? readJSON(Self.metricsName))?.object?.members ?? [] { cached[member.key] = member.value }
        var holdings: [(day: ArchiveDay, holding: DayHolding)] = []
        var hasChanged = cached.count != days.count
        var document = JSONObject()
        for day in days {
            guard let version = try dayVersion(day) else { continue }
            let entry = cached[day.description]
            let holding: DayHolding
            if let entry, entry["v"]?.string == version, let known = entry["m"].flatMap({ DayHolding($0) }) {
                holding = known
                document.append(day.description, entry)
            } else {
                holding = DayHolding(try events(day))
                hasChanged = true
                document.append(day.description, ["v": .string(version), "m": holding.document])
            }
            holdings.append((day, holding))
        }
        if hasChanged { try writeJSON(Self.metricsName, .object(document), style: .compact) }
        return holdings
    }
}
