/// Now, on both clocks that a machine needs. Machines read no clock; they are told.
public struct Moment: Hashable, Sendable {
    /// Seconds since 2001-01-01T00:00:00Z, the protocol's own scale: for what is stored or shown.
    public var wall: Double
    /// Seconds on a clock that never goes back and has no meaning of its own: for deadlines.
    public var monotonic: Double

    /// A moment on both clocks.
    public init(wall: Double, monotonic: Double) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Seconds between 1970 and 2001.
    public static let unixOffset: Double = 978_307_200

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var unixSeconds: Int64 { Int64((wall + Moment.unixOffset).rounded(.down)) }
}
