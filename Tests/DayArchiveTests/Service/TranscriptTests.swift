import CanonicalJSON
import Cryptography
import DurableStore
import Foundation
import HTTPClient
import HTTPService
import TestSupport
import Testing

@testable import DayArchive

/// One request of a transcript with what must come back.
private struct TranscriptStep {
    let note: String
    let moment: ServiceMoment
    let random: [UInt8]?
    let request: ServiceRequest
    let headerFields: [(String, String)]
    let expected: JSONValue

    init(_ value: JSONValue) throws {
        note = try value.text("note")
        moment = ServiceMoment(milliseconds: try value.whole("at_ms"))
        random = try value["random_hex"].map { _ in try value.bytes("random_hex") }
        let request = try value.at("request")
        var body = try request["body_hex"].map { _ in try request.bytes("body_hex") } ?? []
        if let repeated = request["body"] {
            body = try repeated.bytes("first_hex")
            let filler = try repeated.bytes("then_repeat_hex")
            while body.count < (try repeated.whole("count")) { body += filler }
        }
        var headers: HTTPHeaders = [:]
        headerFields = try request.at("headers").object?.members.map { ($0.key, try #require($0.value.string)) } ?? []
        for (name, value) in headerFields { headers.add(name, value) }
        self.request = ServiceRequest(
            method: try request.text("method"), target: try request.text("target"), headers: headers, body: body)
        expected = try value.at("expect")
    }

    static func all(_ name: String) throws -> [TranscriptStep] {
        try ArchiveFixtures.read(name).list("steps").map { try TranscriptStep($0) }
    }

    static func limits(_ name: String) throws -> ServiceLimits {
        var limits = try ArchiveFixtures.read(name)["limits"].map { try ServiceLimits(file: $0) } ?? ServiceLimits()
        // The transcripts send more claims in a minute than one address may.
        limits.claimsPerMinute = 1_000
        return limits
    }

    /// Holds an answer against what was expected.
    func check(status: Int, header: (String) -> String?, body: [UInt8]) throws {
        let place: Comment = "\(note)"
        #expect(status == (try expected.whole("status")), place)
        for member in try expected.at("headers").object?.members ?? [] {
            #expect(header(member.key) == member.value.string, place)
        }
        if expected["headers"]?["x-efferent-next"] == nil { #expect(header("x-efferent-next") == nil, place) }
        if let json = expected["json"] { #expect(try JSONParser.parse(body).canonical == json.canonical, place) }
        if expected["body_hex"] != nil { #expect(body == (try expected.bytes("body_hex")), place) }
        if let code = expected["error_code"] {
            let document = try JSONParser.parse(body)
            #expect(document["code"] == code, place)
            #expect(document["error"]?.string?.isEmpty == false, place)
            #expect(document["now"] == expected["now"], place)
        }
    }
}

@Suite("Service transcripts")
struct TranscriptTests {
    @Test(
        "the published transcripts replay against the core",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence),
        arguments: ["service-transcript", "service-paging"])
    func core(name: String) throws {
        let rig = try ServiceRig(limits: try TranscriptStep.limits(name))
        let steps = try TranscriptStep.all(name)
        #expect(steps.count > 10)
        for step in steps {
            rig.clock.now = step.moment
            if let random = step.random { rig.clock.hand(random) }
            let answer = rig.send(step.request)
            try step.check(
                status: answer.status,
                header: { $0 == "content-type" ? answer.contentType : answer.header($0) }, body: answer.body)
        }
    }

    @Test(
        "the published transcripts replay over loopback, with files and SQLite behind",
        .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence),
        arguments: ["service-transcript", "service-paging"])
    func overHTTP(name: String) throws {
        let folder = try TemporaryFolder()
        let clock = TestClock()
        var configuration = ArchiveService.Configuration(folder: try Directory.openRoot(folder.path))
        configuration.port = 0
        configuration.limits = try TranscriptStep.limits(name)
        try configuration.folder.durableReplace(
            ArchiveService.claimTokenName, with: Array((ServiceRig.token + "\n").utf8))
        let service = try ArchiveService.start(
            configuration, clock: { clock.now }, random: { clock.random($0) })
        defer { service.stop() }
        for step in try TranscriptStep.all(name) {
            clock.now = step.moment
            if let random = step.random { clock.hand(random) }
            let hasBody = !["GET", "DELETE"].contains(step.request.method)
            var body: [UInt8] = []
            let head = try HTTPTransfer(
                method: step.request.method, url: "http://127.0.0.1:\(service.port)" + step.request.target,
                body: hasBody ? step.request.body : nil, headers: step.headerFields, timeout: 20
            ).run { body.append(contentsOf: $0) }
            try step.check(status: head.status, header: { head.headers[$0] }, body: body)
        }
    }
}
