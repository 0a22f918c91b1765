import Testing

@testable import Receiver

@Suite struct LogLimiterTests {
    @Test("of one kind ten lines a minute are written, and the next one says how many were not")
    func limit() {
        var limiter = LogLimiter()
        for _ in 0..<LogLimiter.lineCount { #expect(limiter.admit("silence", at: 0) == 0) }
        for second in 0..<50 { #expect(limiter.admit("silence", at: Double(second)) == nil) }
        #expect(limiter.admit("peer_closed", at: 30) == 0, "another kind has its own count")
        #expect(limiter.admit("silence", at: LogLimiter.interval) == 50)
        #expect(limiter.admit("silence", at: LogLimiter.interval) == 0)
    }

    @Test("a second crowded minute counts what the first one left out as well")
    func carriedOver() {
        var limiter = LogLimiter()
        for _ in 0..<(LogLimiter.lineCount + 3) { _ = limiter.admit("silence", at: 0) }
        #expect(limiter.admit("silence", at: 200) == 3)
    }
}
