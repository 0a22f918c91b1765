import Foundation

/// The last events of a run: who, what, which. Identifiers, names and numbers only.
struct Trace {
    /// Lines that are kept: the last ones before a violation, or as many as `HEALTHMD_TRACE` says.
    private static let limit = ProcessInfo.processInfo.environment["HEALTHMD_TRACE"].flatMap { Int($0) } ?? 120
    private var lines: [String] = []
    private var next = 0
    /// Every line of the run, digested: two runs of one seed must agree.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ time: Double, _ who: String, _ what: String) {
        for byte in what.utf8 { digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        let line = "\(String(Int(time * 1_000))) ms  \(who)  \(what)"
        if lines.count < Trace.limit {
            lines.append(line)
        } else {
            lines[next] = line
            next = (next + 1) % Trace.limit
        }
    }

    /// Oldest first.
    var text: String { (lines[next...] + lines[..<next]).joined(separator: "\n") }
}
