/// Keeps the latest sample of each source, and how many there were.
///
/// By source, because a source can turn out to be a sensor that measures all day long: then none of its samples
/// answers, and the latest of the others does (biomarkers.md 2, rule 9).
struct LatestReduction {
    /// One source.
    struct Source {
        var latest: Sample
        var count: Int
    }

    /// Sources of one type; beyond it, further ones share one place.
    static let sourceLimit = 4_096

    private(set) var sources: [Int32: Source] = [:]
    private(set) var oldest = Int64.max
    private(set) var newest = Int64.min
    var sensors: SensorDetector?

    init(detectsSensors: Bool) {
        sensors = detectsSensors ? SensorDetector() : nil
    }

    mutating func add(_ sample: Sample) {
        oldest = min(oldest, sample.start)
        newest = max(newest, sample.end)
        sensors?.add(source: sample.source, end: sample.end)
        let key = sources[sample.source] == nil && sources.count >= Self.sourceLimit ? -1 : sample.source
        guard var source = sources[key] else {
            sources[key] = Source(latest: sample, count: 1)
            return
        }
        source.count += 1
        if source.latest.isCopy(of: sample) {
            source.latest.absorb(sample)
        } else if sample.isLater(than: source.latest) {
            source.latest = sample
        }
        sources[key] = source
    }

    /// The latest of all sources but sensors, how many samples could have been it, and how many a sensor wrote.
    var result: (latest: Sample?, count: Int, sensorCount: Int) {
        var (latest, count, sensorCount) = (Sample?.none, 0, 0)
        for (key, source) in sources {
            if sensors?.isSensor(key) == true {
                sensorCount += source.count
                continue
            }
            count += source.count
            guard let best = latest else {
                latest = source.latest
                continue
            }
            if source.latest.isLater(than: best) { latest = source.latest }
        }
        return (latest, count, sensorCount)
    }
}

/// Finds sources that write more than 48 samples on a day: sensors that measure every few minutes, also after meals
/// (biomarkers.md 2, rule 9).
struct SensorDetector {
    /// A person with a meter does not reach this.
    static let samplesPerDayLimit = 48
    /// Days of sources that are watched at a time: thirty years of ten meters. Days beyond it are not watched.
    static let dayLimit = 100_000

    private struct Day: Hashable {
        var source: Int32
        var day: Int64
    }

    /// The seconds of the day at which a source wrote, each once.
    private var seconds: [Day: [Int32]] = [:]
    private var found: Set<Int32> = []

    mutating func add(source: Int32, end: Int64) {
        guard !found.contains(source) else { return }
        let (day, second) = end.quotientAndRemainder(dividingBy: WindowReduction.secondsPerDay)
        let key = Day(source: source, day: second < 0 ? day - 1 : day)
        guard seconds[key] != nil || seconds.count < Self.dayLimit else { return }
        let count = Self.insert(Int32(second), into: &seconds[key, default: []])
        if count > Self.samplesPerDayLimit {
            found.insert(source)
            seconds = seconds.filter { $0.key.source != source }
        }
    }

    func isSensor(_ source: Int32) -> Bool { found.contains(source) }

    private static func insert(_ second: Int32, into day: inout [Int32]) -> Int {
        if !day.contains(second) { day.append(second) }
        return day.count
    }
}
