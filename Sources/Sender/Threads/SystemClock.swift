import ConnectedProtocol
import Foundation
import Transport

/// The clocks of this computer, in the form that machines want.
struct SystemClock: Sendable {
    private let start = ContinuousClock.now

    /// Now, on both clocks.
    func now() -> Moment {
        let elapsed = start.duration(to: ContinuousClock.now).components
        return Moment(
            wall: Date().timeIntervalSinceReferenceDate,
            monotonic: Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18)
    }

    /// A monotonic second as a deadline for waiting.
    func deadline(_ monotonic: Double) -> Deadline {
        start + .seconds(monotonic)
    }
}
