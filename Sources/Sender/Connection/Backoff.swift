/// How long to wait before the next connection: 250 ms, doubling to 30 s (extensions.md 2.6).
struct Backoff: Sendable, Equatable {
    /// Seconds before the first retry.
    static let first = 0.25
    /// Seconds that no wait exceeds.
    static let maximum = 30.0

    private var following = first

    /// The wait that comes now; the one after it is twice as long.
    mutating func next() -> Double {
        defer { following = min(following * 2, Backoff.maximum) }
        return following
    }

    /// Starts over: a connection was confirmed.
    mutating func reset() {
        following = Backoff.first
    }
}
