import Foundation
import HealthRecords

/// Which source counts where several recorded the same stretch (health-data.md 10.2.2).
///
/// The person's ordered list comes first; then watches, then phones, then all others by name.
public struct SourcePriority: Sendable, Equatable {
    private let places: [String: Int]

    /// A priority by source names, best first. Names are compared after Unicode normalization, without case, and with
    /// no-break spaces as spaces (apple-health-export.md 8).
    public init(_ names: [String] = []) {
        var places: [String: Int] = [:]
        for name in names where places[Self.folded(name)] == nil { places[Self.folded(name)] = places.count }
        self.places = places
    }

    /// Where a source stands; the smaller rank wins.
    struct Rank: Comparable, Hashable, Sendable {
        let group: Int
        let place: Int
        let name: String

        static func < (left: Rank, right: Rank) -> Bool {
            (left.group, left.place, left.name) < (right.group, right.place, right.name)
        }
    }

    func rank(of source: RecordSource) -> Rank {
        let name = Self.folded(source.name)
        if let place = places[name] { return Rank(group: 0, place: place, name: name) }
        return Rank(group: Self.group(name, device: source.device), place: 0, name: name)
    }

    private static func group(_ name: String, device: String?) -> Int {
        let device = device ?? ""
        if device.contains("model:Watch") || device.contains("name:Apple Watch") { return 1 }
        if device.contains("model:iPhone") || device.contains("name:iPhone") { return 2 }
        if name.contains("watch") { return 1 }
        return name.contains("iphone") ? 2 : 3
    }

    /// The form in which source names are compared.
    static func folded(_ name: String) -> String {
        name.precomposedStringWithCanonicalMapping.lowercased()
            .split { $0.isWhitespace || $0 == "\u{A0}" || $0 == "\u{202F}" }.joined(separator: " ")
    }
}
