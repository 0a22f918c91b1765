import Foundation
import Synchronization

/// This computer's clock, corrected by what the service says (day-archive.md 4).
public final class ServiceClock: Sendable {
    /// An offset of more than this is remembered, in seconds (day-archive.md 4).
    static let tolerance = 60

    private let local: @Sendable () -> Int
    private let offset = Mutex(0)

    /// A clock; `local` gives Unix milliseconds.
    public init(local: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970 * 1_000) }) {
        self.local = local
    }

    /// Unix milliseconds of this computer.
    public var localMilliseconds: Int { local() }

    /// Unix seconds to sign with.
    public var seconds: Int { local().floorDivided(by: 1_000) + offset.withLock { $0 } }

    /// Learns the service's clock; true when it was far enough off to matter.
    func learn(now: Int) -> Bool {
        let found = now - local().floorDivided(by: 1_000)
        return offset.withLock { offset in
            guard abs(found - offset) > Self.tolerance else { return false }
            offset = found
            return true
        }
    }
}
