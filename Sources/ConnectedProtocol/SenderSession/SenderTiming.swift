/// How long the sender waits, and how often it tries again.
///
/// The durable sender (corpus-protocol.md 12.1) parks a job that gets nowhere and takes it up later; the in-memory sender (12.2)
/// has nothing to come back to and therefore keeps trying for minutes before it gives up.
public struct SenderTiming: Sendable, Equatable {
    /// Seconds to wait for the answer to `open` (corpus-protocol.md 12.1).
    public var openWait: Double
    /// How often `open` is sent within one attempt.
    public var openTries: Int
    /// How many attempts a partition gets before the job is parked; nil when only ``partitionWindow`` counts.
    public var partitionAttempts: Int?
    /// Seconds from the first attempt after which a partition is given up; nil when only ``partitionAttempts`` counts.
    public var partitionWindow: Double?
    /// Seconds between two attempts.
    public var attemptDelay: Double
    /// Seconds to wait for the answer to `finalize`.
    public var finalizeWait: Double
    /// How often `finalize` is sent before the job is parked; nil when only ``finalizeWindow`` counts.
    public var finalizeTries: Int?
    /// Seconds from the first `finalize` after which it is given up; nil when only ``finalizeTries`` counts.
    public var finalizeWindow: Double?
    /// Seconds to wait for the answer to `cancel`.
    public var cancelWait: Double
    /// Seconds after which a job that was parked while its peer stayed connected is taken up again.
    ///
    /// Upstream resumes "when the app becomes active"; a service is always active, so a pause that no later hello will end needs
    /// a clock.
    public var parkedRetry: Double

    /// The durable sender on the TCP transport: 2 attempts, 0.5 s apart, and the longer finalize wait of that transport
    /// (corpus-protocol.md 12.1, secure-transport.md 6.5).
    public static let durable = SenderTiming(
        openWait: 20, openTries: 3, partitionAttempts: 2, partitionWindow: nil, attemptDelay: 0.5, finalizeWait: 120,
        finalizeTries: 3, finalizeWindow: nil, cancelWait: 20, parkedRetry: 30)

    /// The in-memory sender: 15 min for a partition, 45 min for finalization, 1 s apart (corpus-protocol.md 12.2).
    public static let inMemory = SenderTiming(
        openWait: 20, openTries: 3, partitionAttempts: nil, partitionWindow: 15 * 60, attemptDelay: 1,
        finalizeWait: 60, finalizeTries: nil, finalizeWindow: 45 * 60, cancelWait: 20, parkedRetry: 30)
}

extension Moment {
    /// The wall clock as a date of the wire.
    public var date: ProtocolDate { ProtocolDate(secondsSince2001: wall) }
}

/// A value of the model that is made from checked parts: a broken rule is a mistake of ours, and traps.
func wellFormed<Value>(_ make: () throws -> Value) -> Value {
    do {
        return try make()
    } catch {
        preconditionFailure("a message of ours breaks its own rule: \(error)")
    }
}
