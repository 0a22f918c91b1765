/// Counts requests per caller address in a sliding minute (day-archive.md 6.1, extensions.md 10.6). A value.
struct ServiceRates {
    /// What is counted together.
    enum Class: Int, CaseIterable, Hashable {
        case claims
        case uploads
        case edits

        /// The class of a request, by the shape of its path alone: the rate check comes before everything else.
        static func of(method: String, _ segments: [Substring]) -> Class? {
            guard segments.count >= 2, segments[0] == "b" else { return nil }
            switch (method, segments.count) {
            case ("PUT", 2): return .claims
            case ("PUT", 3) where segments[2] == "editor" || segments[2] == "reader": return .claims
            case ("PUT", 3) where segments[2] == "days": return .uploads
            case ("PUT", 5) where segments[2] == "e" && segments[4] == "outcome": return .uploads
            case ("POST", 3) where segments[2] == "edits": return .edits
            default: return nil
            }
        }
    }

    private struct Key: Hashable {
        let kind: Class
        let address: String
    }

    private static let window = 60_000
    /// Addresses that are watched at a time; beyond it those whose minute is over are forgotten, then all others.
    static let maximumKeyCount = 65_536

    private let limits: [Int]
    private var moments: [Key: [Int]] = [:]

    init(_ limits: ServiceLimits) {
        self.limits = [limits.claimsPerMinute, limits.uploadsPerMinute, limits.editsPerMinute]
    }

    /// Counts a request, or refuses it uncounted with the seconds to wait.
    mutating func count(_ kind: Class, from address: String, at now: Int) throws(ServiceFault) {
        let key = Key(kind: kind, address: address)
        let recent = (moments[key] ?? []).filter { $0 > now - Self.window && $0 <= now }
        if let first = recent.first, recent.count >= limits[kind.rawValue] {
            moments[key] = recent
            throw ServiceFault(.slowDown, retryAfter: max(1, (first + Self.window - now + 999) / 1_000))
        }
        if moments.count >= Self.maximumKeyCount, moments[key] == nil { makeRoom(at: now) }
        moments[key] = recent + [now]
    }

    /// Takes the newest count back: a request answered 429 does not count.
    mutating func forgetLast(_ kind: Class, from address: String) {
        let key = Key(kind: kind, address: address)
        guard var recent = moments[key] else { return }
        recent.removeLast()
        moments[key] = recent.isEmpty ? nil : recent
    }

    private mutating func makeRoom(at now: Int) {
        moments = moments.filter { $0.value.last.map { $0 > now - Self.window } ?? false }
        if moments.count >= Self.maximumKeyCount { moments = [:] }
    }
}
