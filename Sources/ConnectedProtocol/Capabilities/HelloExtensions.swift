/// What a `hello` says under `healthmdExtensions` (extensions.md 2.7, 3.1).
///
/// A malformed value does not spoil the `hello`: the connection machine decides what it means.
public enum HelloExtensions: Sendable, Hashable, Codable {
    /// Nothing: a peer of another make.
    case absent
    /// Extensions that keep their rules.
    case wellFormed(HealthmdExtensions)
    /// Something that breaks them; fatal for the connection.
    case malformed

    /// The extensions, when they are well formed.
    public var value: HealthmdExtensions? {
        if case .wellFormed(let value) = self { return value }
        return nil
    }

    /// Reads any value.
    public init(from decoder: Decoder) throws {
        do {
            self = .wellFormed(try HealthmdExtensions(from: decoder))
        } catch {
            // Whatever is wrong with it, the verdict is the same and the caller's to act upon.
            self = .malformed
        }
    }

    /// Writes well-formed extensions.
    public func encode(to encoder: Encoder) throws {
        guard case .wellFormed(let value) = self else {
            preconditionFailure("only well-formed extensions are written")
        }
        try value.encode(to: encoder)
    }
}

/// Our own part of a `hello`.
public struct HealthmdExtensions: Sendable, Hashable, Codable {
    /// Most versions that a list may hold.
    public static let maximumVersionCount = 16
    /// Longest device name in UTF-8 bytes.
    public static let maximumDeviceNameByteCount = 128

    /// Versions of the secure record layer, as listed.
    public let secureRecords: [Int]
    /// Name of the device, which the cleartext pairing packets do not carry.
    public let deviceName: String?

    /// Extensions; throws `CorpusModelError.protocolVersions` for a list that breaks its rule. The name is shortened
    /// to what may be sent.
    public init(secureRecords: [Int], deviceName: String?) throws {
        guard HealthmdExtensions.areVersions(secureRecords) else { throw CorpusModelError.protocolVersions }
        self.secureRecords = secureRecords
        self.deviceName = deviceName.map { name in
            var kept = ""
            for character in name where !HealthmdExtensions.hasControl(String(character)) {
                guard kept.utf8.count + character.utf8.count <= HealthmdExtensions.maximumDeviceNameByteCount else {
                    break
                }
                kept.append(character)
            }
            return kept
        }
    }

    /// Reads and checks extensions; unknown keys are ignored.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        secureRecords = try container.decode([Int].self, forKey: .secureRecords)
        guard HealthmdExtensions.areVersions(secureRecords) else {
            throw FieldViolation(decoder, "1 to 16 positive integers", key: "secureRecords")
        }
        deviceName = try container.decodeIfPresent(String.self, forKey: .deviceName)
        if let deviceName {
            guard deviceName.utf8.count <= HealthmdExtensions.maximumDeviceNameByteCount,
                !HealthmdExtensions.hasControl(deviceName)
            else { throw FieldViolation(decoder, "at most 128 bytes without control characters", key: "deviceName") }
        }
    }

    private static func areVersions(_ list: [Int]) -> Bool {
        (1...maximumVersionCount).contains(list.count) && list.allSatisfy { $0 > 0 }
    }

    private static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
