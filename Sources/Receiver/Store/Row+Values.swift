import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation

/// Values of the protocol in columns. A column that does not hold what it must is `corrupt`.
extension Row {
    func uuid(_ column: Int) throws -> UUID {
        guard let value = UUID(uuidString: try text(column)) else { throw corrupt(column) }
        return value
    }

    func uuidIfPresent(_ column: Int) throws -> UUID? { isNull(column) ? nil : try uuid(column) }

    func digest(_ column: Int) throws -> Digest {
        guard let value = Digest(hex: try text(column)) else { throw corrupt(column) }
        return value
    }

    func date(_ column: Int) throws -> ProtocolDate {
        let seconds = try double(column)
        guard seconds.isFinite else { throw corrupt(column) }
        return ProtocolDate(secondsSince2001: seconds)
    }

    /// An enumeration by its word.
    func word<Value: RawRepresentable>(_ column: Int) throws -> Value where Value.RawValue == String {
        guard let value = Value(rawValue: try text(column)) else { throw corrupt(column) }
        return value
    }

    /// A secret goes from the page of the database to erased memory.
    func secret(_ column: Int) throws -> SecretBytes {
        try withBytes(column) { bytes in SecretBytes(copying: bytes) }
    }

    /// A small document of our own.
    func decoded<Value: Decodable>(_ column: Int) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(try blob(column)))
        } catch is DecodingError {
            throw corrupt(column)
        }
    }

    func decodedIfPresent<Value: Decodable>(_ column: Int) throws -> Value? {
        isNull(column) ? nil : try decoded(column)
    }
}

extension SQLValue {
    static func optional(_ value: Double?) -> SQLValue { value.map { .real($0) } ?? .null }
    static func optional(_ value: UUID?) -> SQLValue { value.map { .text($0.uuidString) } ?? .null }
    static func optional(_ value: UInt64?) -> SQLValue { value.map { .unsigned($0) } ?? .null }

    static func date(_ value: ProtocolDate) -> SQLValue { .real(value.secondsSince2001) }
    static func digest(_ value: Digest) -> SQLValue { .text(value.hex) }
    static func secret(_ value: SecretBytes) -> SQLValue { value.withUnsafeBytes { .blob([UInt8]($0)) } }

    /// A small document of our own.
    static func encoded(_ value: some Encodable) throws -> SQLValue { .blob([UInt8](try JSONEncoder().encode(value))) }
}
