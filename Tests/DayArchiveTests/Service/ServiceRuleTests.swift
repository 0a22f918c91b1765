import CanonicalJSON
import Cryptography
import HTTPService
import Testing
import Transport

@testable import DayArchive

@Suite("Rules of the service")
struct ServiceRuleTests {
    private let day = "2026-10-08"

    @Test("a repeat of a request that changed something gets its answer and changes nothing")
    func repeats() throws {
        let rig = try ServiceRig(limits: ServiceRig.patient)
        let claim = rig.claimRequest()
        let first = rig.send(claim)
        #expect(first.status == 201)
        #expect(rig.send(claim).body == first.body)
        let upload = rig.uploadRequest([try sealedDay(day, [2, 1])])
        rig.clock.advance(seconds: 1)
        #expect(rig.send(upload).status == 200)
        rig.clock.advance(seconds: 1)
        #expect(rig.send(rig.uploadRequest([try sealedDay(day, [2, 2, 2])])).status == 200)
        // A recorded upload cannot bring the old bytes back.
        #expect(rig.send(upload).status == 200)
        #expect(rig.send("GET", "/b/\(rig.bucket)/d/\(day)").body == [2, 2, 2])
        #expect(try rig.storage.bucket(rig.bucket)?.byteCount == 14 + 2 + 14 + 3)
        // Nor an old editor.
        let editor = rig.registerRequest(.editor, key: TestKeys.editor.privateKey.publicKey.bytes)
        #expect(rig.send(editor).status == 201)
        let other = rig.registerRequest(.editor, key: TestKeys.editor2.privateKey.publicKey.bytes)
        #expect(rig.send(other).status == 201)
        #expect(rig.send(editor).status == 201)
        #expect(try rig.storage.bucket(rig.bucket)?.editor == TestKeys.editor2.privateKey.publicKey.bytes)
        // An edit is taken once.
        let edit = rig.editRequest([2, 9], editor: TestKeys.editor2.privateKey)
        let taken = rig.send(edit)
        #expect(taken.status == 201)
        #expect(rig.send(edit).body == taken.body)
        #expect(try rig.storage.waitingEditCount(rig.bucket) == 1)
        // When its time is over the clock refuses it.
        rig.clock.advance(seconds: 301)
        #expect(rig.send(upload).code == "stale")
    }

    @Test("the moment of upload grows with every rewrite, whatever the clock does")
    func uploadedGrows() throws {
        let rig = try ServiceRig()
        #expect(rig.send(rig.claimRequest()).status == 201)
        var last = ""
        for (index, step) in [0, 0, -60, 5].enumerated() {
            rig.clock.advance(seconds: step)
            #expect(rig.send(rig.uploadRequest([try sealedDay(day, [2, UInt8(index)])])).status == 200)
            let listing = try rig.send("GET", "/b/\(rig.bucket)/days").document
            let uploaded = try #require(listing["days"]?.array?.first?["uploaded"]?.string)
            #expect(uploaded > last)
            last = uploaded
        }
    }

