import CanonicalJSON
import HTTPService
import TestSupport
import Testing

@testable import DayArchive

@Suite("The keyless tools of the service")
struct RemoteToolTests {
    private func call(_ rig: ServiceRig, _ text: String, headers: HTTPHeaders = ["Host": "archive.test:1"])
        -> ServiceAnswer
    {
        rig.send("POST", "/mcp/b/\(rig.bucket)", headers: headers, body: Array(text.utf8))
    }

    private func tool(_ rig: ServiceRig, _ name: String, _ arguments: String = "{}") throws -> JSONValue {
        let answer = call(
            rig,
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(name)","arguments":\#(arguments)}}"#)
        #expect(answer.status == 200)
        return try #require(try answer.document["result"])
    }

    @Test("messages are answered as JSON-RPC over one POST each")
    func messages() throws {
        let rig = try ServiceRig()
        #expect(call(rig, "nonsense").status == 400)
        #expect(try call(rig, "nonsense").document["error"]?["code"] == -32_700)
        #expect(try call(rig, "[]").document["error"]?["code"] == -32_700)
        #expect(try call(rig, #"{"jsonrpc":"2.0","id":1,"method":"x"}"#).document["error"]?["code"] == -32_601)
        #expect(call(rig, #"{"jsonrpc":"2.0","id":1,"method":"x"}"#).status == 200)
        let silent = call(rig, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        #expect(silent.status == 202 && silent.body.isEmpty && silent.contentType == nil)
        let initialized = try call(
            rig, #"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#
        )
        .document
        #expect(initialized["result"]?["protocolVersion"] == "2025-03-26")
        #expect(initialized["id"] == 7)
        let big = rig.send("POST", "/mcp/b/\(rig.bucket)", body: [UInt8](repeating: 0x20, count: 65_537))
        #expect(big.status == 413)
    }

    @Test("the published tools are there", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func surface() throws {
        let rig = try ServiceRig()
        let names = try call(rig, #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).document["result"]?["tools"]?
            .array?.map {
                $0["name"]
            }
        let expected = try ArchiveFixtures.read("mcp-surface").list("remote_tools").map { $0["name"] }
        #expect(names == expected)
    }

    @Test("tools answer with what the routes answer, until reads have to be signed")
    func tools() throws {
        let rig = try ServiceRig()
        rig.prepare()
        #expect(rig.send(rig.uploadRequest([try sealedDay("2026-10-08", [2, 1])])).status == 200)
        let status = try tool(rig, "archive_status")
        #expect(status["structuredContent"]?["days"] == 1)
        let days = try tool(rig, "list_sealed_days", #"{"from":"2026-10-01","limit":5}"#)
        #expect(days["structuredContent"]?["days"]?.array?.first?["day"] == "2026-10-08")
        let link = try tool(rig, "get_sealed_day", #"{"day":"2026-10-08"}"#)["content"]?.array?.first
        #expect(link?["uri"]?.string == "http://archive.test:1/b/\(rig.bucket)/d/2026-10-08")
        #expect(try tool(rig, "get_sealed_day", #"{"day":"2026-10-07"}"#)["isError"] == true)
        #expect(try tool(rig, "get_sealed_day")["isError"] == true)
        #expect(try tool(rig, "list_edits", #"{"status":"other"}"#)["isError"] == true)
        #expect(try tool(rig, "list_edits")["structuredContent"]?["edits"] == [])
        #expect(try tool(rig, "no_such_tool")["isError"] == true)
        let guide = try tool(rig, "setup_guide")["content"]?.array?.first?["text"]?.string ?? ""
        #expect(guide.contains(rig.bucket.text) && guide.contains("healthmd archive reader connect"))

        #expect(rig.send(rig.registerRequest(.reader, key: TestKeys.reading.readKey.publicKey.bytes)).status == 201)
        for name in ["list_sealed_days", "get_sealed_day", "list_edits"] {
            let refused = try tool(rig, name, #"{"day":"2026-10-08"}"#)
            #expect(refused["isError"] == true)
            #expect(refused["content"]?.array?.first?["text"]?.string?.contains("healthmd archive reader") == true)
        }
        #expect(try tool(rig, "archive_status")["structuredContent"]?["days"] == 1)
    }
}
