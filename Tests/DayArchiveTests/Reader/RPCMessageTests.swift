import CanonicalJSON
import Testing

@testable import DayArchive

/// What is a request, a notification, or neither (JSON-RPC 2.0, 4 and 5).
@Suite("JSON-RPC messages")
struct RPCMessageTests {
    private static let invalid = -32_600
    private static let unreadable = -32_700

    private static let refused: [(text: String, id: JSONValue)] = [
        (#"{"jsonrpc":"2.0","id":1}"#, 1), (#"{"jsonrpc":"2.0","id":"a"}"#, "a"),
        (#"{"jsonrpc":"2.0","id":null}"#, .null), (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, .null),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, 1), (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, 1),
        (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, 1), (#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, 1),
        (#"{"id":1,"method":"ping"}"#, 1),
        (#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, .null),
        (#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, .null),
        (#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, .null),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#, 1),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, 1),
    ]

    @Test("what is no request of version 2.0 is an invalid request, with its id when it has one", arguments: refused)
    func refusals(text: String, id: JSONValue) throws { try expectRefusal(text, Self.invalid, id) }

    @Test(
        "what is no JSON object is a parse error with a null id",
        arguments: ["", "{", "[]", "1", "null", #"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, #"{"id":1,}"#])
    func unreadable(text: String) throws { try expectRefusal(text, Self.unreadable, .null) }

    private func expectRefusal(_ text: String, _ code: Int, _ id: JSONValue) throws {
        let local = try #require(LocalToolServer { _, arguments in arguments }.answer(Array(text.utf8)))
        let rig = try ServiceRig()
        let remote = rig.send("POST", "/mcp/b/\(rig.bucket)", headers: [:], body: Array(text.utf8))
        #expect(remote.status == 400)
        for document in [try JSONParser.parse(local), try remote.document] {
            #expect(document["error"]?["code"] == .integer(code))
            #expect(document["id"] == id && document["jsonrpc"] == "2.0")
        }
    }

    @Test(
        "an object without an id is never answered, whatever else is wrong with it",
        arguments: [
            "{}", #"{"jsonrpc":"2.0"}"#, #"{"method":"ping"}"#,
            #"{"jsonrpc":"1.0","method":"notifications/initialized"}"#,
            #"{"jsonrpc":"2.0","method":7}"#, #"{"jsonrpc":"2.0","method":"ping","params":"x"}"#,
            #"{"jsonrpc":"2.0","result":{}}"#, #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
        ])
    func unanswered(text: String) throws {
        #expect(LocalToolServer { _, arguments in arguments }.answer(Array(text.utf8)) == nil)
        let rig = try ServiceRig()
        let remote = rig.send("POST", "/mcp/b/\(rig.bucket)", headers: [:], body: Array(text.utf8))
        #expect(remote.status == 202 && remote.body.isEmpty)
    }

    @Test("a method without an id is a notification, which nobody answers, known or not")
    func notifications() throws {
        let server = LocalToolServer { _, arguments in arguments }
        let rig = try ServiceRig()
        for method in ["initialize", "ping", "tools/list", "tools/call", "notifications/initialized", "nothing"] {
            let text = Array(#"{"jsonrpc":"2.0","method":"\#(method)","params":{}}"#.utf8)
            #expect(server.answer(text) == nil)
            let remote = rig.send("POST", "/mcp/b/\(rig.bucket)", headers: [:], body: text)
            #expect(remote.status == 202 && remote.body.isEmpty)
        }
    }

    @Test("an id may be a text or a number, and comes back as it is", arguments: ["\"a b\"", "-3", "1.5"])
    func ids(id: String) throws {
        let answer = LocalToolServer { _, arguments in arguments }
            .answer(Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#.utf8))
        #expect(String(decoding: answer ?? [], as: UTF8.self) == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
    }
}
