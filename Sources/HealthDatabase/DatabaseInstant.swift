import CanonicalJSON

/// The one form of instants in the database: `2026-03-15T06:00:00.000Z`. Of equal length, so that texts sort as times.
enum DatabaseInstant {
    /// The instant of a document member; nil when it is none. A fraction finer than a millisecond is cut off.
    static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap(text)
    }

    /// The form of an RFC 3339 text.
    static func text(_ text: String) -> String? {
        guard let instant = RFC3339.parse(text) else { return nil }
        // Taken from the text where it is in UTC already: the binary value of .125 may lie a hair below.
        let bytes = Array(text.utf8)
        guard bytes.last == UInt8(ascii: "Z") else { return self.text(since2001: instant) }
        let fraction = bytes[19] == UInt8(ascii: ".") ? bytes[20..<(bytes.count - 1)].prefix(3) : []
        let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: 3 - fraction.count)
        return String(
            decoding: bytes[..<19] + [UInt8(ascii: ".")] + fraction + zeros + [UInt8(ascii: "Z")], as: UTF8.self)
    }

    /// The form of seconds since 2001-01-01T00:00:00Z; nil outside the years 0 to 9999.
    static func text(since2001 instant: Double) -> String? {
        // Half a microsecond: what binary seconds lose must not turn .125 into .124.
        RFC3339.nanoseconds(since2001: instant + 5e-7).map { $0.prefix(23) + "Z" }
    }

    /// The form of seconds since 1970.
    static func text(since1970 seconds: Double) -> String? {
        text(since2001: seconds - Double(RFC3339.referenceSince1970))
    }
}