    @Test("names of edits grow, whatever the clock does")
    func namesGrow() throws {
        let rig = try ServiceRig()
        rig.prepare()
        var last: EditName?
        for (index, step) in [0, 0, -100, 200].enumerated() {
            rig.clock.advance(seconds: step)
            let answer = rig.send(rig.editRequest([2, UInt8(index)]))
            let name = try EditName(text: try #require(try answer.document["name"]?.string))
            if let last { #expect(last < name) }
            last = name
        }
    }

    @Test("an address has five claims and registrations a minute, and hears when to come back")
    func rates() throws {
        let rig = try ServiceRig()
        for _ in 0..<5 {
            #expect(rig.send(rig.claimRequest()).status < 300)
            rig.clock.advance(seconds: 1)
        }
        let refused = rig.send(rig.claimRequest())
        #expect(refused.code == "slow-down")
        #expect(refused.header("retry-after") == "55")
        // Refused ones do not count; another address has its own five.
        var elsewhere = rig.claimRequest()
        elsewhere.peer = try IPAddress("192.0.2.7")
        #expect(rig.send(elsewhere).status == 200)
        rig.clock.advance(seconds: 55)
        #expect(rig.send(rig.claimRequest()).status == 200)
        #expect(rig.send(rig.claimRequest()).code == "slow-down")
        // Malformed ones count too: the rate comes before everything else.
        let other = try ServiceRig()
        for _ in 0..<5 { #expect(other.send("PUT", "/b/NO").code == "bad-bucket-id") }
        #expect(other.send("PUT", "/b/NO").code == "slow-down")
    }

    @Test("behind a trusted proxy the last forwarded address counts, from others the header is ignored")
    func proxies() throws {
        let proxy = try IPAddress("10.0.0.1")
        let rig = try ServiceRig(trustedProxies: [proxy])
        func send(_ forwarded: String, from peer: IPAddress) -> ServiceAnswer {
            var request = ServiceRequest(method: "PUT", target: "/b/NO", peer: peer)
            request.headers.add("X-Forwarded-For", forwarded)
            return rig.send(request)
        }
        for index in 0..<10 { #expect(send("9.9.9.9, 192.0.2.\(index)", from: proxy).status == 400) }
        for _ in 0..<4 { #expect(send("1.1.1.1, 192.0.2.0", from: proxy).status == 400) }
        #expect(send("8.8.8.8,192.0.2.0", from: proxy).status == 429)
        let stranger = try IPAddress("203.0.113.5")
        for index in 0..<5 { #expect(send("192.0.2.\(index)", from: stranger).status == 400) }
        #expect(send("192.0.2.9", from: stranger).status == 429)
    }

    @Test("a full queue answers 429 and that does not count against the rate")
    func fullQueue() throws {
        var limits = ServiceLimits()
        limits.pendingEdits = 1
        limits.editsPerMinute = 2
        let rig = try ServiceRig(limits: limits)
        rig.prepare()
        #expect(rig.send(rig.editRequest([2, 1])).status == 201)
        for index in 0..<3 { #expect(rig.send(rig.editRequest([2, 9, UInt8(index)])).code == "queue-full") }
    }

    @Test(
        "new archives are taken as the policy says, and the owner needs none",
        arguments: [
            (ClaimPolicy.token("t"), nil, "127.0.0.1", false), (.token("t"), "T", "127.0.0.1", false),
            (.token("t"), "t", "192.0.2.1", true), (.loopback, nil, "127.0.0.9", true),
            (.loopback, nil, "192.0.2.1", false), (.open, nil, "192.0.2.1", true), (.closed, "t", "127.0.0.1", false),
        ] as [(ClaimPolicy, String?, String, Bool)])
    func policies(policy: ClaimPolicy, token: String?, peer: String, isTaken: Bool) throws {
        let rig = try ServiceRig(claims: policy)
        var request = rig.claimRequest(token: token)
        request.peer = try IPAddress(peer)
        let answer = rig.send(request)
        #expect(answer.status == (isTaken ? 201 : 403))
        if !isTaken { #expect(answer.code == "claim-refused") }
        #expect(try (rig.storage.bucket(rig.bucket) != nil) == isTaken)
    }

    @Test("loopback behind a proxy is not loopback", arguments: ["Forwarded", "x-forwarded-for", "X-Real-IP"])
    func loopbackBehindProxy(header: String) throws {
        let rig = try ServiceRig(claims: .loopback)
        var request = rig.claimRequest(token: nil)
        request.headers.add(header, "192.0.2.1")
        #expect(rig.send(request).code == "claim-refused")
    }

    @Test("a part of the days that cannot be stored is left out of the answer; none is 502")
    func partialStore() throws {
        let blobs = MemoryBlobs(refusing: { $0.text.contains("/2026-10-08") })
        let rig = try ServiceRig(blobs: blobs)
        #expect(rig.send(rig.claimRequest()).status == 201)
        let both = rig.send(rig.uploadRequest([try sealedDay("2026-10-07", [2]), try sealedDay(day, [2])]))
        #expect(both.status == 200)
        #expect(try both.document["stored"] == ["2026-10-07"])
        rig.clock.advance(seconds: 1)
        #expect(rig.send(rig.uploadRequest([try sealedDay(day, [2])])).code == "store-failed")
        // The whole body of the first counts, nothing of the second.
        #expect(try rig.storage.bucket(rig.bucket)?.byteCount == 30)
        #expect(rig.send("GET", "/b/\(rig.bucket)/d/\(day)").code == "no-day")
    }

    @Test("a replaced day leaves no bytes behind")
    func noOrphans() throws {
        let rig = try ServiceRig()
        #expect(rig.send(rig.claimRequest()).status == 201)
        for index in 0..<4 {
            rig.clock.advance(seconds: 1)
            #expect(rig.send(rig.uploadRequest([try sealedDay(day, [2, UInt8(index)])])).status == 200)
        }
        #expect(rig.blobs.names.count == 1)
        #expect(rig.send("GET", "/b/\(rig.bucket)/d/\(day)").body == [2, 3])
    }

    @Test("what a day is and when it came stands in last-modified")
    func lastModified() throws {
        let rig = try ServiceRig()
        #expect(rig.send(rig.claimRequest()).status == 201)
        #expect(rig.send(rig.uploadRequest([try sealedDay(day, [2])])).status == 200)
        #expect(rig.send("GET", "/b/\(rig.bucket)/d/\(day)").header("last-modified") == "Sat, 10 Oct 2026 12:00:00 GMT")
    }

    @Test(
        "shapes of paths",
        arguments: [
            ("GET", "/", 404), ("GET", "/b", 404), ("GET", "/mcp/b", 404), ("GET", "/health/x", 404),
            ("HEAD", "/health", 405),
            ("POST", "/health", 405), ("GET", "//health/", 200), ("GET", "/b/BUCKET", 405), ("GET", "/b/BUCKET/", 405),
            ("GET", "/b/BUCKET/stats/", 200), ("GET", "/b/BUCKET/d/2026-1-1", 400), ("DELETE", "/b/BUCKET/d/x", 405),
            ("GET", "/b/BUCKET/d/2026%2D01-01", 400), ("GET", "/b/BUCKET/%73tats", 405),
            ("PUT", "/b/BUCKET/device", 405),
            ("DELETE", "/b/BUCKET/device", 405), ("HEAD", "/b/BUCKET/stats", 405), ("GET", "/mcp/b/BUCKET", 405),
            ("GET", "/mcp/b/x", 400), ("GET", "/b/BUCKET/e", 405), ("GET", "/b/BUCKET/days/x", 405),
        ])
    func paths(method: String, path: String, status: Int) throws {
        let rig = try ServiceRig()
        #expect(rig.send(method, path.replacing("BUCKET", with: rig.bucket.text)).status == status)
    }

    @Test(
        "query parameters are decoded, the first counts, an empty one is absent",
        arguments: [
            ("from=&to=", 200), ("limit=1&limit=0", 200), ("limit=0&limit=1", 400), ("limit=+1", 400),
            ("limit=1e3", 400),
            ("limit=0000000000000001", 400), ("limit=000000000000001", 200), ("fr%6Fm=2026-02-30", 400),
            ("from=2026%2D02%2D28", 200), ("from=2026-02-28+", 400), ("unknown=1", 200), ("limit", 200),
        ])
    func queries(query: String, status: Int) throws {
        let rig = try ServiceRig()
        #expect(rig.send("GET", "/b/\(rig.bucket)/days?\(query)").status == status)
    }

    @Test(
        "timestamps are plain seconds",
        arguments: ["", "-1", "01791633600", "1791633600.0", " 1791633600", "1e9", "9999999999999999"])
    func timestamps(text: String) throws {
        let rig = try ServiceRig()
        let headers = ServiceRig.headers(
            .writer, TestKeys.writer, SignedText.claim(rig.bucket, timestamp: text), timestamp: text)
        #expect(rig.send("PUT", "/b/\(rig.bucket)", headers: headers).code == "bad-timestamp")
    }

    @Test("keys and signatures are base64url without padding or spare bits, of the right length, and not weak")
    func encodings() throws {
        let rig = try ServiceRig(limits: ServiceRig.patient)
        let good = rig.claimRequest()
        func code(writer: String? = nil, signature: String? = nil) -> String? {
            let fields = good.headers.fields
            var headers: HTTPHeaders = [:]
            for (name, value) in fields {
                switch name {
                case "x-efferent-writer": headers.add(name, writer ?? value)
                case "x-efferent-signature": headers.add(name, signature ?? value)
                default: headers.add(name, value)
                }
            }
            return rig.send(ServiceRequest(method: "PUT", target: good.target, headers: headers)).code
        }
        let key = try #require(good.headers["x-efferent-writer"])
        #expect(code(writer: key + "=") == "bad-encoding")
        #expect(code(writer: key.dropLast() + "R") == "bad-encoding")
        #expect(code(writer: String(key.dropLast(3))) == "bad-length")
        #expect(code(signature: "AAAA") == "bad-length")
        #expect(code(writer: String(repeating: "A", count: 43)) == "weak-key")
        #expect(code(signature: String(repeating: "A", count: 86)) == "bad-signature")
        #expect(code() == nil)
    }

    @Test("before a read key is registered its headers are ignored, even malformed ones")
    func ignoredReaders() throws {
        let rig = try ServiceRig()
        #expect(rig.send(rig.claimRequest()).status == 201)
        let headers: HTTPHeaders = [SignedHeaders.Signer.reader.rawValue: "?", SignedHeaders.signatureName: "?"]
        #expect(rig.send("GET", "/b/\(rig.bucket)/days", headers: headers).status == 200)
        #expect(rig.send(rig.registerRequest(.reader, key: TestKeys.reading.readKey.publicKey.bytes)).status == 201)
        #expect(rig.send("GET", "/b/\(rig.bucket)/days", headers: headers).code == "bad-timestamp")
        #expect(rig.send(rig.readRequest("/b/\(rig.bucket)/days")).status == 200)
        // Permission comes before parameters, names before permission.
        #expect(rig.send("GET", "/b/\(rig.bucket)/days?limit=0").code == "read-signature-required")
        #expect(rig.send("GET", "/b/\(rig.bucket)/o/x").code == "bad-name")
    }

    @Test("with a base path the path that was sent is signed, and the rest is routed")
    func basePath() throws {
        let rig = try ServiceRig(basePath: "/archive")
        var claim = rig.claimRequest()
        claim.target = "/archive" + claim.target
        #expect(rig.send(claim).status == 201)
        var register = rig.registerRequest(.reader, key: TestKeys.reading.readKey.publicKey.bytes)
        register.target = "/archive" + register.target
        #expect(rig.send(register).status == 201)
        #expect(rig.send(rig.readRequest("/archive/b/\(rig.bucket)/days")).status == 200)
        #expect(rig.send("GET", "/b/\(rig.bucket)/stats").code == "unknown-path")
        #expect(rig.send("GET", "/archives/b/\(rig.bucket)/stats").code == "unknown-path")
        #expect(rig.send("GET", "/archive/health").status == 200)
    }

    @Test("limits files name known limits with positive whole numbers")
    func limitsFile() throws {
        let limits = try ServiceLimits(file: ["days_per_page": 5, "service_bytes": 9])
        #expect(limits.daysPerPage == 5 && limits.serviceByteCount == 9)
        for bad: JSONValue in [["days": 1], ["days_per_page": 0], ["days_per_page": "5"], []] {
            #expect(throws: ServiceStartError.self) { try ServiceLimits(file: bad) }
        }
    }

    @Test("the service's own tally refuses too")
    func serviceFull() throws {
        var limits = ServiceLimits()
        limits.serviceByteCount = 20
        let rig = try ServiceRig(limits: limits)
        #expect(rig.send(rig.claimRequest()).status == 201)
        #expect(rig.send(rig.uploadRequest([try sealedDay(day, [2])])).status == 200)
        rig.clock.advance(seconds: 1)
        #expect(rig.send(rig.uploadRequest([try sealedDay(day, [2])])).code == "service-full")
    }

    @Test("every refusal has a status of the table and a sentence")
    func refusals() {
        for refusal in ServiceRefusal.allCases {
            #expect((400..<600).contains(refusal.status))
            #expect(refusal.sentence.hasSuffix("."))
        }
    }
}
