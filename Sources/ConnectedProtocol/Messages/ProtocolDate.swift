/// An instant of the wire: seconds since 2001-01-01T00:00:00Z as a binary64 (corpus-protocol.md 1).
///
/// Dates are identities. They are compared as exact binary64 values and never computed anew in another time zone.
public struct ProtocolDate: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// Seconds since 2001-01-01T00:00:00Z; always finite.
    public let secondsSince2001: Double

    /// Unix time of 2001-01-01T00:00:00Z.
    public static let referenceSince1970: Double = 978_307_200

    /// A date from a finite number of seconds. Zero has one identity, whatever its sign.
    public init(secondsSince2001 seconds: Double) {
        precondition(seconds.isFinite, "a date is finite")
        secondsSince2001 = seconds == 0 ? 0 : seconds
    }

    /// A date from Unix time.
    public init(secondsSince1970 seconds: Double) {
        self.init(secondsSince2001: seconds - ProtocolDate.referenceSince1970)
    }

    /// Unix time.
    public var secondsSince1970: Double { secondsSince2001 + ProtocolDate.referenceSince1970 }

    /// The instant that lies some seconds later, or earlier for a negative number.
    public func adding(seconds: Double) -> ProtocolDate {
        ProtocolDate(secondsSince2001: secondsSince2001 + seconds)
    }

    /// Reads a JSON number.
    public init(from decoder: Decoder) throws {
        let seconds = try decoder.singleValueContainer().decode(Double.self)
        guard seconds.isFinite else { throw FieldViolation(decoder, "a finite number of seconds") }
        self.init(secondsSince2001: seconds)
    }

    /// Writes a JSON number.
    public func encode(to encoder: Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(secondsSince2001)
    }

    /// Earlier first.
    public static func < (left: ProtocolDate, right: ProtocolDate) -> Bool {
        left.secondsSince2001 < right.secondsSince2001
    }

    /// The number of seconds.
    public var description: String { secondsSince2001.description }
}

extension Collection where Element: Comparable {
    /// Whether every element is greater than the one before it.
    var isStrictlyAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
