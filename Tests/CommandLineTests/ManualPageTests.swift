import Foundation
import TestSupport
import Testing

@testable import healthmd

@Suite("Manual page")
struct ManualPageTests {
    @Test("the manual page is what the command table says")
    func isCurrent() throws {
        let text = ManualPage(sections: CommandTable.sections).text
        let file = Checkout.root.appendingPathComponent("packaging/man/healthmd.1")
        if ProcessInfo.processInfo.environment["HEALTHMD_WRITE_SNAPSHOTS"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let agreed = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(
            text == agreed,
            "the commands changed: HEALTHMD_WRITE_SNAPSHOTS=1 swift test --filter CommandLineTests")
    }
}
