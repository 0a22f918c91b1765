/// Bytes free where a finalization writes; nil where it writes nothing, or where the file system does not say.
struct FinalizationSpace: Hashable, Sendable {
    /// In the receiver's own folder.
    var storage: UInt64?
    /// At the destination.
    var destination: UInt64?
}

/// A session whose finalization failed for a reason that may pass: when it is tried again, and why it waits.
///
/// Making a result may mean to write gigabytes, so attempts become rarer: 15 seconds after the first failure, doubling to 15 minutes.
/// Where space is what is missing, the file systems are asked meanwhile, which costs nothing: as soon as notably more is free the next
/// attempt comes at once, and where plainly nothing was freed none is made. Times are monotonic, in seconds.
struct Suspension: Hashable, Sendable {
    /// Seconds until the first further attempt; each failure doubles them.
    static let firstDelay: Double = 15
    /// The most that they become.
    static let longestDelay: Double = 900
    /// Seconds between two looks at the free space.
    static let lookInterval: Double = 15
    /// The growth of free space that is worth an attempt, at least; an eighth of what was free otherwise.
    static let notableGrowth: UInt64 = 1 << 20

    /// What a failure was about.
    enum Cause: Hashable, Sendable {
        /// A disk is full; a result cannot be made without this much, whatever else is needed.
        case space(FinalizationSpace)
        /// Something that costs nothing to try again: the turn at a destination, one transaction.
        case cheap
        /// Any other failure of a disk.
        case other
    }

    /// What is to be done now.
    enum Step: Hashable, Sendable {
        /// Nothing yet.
        case wait
        /// Ask the file systems and tell ``looked(_:at:)``.
        case look
        /// Try again.
        case attempt
    }

    /// The stable code of the last failure.
    let code: String
    /// What the job says about it.
    let message: String
    private let cause: Cause
    /// Failures in a row.
    private(set) var failures: Int
    private var attemptAt: Double
    private var lookAt: Double
    /// An attempt or a look is under way.
    private var isBusy = false
    /// What was free after the failure, when all that the attempt had written was removed again.
    private var space: FinalizationSpace?

    /// A failure; `earlier` is what the attempt that failed had been waiting as.
    init(after earlier: Suspension?, _ cause: Cause, code: String, message: String, at now: Double) {
        self.code = code
        self.message = message
        self.cause = cause
        failures = (earlier?.failures ?? 0) + 1
        attemptAt = now
        lookAt = .infinity
        // The first look, at once, says what is free.
        if case .space = cause { lookAt = now }
        putOff(at: now)
    }

    /// When ``step(at:)`` has something to say.
    var deadline: Double { isBusy ? .infinity : min(attemptAt, lookAt) }

    /// What the time says; what it says is under way then.
    mutating func step(at now: Double) -> Step {
        guard deadline <= now else { return .wait }
        isBusy = true
        guard case .space = cause else { return .attempt }
        return .look
    }

    /// What the file systems said; true when it is time for an attempt, which is under way then.
    mutating func looked(_ found: FinalizationSpace, at now: Double) -> Bool {
        isBusy = false
        lookAt = now + Self.lookInterval
        guard let known = space else {
            space = found
            return false
        }
        if Self.grewNotably(known.storage, found.storage) || Self.grewNotably(known.destination, found.destination) {
            hurry()
            return true
        }
        guard attemptAt <= now else { return false }
        guard isPlainlyFull(found, since: known) else {
            isBusy = true
            return true
        }
        failedAgain(at: now)
        return false
    }

    /// No attempt could be made.
    mutating func failedAgain(at now: Double) {
        isBusy = false
        failures += 1
        putOff(at: now)
    }

    /// The phone asks: worth what costs nothing, an attempt of that kind or a look at the disks, and no other attempt out of turn.
    mutating func asked(at now: Double) {
        switch cause {
        case .space: lookAt = now
        case .cheap: attemptAt = now
        case .other: break
        }
    }

    /// A person asks, or the cause is gone: an attempt is under way, as if nothing had failed before.
    mutating func hurry() {
        failures = 0
        isBusy = true
    }

    private mutating func putOff(at now: Double) {
        let doublings = cause == .cheap ? 0 : min(failures - 1, 16)
        attemptAt = now + min(Self.firstDelay * Double(1 << doublings), Self.longestDelay)
    }

    private static func grewNotably(_ before: UInt64?, _ now: UInt64?) -> Bool {
        guard let before, let now, now > before else { return false }
        return now - before >= max(notableGrowth, before / 8)
    }

    /// Less than what is needed, and no more than when it was not enough. A quota does not show here: then nothing is plain.
    private func isPlainlyFull(_ found: FinalizationSpace, since known: FinalizationSpace) -> Bool {
        guard case .space(let needed) = cause else { return false }
        func isFull(_ found: UInt64?, _ known: UInt64?, _ needed: UInt64?) -> Bool {
            guard let found, let known, let needed else { return false }
            return found < needed && found <= known
        }
        return isFull(found.storage, known.storage, needed.storage)
            || isFull(found.destination, known.destination, needed.destination)
    }
}
