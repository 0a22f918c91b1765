import Cryptography

/// The renderer that a source pinned for a job (corpus-protocol.md 7.1).
///
/// This program has no such renderer and sends no pin; absent means legacy authority.
public struct EnginePin: Sendable, Hashable, Codable {
    /// Engines that may be pinned; the legacy one may not.
    public enum Engine: String, Sendable, Codable {
        /// Runs beside the legacy engine.
        case shadow
        /// The shared renderer.
        case rust
    }

    /// Longest string in characters (UTF-8 bytes).
    public static let maximumByteCount = 128
    /// Longest source revision.
    public static let maximumRevisionByteCount = 256

    /// Engine.
    public let engine: Engine
    /// Profile.
    public let profile: String
    /// Schema of the documents.
    public let publicSchema: String
    /// Its version.
    public let publicSchemaVersion: Int
    /// Version of the core's interface.
    public let coreAPIVersion: Int
    /// Version of its input.
    public let semanticInputVersion: Int
    /// Version of its model.
    public let canonicalModelVersion: Int
    /// Version of the renderer's input.
    public let renderInputVersion: Int
    /// Version of the artifact plan.
    public let artifactPlanVersion: Int
    /// Version of the metric registry.
    public let registryVersion: Int
    /// Digest of the metric registry.
    public let registrySHA256: Digest
    /// Revision of the semantic profile.
    public let semanticProfileRevision: Int
    /// Revision of the render profile.
    public let renderProfileRevision: Int
    /// Revision of the core's source.
    public let coreSourceRevision: String
    /// Zone of the calendar.
    public let calendarTimeZone: String

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case engine, profile
        case publicSchema = "public_schema"
        case publicSchemaVersion = "public_schema_version"
        case coreAPIVersion = "core_api_version"
        case semanticInputVersion = "semantic_input_version"
        case canonicalModelVersion = "canonical_model_version"
        case renderInputVersion = "render_input_version"
        case artifactPlanVersion = "artifact_plan_version"
        case registryVersion = "registry_version"
        case registrySHA256 = "registry_sha256"
        case semanticProfileRevision = "semantic_profile_revision"
        case renderProfileRevision = "render_profile_revision"
        case coreSourceRevision = "core_source_revision"
        case calendarTimeZone = "calendar_time_zone"
    }

    /// Reads and checks a pin.
    public init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func version(_ key: CodingKeys) throws -> Int {
            let value = try container.decode(Int.self, forKey: key)
            guard value > 0 else { throw FieldViolation(decoder, "a version above 0", key: key.rawValue) }
            return value
        }
        func text(_ key: CodingKeys, limit: Int = EnginePin.maximumByteCount) throws -> String {
            let value = try container.decode(String.self, forKey: key)
            guard (1...limit).contains(value.utf8.count),
                !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw FieldViolation(decoder, "a short text without control characters", key: key.rawValue) }
            return value
        }
        engine = try container.decode(Engine.self, forKey: .engine)
        profile = try text(.profile)
        publicSchema = try text(.publicSchema)
        publicSchemaVersion = try version(.publicSchemaVersion)
        coreAPIVersion = try version(.coreAPIVersion)
        semanticInputVersion = try version(.semanticInputVersion)
        canonicalModelVersion = try version(.canonicalModelVersion)
        renderInputVersion = try version(.renderInputVersion)
        artifactPlanVersion = try version(.artifactPlanVersion)
        registryVersion = try version(.registryVersion)
        registrySHA256 = try container.decode(Digest.self, forKey: .registrySHA256)
        semanticProfileRevision = try version(.semanticProfileRevision)
        renderProfileRevision = try version(.renderProfileRevision)
        coreSourceRevision = try text(.coreSourceRevision, limit: EnginePin.maximumRevisionByteCount)
        calendarTimeZone = try text(.calendarTimeZone)
    }
}
