/// Lets through so many lines of a kind in a minute, and says with the next one how many were left out: whoever dials all day
/// long must not fill a disk with words about it.
struct LogLimiter {
    /// Lines of one kind in one ``interval``.
    static let lineCount = 10
    /// Seconds.
    static let interval = 60.0

    private struct Window {
        var start: Double
        var said = 0
        var unsaid = 0
    }

    /// By kind: a stable code, of which there are few.
    private var windows: [String: Window] = [:]

    /// Whether a line of this kind is written now, at a monotonic time in seconds: the number of lines that were left out
    /// before it, or nil when this one is.
    mutating func admit(_ kind: String, at now: Double) -> Int? {
        var window = windows[kind] ?? Window(start: now)
        if now - window.start >= Self.interval { window = Window(start: now, unsaid: window.unsaid) }
        defer { windows[kind] = window }
        guard window.said < Self.lineCount else {
            window.unsaid += 1
            return nil
        }
        window.said += 1
        defer { window.unsaid = 0 }
        return window.unsaid
    }
}
