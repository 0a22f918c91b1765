import CanonicalJSON
import Cryptography
import Foundation
import TestSupport
import Testing

@testable import DayArchive

/// The known answers of the day archive.
enum ArchiveFixtures {
    static func read(_ name: String) throws -> JSONValue {
        try JSONParser.parse(try SharedFixtures.bytes("day-archive/\(name).json"))
    }
}

extension JSONValue {
    /// A member that a fixture is known to have.
    func at(_ key: String) throws -> JSONValue { try #require(self[key], "\(key) is missing") }
    /// A text that a fixture is known to have.
    func text(_ key: String) throws -> String { try #require(self[key]?.string, "\(key) is no text") }
    /// A whole number that a fixture is known to have.
    func whole(_ key: String) throws -> Int { try #require(self[key]?.number?.int, "\(key) is no whole number") }
    /// A list that a fixture is known to have.
    func list(_ key: String) throws -> [JSONValue] { try #require(self[key]?.array, "\(key) is no list") }
    /// Bytes in hexadecimal.
    func bytes(_ key: String) throws -> [UInt8] { try Hex.decode(try text(key)) }

    /// The same value with sorted members and plain numbers, for comparing documents whose order means nothing.
    var canonical: String {
        let style = JSONStyle(isPretty: false, order: .bytes, escapesSolidus: false, numbers: .ecmaScript)
        return String(decoding: JSONWriter.encode(plain, style: style), as: UTF8.self)
    }

    private var plain: JSONValue {
        switch self {
        case .object(let object): .object(JSONObject(object.members.map { .init($0.key, $0.value.plain) }))
        case .array(let elements): .array(elements.map(\.plain))
        case .number(let number): .double(number.double)
        case .string, .bool, .null: self
        }
    }
}

/// Keys of the fixtures, rebuilt from their public labels so that tests without the fixtures have them too.
enum TestKeys {
    static let reading = ReadingKey(X25519.PrivateKey(checkedSecret: secret("reading key")))
    static let reading2 = ReadingKey(X25519.PrivateKey(checkedSecret: secret("reading key 2")))
    static let writer = Ed25519.PrivateKey(checkedSeed: secret("writer key"))
    static let writer2 = Ed25519.PrivateKey(checkedSeed: secret("writer key 2"))
    static let editor = EditorKey(Ed25519.PrivateKey(checkedSeed: secret("editor key")))
    static let editor2 = EditorKey(Ed25519.PrivateKey(checkedSeed: secret("editor key 2")))

    private static func secret(_ label: String) -> SecretBytes {
        SecretBytes(copying: SHA256.hash("day-archive fixture \(label)"))
    }
}
