/// Deadlines that are set in the order in which they come due: all have the same length.
struct DeadlineQueue {
    private var entries: [(key: EventSet.Key, due: ContinuousClock.Instant)] = []
    private var start = 0

    /// When the first one is due.
    var next: ContinuousClock.Instant? { start < entries.count ? entries[start].due : nil }

    /// Adds one behind the others.
    mutating func push(_ key: EventSet.Key, due: ContinuousClock.Instant) {
        entries.append((key, due))
    }

    /// Takes the first one when it is due.
    mutating func pop(dueBy now: ContinuousClock.Instant) -> EventSet.Key? {
        guard let next, next <= now else { return nil }
        return popFirst()
    }

    /// Takes the first one.
    mutating func popFirst() -> EventSet.Key? {
        guard start < entries.count else { return nil }
        defer {
            start += 1
            // Shifted down when half is empty, so that each entry moves once on average.
            if start * 2 > entries.count {
                entries.removeFirst(start)
                start = 0
            }
        }
        return entries[start].key
    }

    /// The first one.
    var first: EventSet.Key? { start < entries.count ? entries[start].key : nil }
}
