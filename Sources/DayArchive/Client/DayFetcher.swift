import Cryptography
import Foundation

/// A stretch of days that one range request asks for, and which of them are wanted.
struct WantedRange: Equatable, Sendable {
    let first: ArchiveDay
    private(set) var wanted: [ArchiveDay]

    var last: ArchiveDay { wanted[wanted.count - 1] }

    /// A wanted day joins a range when it is at most this many days after the last one (day-archive-reader.md 3).
    private static let largestGap = 7
    /// …and less than this many after the first.
    private static let longestSpan = 92

    /// Groups wanted days, sorted and without repeats.
    static func group(_ days: some Sequence<ArchiveDay>) -> [WantedRange] {
        var ranges: [WantedRange] = []
        for day in Set(days).sorted() {
            if let current = ranges.last, day.number - current.last.number <= largestGap,
                day.number - current.first.number < longestSpan
            {
                ranges[ranges.count - 1].wanted.append(day)
            } else {
                ranges.append(WantedRange(first: day, wanted: [day]))
            }
        }
        return ranges
    }
}

/// One opened day.
struct OpenedDay: Sendable {
    let day: ArchiveDay
    /// One event a line, each ended by LF.
    let lines: [UInt8]
}

extension ArchiveClient {
    /// Ranges that are asked for at a time (day-archive-reader.md 3).
    static let rangesInFlight = 4

    /// Fetches and opens days, up to four ranges at a time, and passes them on in ascending order.
    ///
    /// A wanted day that does not come is an error that stops everything: it must never be recorded as held.
    func fetch(
        _ days: some Sequence<ArchiveDay>, readingKey: ReadingKey, body: (OpenedDay) throws -> Void
    ) throws {
        let readKey = readingKey.readKey
        try OrderedWork.run(WantedRange.group(days), workerCount: Self.rangesInFlight) { range in
            try open(range, readingKey: readingKey, readKey: readKey)
        } consume: { opened in
            for day in opened { try body(day) }
        }
    }

    private func open(
        _ range: WantedRange, readingKey: ReadingKey, readKey: Ed25519.PrivateKey
    ) throws(ClientError) -> [OpenedDay] {
        let wanted = Set(range.wanted)
        var opened: [OpenedDay] = []
        for sealed in try sealedDays(from: range.first, to: range.last, key: readKey) where wanted.contains(sealed.day)
        {
            opened.append(try open(sealed, with: readingKey))
        }
        if opened.count < range.wanted.count {
            let found = Set(opened.map(\.day))
            if let missing = range.wanted.first(where: { !found.contains($0) }) { throw .missingDay(missing) }
        }
        return opened
    }

    private func open(_ sealed: SealedDay, with key: ReadingKey) throws(ClientError) -> OpenedDay {
        do throws(WireError) {
            let deflated = try SealedEnvelope.open(
                sealed.bytes, with: key.privateKey, for: .day(bucket, sealed.day))
            let text = try RawDeflate.inflate(deflated, ceiling: RawDeflate.dayCeiling)
            return OpenedDay(day: sealed.day, lines: try DayText.lines(of: text))
        } catch {
            throw .unreadableDay(sealed.day, error)
        }
    }

    /// All sealed days of a range, however many answers it takes.
    func sealedDays(
        from first: ArchiveDay, to last: ArchiveDay, key: Ed25519.PrivateKey
    ) throws(ClientError) -> [SealedDay] {
        var days: [SealedDay] = []
        var after: ArchiveDay?
        while true {
            let query: [(String, String?)] = [
                ("from", first.description), ("to", last.description), ("after", after?.description),
            ]
            let answer = try read("/d", query, key: key)
            let target = target("/d")
            let page: [SealedDay]
            do throws(WireError) {
                page = try DayFrame.decode(answer.body)
            } catch {
                throw .badAnswer(target: target, what: error.code)
            }
            for sealed in page {
                guard sealed.day >= first, sealed.day <= last, after.map({ $0 < sealed.day }) ?? true else {
                    throw .badAnswer(target: target, what: "a day that was not asked for")
                }
            }
            days += page
            guard let next = answer.headers["x-efferent-next"] else { return days }
            // A text that is no day is treated as one that does not move on.
            guard let day = try? ArchiveDay(text: next), after.map({ $0 < day }) ?? true, day <= last else {
                throw .badAnswer(target: target, what: "next does not move on")
            }
            after = day
        }
    }
}
