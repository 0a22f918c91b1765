/// Collects what a window that ends at the newest sample can need, in one pass and in any order (biomarkers.md 2).
///
/// The newest sample only ever gets newer, so whatever lies before its window at the moment can never come back: it is
/// counted and forgotten. Copies are folded into one sample. Memory follows the window, not the file.
struct WindowReduction {
    /// Distinct samples of one window; a watch writes some ten thousand a month of its busiest kind. Beyond it nothing
    /// is proposed.
    static let sampleLimit = 1 << 18
    /// Samples collected before copies are folded for the first time.
    private static let firstFold = 4_096
    static let secondsPerDay: Int64 = 86_400

    /// The window's length in seconds.
    let span: Int64
    /// The distinct samples of the window; in time order after ``fold()``.
    private(set) var samples: [Sample] = []
    /// Samples before the window, copies included.
    private(set) var outsideCount = 0
    /// The earliest sample, also before the window.
    private(set) var oldest = Int64.max
    /// The latest.
    private(set) var newest = Int64.min
    /// Whether the window holds more than ``sampleLimit`` samples.
    private(set) var isOverfull = false
    private var nextFold = WindowReduction.firstFold
    private let limit: Int

    /// - Parameter limit: distinct samples that are kept; another one for tests.
    init(days: Int, limit: Int = WindowReduction.sampleLimit) {
        span = Int64(days) * Self.secondsPerDay
        self.limit = limit
    }

    mutating func add(_ sample: Sample) {
        oldest = min(oldest, sample.start)
        newest = max(newest, sample.end)
        guard sample.end > newest - span else {
            outsideCount += 1
            return
        }
        if isOverfull { return }
        samples.append(sample)
        if samples.count >= nextFold {
            fold()
            nextFold = max(Self.firstFold, samples.count * 2)
        }
    }

    /// Drops what fell out of the window, sorts by time, and makes one of copies.
    mutating func fold() {
        samples.sort(by: Sample.isBefore)
        var kept = 0
        for sample in samples {
            if sample.end <= newest - span {
                outsideCount += Int(sample.copies)
            } else if kept > 0, samples[kept - 1].isCopy(of: sample) {
                samples[kept - 1].absorb(sample)
            } else {
                samples[kept] = sample
                kept += 1
            }
        }
        samples.removeSubrange(kept...)
        if samples.count > limit {
            isOverfull = true
            samples = []
        }
    }

    /// Copies beyond the first of each sample of the window.
    var duplicateCount: Int { samples.reduce(0) { $0 + Int($1.copies) - 1 } }
}
