import Foundation
import Testing

/// The published known answers that live beside the project, never inside it.
///
/// Tests that compare with them are declared with `.enabled(if: SharedFixtures.arePresent, SharedFixtures.absence)`,
/// so that a checkout without the folder says what it skipped.
public enum SharedFixtures {
    /// What a skipped test prints.
    public static let absence: Comment = "skipped: ../shared/fixtures is not beside this checkout"

    /// The folder, or nil where it is absent. `HEALTHMD_SHARED` names another place for `shared`.
    public static let root: URL? = {
        let override = ProcessInfo.processInfo.environment["HEALTHMD_SHARED"].map { URL(fileURLWithPath: $0) }
        let shared = override ?? Checkout.root.deletingLastPathComponent().appendingPathComponent("shared")
        let fixtures = shared.appendingPathComponent("fixtures")
        return FileManager.default.fileExists(atPath: fixtures.path) ? fixtures : nil
    }()

    /// Whether the published fixtures can be read here.
    public static var arePresent: Bool { root != nil }

    /// The bytes of one fixture, by its path below `fixtures/`.
    public static func bytes(_ path: String) throws -> [UInt8] {
        guard let root else { throw CocoaError(.fileNoSuchFile) }
        return [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
    }
}

/// Where this checkout lies.
public enum Checkout {
    /// The folder that holds `Package.swift`.
    public static let root: URL = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The bytes of one file below the project's own `Fixtures/`.
    public static func fixture(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appendingPathComponent("Fixtures").appendingPathComponent(path)))
    }
}
