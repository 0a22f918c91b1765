import Foundation

@testable import ConnectedProtocol

/// Settings with roll-ups, with a pinned engine, or with both.
enum RollupSettings {
    private static let pin = """
        {"engine":"rust","profile":"p","public_schema":"healthmd.health_data","public_schema_version":8,
         "core_api_version":1,"semantic_input_version":1,"canonical_model_version":1,"render_input_version":1,
         "artifact_plan_version":1,"registry_version":1,"registry_sha256":"\(String(repeating: "a", count: 64))",
         "semantic_profile_revision":1,"render_profile_revision":1,"core_source_revision":"r","calendar_time_zone":"UTC"}
        """

    static func content(isPinned: Bool, wantsRollups: Bool) throws -> SettingsContent {
        var content = SettingsContent()
        content.generateMonthlyRollups = wantsRollups
        if isPinned { content.appleExportEnginePin = try JSONDecoder().decode(EnginePin.self, from: Data(pin.utf8)) }
        return content
    }
}
