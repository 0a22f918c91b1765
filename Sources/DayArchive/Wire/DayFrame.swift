/// One sealed day of a frame.
public struct SealedDay: Equatable, Sendable {
    /// Its date.
    public let day: ArchiveDay
    /// Its sealed bytes, at least one.
    public let bytes: [UInt8]

    /// A sealed day.
    public init(day: ArchiveDay, bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "a sealed day has bytes")
        self.day = day
        self.bytes = bytes
    }
}

/// Days in one body: ten characters of date, four bytes of length (big endian), the bytes, repeated (day-archive.md 5).
public enum DayFrame {
    /// Bytes before each day.
    public static let headByteCount = ArchiveDay.byteCount + 4

    /// The frame of days in strictly ascending order.
    public static func encode(_ days: [SealedDay]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(days.reduce(0) { $0 + headByteCount + $1.bytes.count })
        var last: ArchiveDay?
        for day in days {
            precondition(last.map { $0 < day.day } ?? true, "days ascend in a frame")
            last = day.day
            day.day.date.append(to: &output)
            let count = UInt32(day.bytes.count)
            output += [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
            output += day.bytes
        }
        return output
    }

    /// The days of a frame; none for no bytes.
    ///
    /// - Throws: `bad_frame`: anything left over, short, repeated, out of order or not a date refuses the whole frame.
    public static func decode(_ frame: [UInt8]) throws(WireError) -> [SealedDay] {
        var days: [SealedDay] = []
        var offset = 0
        while offset < frame.count {
            guard frame.count - offset >= headByteCount else {
                throw .badFrame(offset: offset, what: "it is cut short")
            }
            let text = String(decoding: frame[offset..<offset + ArchiveDay.byteCount], as: UTF8.self)
            // A text that is no day is reported with its place.
            guard let day = try? ArchiveDay(text: text) else { throw .badFrame(offset: offset, what: "no date") }
            guard days.last.map({ $0.day < day }) ?? true else {
                throw .badFrame(offset: offset, what: "days repeat or descend")
            }
            offset += ArchiveDay.byteCount
            let count = frame[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            offset += 4
            guard count > 0 else { throw .badFrame(offset: offset, what: "a day without bytes") }
            guard count <= frame.count - offset else { throw .badFrame(offset: offset, what: "it is cut short") }
            days.append(SealedDay(day: day, bytes: Array(frame[offset..<offset + count])))
            offset += count
        }
        return days
    }
}
