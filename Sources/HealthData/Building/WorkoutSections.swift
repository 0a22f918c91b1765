import Foundation
import HealthRecords

/// Which stretches of a workout were active.
struct WorkoutTimeline {
    let interval: Range<Double>
    private let pauses: IntervalUnion

    init(_ workout: HealthWorkout) {
        let start = workout.start.secondsSince1970
        let end = max(start, workout.end.secondsSince1970)
        interval = start..<end
        var pausedSince: Double?
        var pauses: [Range<Double>] = []
        for event in workout.events.sorted(by: { $0.date < $1.date }) {
            let time = min(max(event.date.secondsSince1970, start), end)
            switch event.type {
            case "HKWorkoutEventTypePause": pausedSince = pausedSince ?? time
            case "HKWorkoutEventTypeResume":
                if let since = pausedSince, since < time { pauses.append(since..<time) }
                pausedSince = nil
            default: break
            }
        }
        if let since = pausedSince, since < end { pauses.append(since..<end) }
        self.pauses = IntervalUnion(pauses)
    }

    /// Seconds of the whole workout without pauses.
    var activeSeconds: Double { activeSeconds(in: interval) }

    /// Seconds of a stretch without pauses.
    func activeSeconds(in stretch: Range<Double>) -> Double {
        let length = stretch.upperBound - stretch.lowerBound
        return max(0, length - pauses.intersection(IntervalUnion([stretch])).length)
    }
}

/// Laps from events, splits from the route.
struct WorkoutSections {
    let workout: HealthWorkout
    let timeline: WorkoutTimeline
    let heartRate: [TimeSample]
    private let track: Track

    init(workout: HealthWorkout, timeline: WorkoutTimeline, heartRate: [TimeSample]) {
        self.workout = workout
        self.timeline = timeline
        self.heartRate = heartRate
        track = Track(workout.route)
    }

    /// Laps as the workout's events tell them; a lap event without a length ends at its time and starts where the one
    /// before ended.
    func laps() -> [WorkoutSection] {
        var previous = timeline.interval.lowerBound
        var sections: [WorkoutSection] = []
        for event in workout.events.sorted(by: { $0.date < $1.date }) where event.type == "HKWorkoutEventTypeLap" {
            let time = event.date.secondsSince1970
            let length = event.durationSeconds ?? 0
            let stretch = length > 0 ? time..<(time + length) : previous..<max(previous, time)
            previous = stretch.upperBound
            guard !stretch.isEmpty else { continue }
            var lap = section(index: sections.count + 1, stretch)
            lap.distance = track.distance(in: stretch)
            sections.append(lap)
        }
        return sections
    }

    /// Whole kilometres of the route.
    func splits() -> [WorkoutSection] {
        var sections: [WorkoutSection] = []
        var previous = timeline.interval.lowerBound
        for time in track.times(every: 1_000) {
            let stretch = previous.rounded()..<max(previous.rounded(), time.rounded())
            previous = time
            guard !stretch.isEmpty else { continue }
            var split = section(index: sections.count + 1, stretch)
            split.distance = 1_000
            let inside = heartRate.filter { stretch.contains($0.timestamp.timeIntervalSince1970) }
            if !inside.isEmpty { split.avgHeartRate = inside.reduce(0) { $0 + $1.value } / Double(inside.count) }
            sections.append(split)
        }
        return sections
    }

    private func section(index: Int, _ stretch: Range<Double>) -> WorkoutSection {
        WorkoutSection(
            index: index, startTime: Date(timeIntervalSince1970: stretch.lowerBound),
            endTime: Date(timeIntervalSince1970: stretch.upperBound), duration: timeline.activeSeconds(in: stretch))
    }
}

/// Distance over time along a route.
private struct Track {
    /// Time and metres so far, both not decreasing.
    private let points: [(time: Double, metres: Double)]

    init(_ route: [RoutePoint]) {
        var points: [(time: Double, metres: Double)] = []
        var last: RoutePoint?
        for point in route {
            guard let before = last, let reached = points.last else {
                points.append((point.time.secondsSince1970, 0))
                last = point
                continue
            }
            // Points may repeat a time or run backwards (apple-health-export.md 13).
            guard point.time > before.time else { continue }
            points.append((point.time.secondsSince1970, reached.metres + Self.metres(before, point)))
            last = point
        }
        self.points = points
    }

    /// The times at which multiples of a distance were reached.
    func times(every step: Double) -> [Double] {
        var times: [Double] = []
        var next = step
        for (before, after) in zip(points, points.dropFirst()) {
            while after.metres >= next, after.metres > before.metres {
                let share = (next - before.metres) / (after.metres - before.metres)
                times.append(before.time + share * (after.time - before.time))
                next += step
            }
        }
        return times
    }

    /// Metres covered in a stretch; nil when the route says nothing about it.
    func distance(in stretch: Range<Double>) -> Double? {
        guard let start = metres(at: stretch.lowerBound), let end = metres(at: stretch.upperBound), end > start else {
            return nil
        }
        return end - start
    }

    /// Metres so far, between points in proportion; before the first point 0, behind the last all.
    private func metres(at time: Double) -> Double? {
        guard let first = points.first, let last = points.last, points.count > 1 else { return nil }
        if time <= first.time { return 0 }
        if time >= last.time { return last.metres }
        var low = 0
        var high = points.count - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if points[middle].time <= time { low = middle } else { high = middle }
        }
        let (before, after) = (points[low], points[high])
        return before.metres + (after.metres - before.metres) * (time - before.time) / (after.time - before.time)
    }

    /// Great-circle distance on a sphere of the earth's mean radius.
    private static func metres(_ a: RoutePoint, _ b: RoutePoint) -> Double {
        let radians = Double.pi / 180
        let latitude = (b.latitude - a.latitude) * radians
        let longitude = (b.longitude - a.longitude) * radians
        let half =
            sin(latitude / 2) * sin(latitude / 2)
            + cos(a.latitude * radians) * cos(b.latitude * radians) * sin(longitude / 2) * sin(longitude / 2)
        return 2 * 6_371_008.8 * asin(min(1, half.squareRoot()))
    }
}
