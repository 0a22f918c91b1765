/// One reading of both clocks, taken by a driver and passed into the pure parts.
public struct Moment: Hashable, Sendable {
    /// Wall clock: seconds since 1970-01-01T00:00:00Z. For dates that are stored or sent.
    public var wallSeconds: Double
    /// Monotonic clock: seconds since some start. For time-outs.
    public var uptimeSeconds: Double

    /// A reading.
    public init(wallSeconds: Double, uptimeSeconds: Double) {
        self.wallSeconds = wallSeconds
        self.uptimeSeconds = uptimeSeconds
    }

    /// The wall clock in whole seconds, rounded down.
    public var unixSeconds: Int64 { Int64(wallSeconds.rounded(.down)) }

    /// The wall clock as the wire writes dates: seconds since 2001-01-01T00:00:00Z.
    public var secondsSince2001: Double { wallSeconds - 978_307_200 }
}
