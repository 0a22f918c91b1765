import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

/// Names that a phone chooses for folders of the destination. Whatever it sends: the manifest is refused, or every file lies within the
/// root that the person chose.
@Suite struct HostileNamesTests {
    static let names: [String] = [
        "..", "../", "/..", "../x", "../../x", "x/..", "x/../..", "x/../../y", "./..", "..//x", "..\\x", "x\\..\\y",
        "/", "//", "/x", "//x", "/etc", "/etc/passwd", "/tmp/x", "/dev/full", "/proc/self/cwd", "~", "~/x", "~root/x",
        ".", "./", "./x", "x/.", "x/./y", "x//y", "x/", " ", "  ", " /x", "x /y", "\t", "\n", "x\ny", "\r", "\u{7F}",
        "\0", "x\0y", "..\0", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{202E}gpj", "\u{200B}", "\u{FEFF}x", "\u{2028}",
        "\u{2029}",
        "．．", "．．/x", "%2e%2e", "%2e%2e/x", "..%2fx", "..%00", "C:", "C:\\x", "\\\\host\\x", "CON", "NUL", "x:y",
        "*", "?", "x|y", "$(id)", "`id`", "${HOME}", "; rm -rf x", "-rf", "--", "{date}/../..", "{year}/../../x",
        String(repeating: "x", count: 255), String(repeating: "x", count: 256), String(repeating: "é", count: 128),
        String(repeating: "a/", count: 200) + "a", String(repeating: "../", count: 40) + "x", "e\u{301}", "\u{E9}",
    ]

    private func snapshot(_ path: String) throws -> Set<String> {
        var found: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: path)
        where !name.hasPrefix("destination/") && !name.hasPrefix("state/") {
            found.insert(name)
        }
        return found
    }

    @Test("a hostile folder name is refused, or its files lie within the root", arguments: names)
    func folder(_ name: String) throws {
        let rig = try EngineRig()
        rig.connect()
        let before = try snapshot(rig.root)
        let (id, _) = rig.createJob()
        var settings = SettingsContent()
        settings.healthSubfolder = name
        let phone: FakePhone
        do {
            phone = try rig.filePhone(id, settings: settings)
        } catch let error as ManifestError {
            guard case .unsafePath(key: "healthSubfolder") = error else { throw error }
            return
        }
        let partitions = try phone.partitions()
        for partition in partitions { try rig.transfer(partition, of: phone) }
        rig.send(try phone.finalize(partitions))
        rig.settle()
        #expect(try snapshot(rig.root) == before)
        let job = try #require(rig.engine.book.jobs[id])
        if job.result?.status == .success { #expect(rig.destinationFiles().count == job.result?.filesWritten) }
    }

    @Test("the table of names has its size")
    func size() { #expect(Set(HostileNamesTests.names).count >= 60) }
}
