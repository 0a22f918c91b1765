import CanonicalJSON
import HealthRecords

/// Reads a GPX file of the export point by point (apple-health-export.md 13).
public enum RouteReader {
    /// What a route file came to.
    public struct Summary: Hashable, Sendable {
        /// Points handed over.
        public var pointCount = 0
        /// Points without a readable place or time.
        public var unreadablePointCount = 0
        /// Whether the file ended as it should.
        public var isComplete = true
    }

    /// Hands over every point, in the order of the file.
    ///
    /// - Throws: `not_an_export` when the file is no GPX, and whatever the source or `body` throws.
    public static func read(
        _ source: any ByteSource, entry: String, body: (RoutePoint) throws -> Void
    ) throws -> Summary {
        var reader = Reader(scanner: TagScanner(source: source, keepsText: true))
        defer { reader.scanner.deallocate() }
        try reader.scanner.skipSignature(entry: entry)
        guard try reader.scanner.next() == .start, reader.scanner.element == .gpx else {
            throw ExportError.notAnExport(path: entry)
        }
        try reader.run(body)
        return reader.summary
    }

    private struct Reader {
        var scanner: TagScanner
        var summary = Summary()
        var times = UTCTimeReader()
        var latitude: Double?
        var longitude: Double?
        var time: Double?
        var point = RoutePoint(time: Instant(secondsSince1970: 0), latitude: 0, longitude: 0)
        var isInPoint = false

        mutating func run(_ body: (RoutePoint) throws -> Void) throws {
            var isOpen = true
            while true {
                switch try scanner.next() {
                case .start: if scanner.element == .trkpt { begin() }
                case .end:
                    if scanner.element == .gpx { isOpen = false }
                    if isInPoint { try end(body) }
                case .endOfStream:
                    summary.isComplete = !isOpen
                    return
                }
            }
        }

        private mutating func begin() {
            point = RoutePoint(time: Instant(secondsSince1970: 0), latitude: 0, longitude: 0)
            latitude = nil
            longitude = nil
            time = nil
            for index in 0..<scanner.attributeCount {
                let attribute = scanner.attributes[index]
                switch attribute.name {
                case .lat: latitude = latitude ?? ExportNumber.read(scanner.value(attribute))?.value
                case .lon: longitude = longitude ?? ExportNumber.read(scanner.value(attribute))?.value
                default: continue
                }
            }
            isInPoint = !scanner.isEmpty
            if scanner.isEmpty { summary.unreadablePointCount += 1 }
        }

        private mutating func end(_ body: (RoutePoint) throws -> Void) throws {
            switch scanner.element {
            case .trkpt:
                isInPoint = false
                try finish(body)
            case .time: time = times.read(text)
            case .ele: point.altitude = ExportNumber.read(text)?.value
            case .speed: point.speed = notNegative
            // -1 stands for unknown.
            case .course: point.course = notNegative
            case .hAcc: point.horizontalAccuracy = notNegative
            case .vAcc: point.verticalAccuracy = notNegative
            default: return
            }
        }

        private var notNegative: Double? { ExportNumber.read(text).flatMap { $0.value < 0 ? nil : $0.value } }

        /// The text before the tag at hand, without white space around it.
        private var text: UnsafeBufferPointer<UInt8> {
            var start = scanner.textStart
            var end = scanner.textEnd
            while start < end, scanner.buffer[start] <= 0x20 { start += 1 }
            while end > start, scanner.buffer[end - 1] <= 0x20 { end -= 1 }
            return UnsafeBufferPointer(start: scanner.buffer + start, count: end - start)
        }

        private mutating func finish(_ body: (RoutePoint) throws -> Void) throws {
            guard let latitude, let longitude, let time, abs(latitude) <= 90, abs(longitude) <= 180 else {
                summary.unreadablePointCount += 1
                return
            }
            point.latitude = latitude
            point.longitude = longitude
            point.time = Instant(secondsSince1970: time)
            summary.pointCount += 1
            try body(point)
        }
    }
}

/// Reads `2019-09-24T10:22:37Z` with or without a fraction; the day is remembered, since neighbours share it.
struct UTCTimeReader {
    private var cachedDate: [UInt8] = []
    private var cachedSeconds = 0

    /// Seconds since 1970, or nil.
    mutating func read(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard text.count >= 20, text.count <= 40, text[10] == UInt8(ascii: "T"), text[13] == 0x3A, text[16] == 0x3A,
            text[text.count - 1] == UInt8(ascii: "Z")
        else { return OddDate.read(text).map(Double.init) }
        if cachedDate.isEmpty || !text[..<10].elementsEqual(cachedDate) {
            guard let date = CivilDate(bytes: UnsafeBufferPointer(rebasing: text[..<10])) else { return nil }
            cachedDate = Array(text[..<10])
            cachedSeconds = date.daysSince1970 * 86_400
        }
        guard let hour = two(text, 11), hour < 24, let minute = two(text, 14), minute < 60,
            let second = two(text, 17), second <= 60
        else { return nil }
        let whole = Double(cachedSeconds + hour * 3_600 + minute * 60 + second)
        guard text.count > 20 else { return whole }
        guard text[19] == UInt8(ascii: "."),
            let fraction = ExportNumber.read(UnsafeBufferPointer(rebasing: text[19..<text.count - 1]))?.value,
            fraction >= 0, fraction < 1
        else { return nil }
        return whole + fraction
    }

    private func two(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        let tens = text[index] &- 0x30
        let ones = text[index + 1] &- 0x30
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
    }
}
