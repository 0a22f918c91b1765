import CanonicalJSON
import Foundation

extension JSONValue {
    /// The document of a small report of ours: counts, names, states. Never for health documents.
    init(report: some Encodable) throws {
        self = try JSONParser.parse([UInt8](try JSONEncoder().encode(report)))
    }
}
