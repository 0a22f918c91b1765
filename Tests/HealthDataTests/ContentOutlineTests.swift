import Testing

@testable import HealthData

@Suite("Outlines of files (export-formats.md 9)")
struct ContentOutlineTests {
    private func outline(_ format: ExportFormat, _ text: String) throws -> ContentOutline {
        try ContentOutline(format, bytes: Array(text.utf8))
    }

    @Test("JSON: keys with their paths, through arrays; values do not matter")
    func json() throws {
        let outline = try outline(.json, #"{"a":{"b":1,"c":[{"d":2},{"e":[3]}]},"f":null}"#)
        #expect(outline.names == ["/a", "/a/b", "/a/c", "/a/c[]/d", "/a/c[]/e", "/f"])
        #expect(try outline == self.outline(.json, #"{"f":"x","a":{"c":[{"e":[]},{"d":0}],"b":{}}}"#))
    }

    @Test("CSV: category and metric, quoted or not")
    func csv() throws {
        let text =
            "Date,Category,Metric,Value\n2026-01-01,Activity,\"Steps, all\",\"a\n\"\"b,\"\n"
            + "2026-01-01,Heart,HRV,5\n"
        #expect(try outline(.csv, text).names == ["Category/Metric", "Activity/Steps, all", "Heart/HRV"])
    }

    @Test("Markdown: front matter keys, headings and labels; dates and prose do not matter")
    func markdown() throws {
        let text = """
            ---
            steps: 900
            nested:
              - 1
            ---

            # Health Data — 2026-02-03

            900 steps

            ## Heart
            - **Average HR:** 60 bpm
            - **06:40** (running)

            """
        #expect(
            try outline(.markdown, text).names == ["key steps", "key nested", "heading Heart", "label Average HR:"])
        #expect(try outline(.markdown, text).holdsMore(than: outline(.bases, "---\nsteps: 1\n---\n")))
        #expect(try !outline(.bases, "---\nsteps: 1\n---\n").holdsMore(than: outline(.markdown, text)))
    }

    @Test("an empty file has no names")
    func empty() throws {
        #expect(try outline(.csv, "").names.isEmpty && outline(.markdown, "").names.isEmpty)
    }

    @Test(
        "a file that has more or longer names than a day can have is taken for one that holds more, within bounded memory"
    )
    func bounds() throws {
        let endless = "\"" + String(repeating: "x", count: 100_000)
        let long = String(repeating: "m", count: 4_000)
        let many = (0..<600).map { "a,c\($0),\(long),1\n" }.joined()
        let keys = "[" + (0..<600).map { "{\"k\($0)\(long)\":1}" }.joined(separator: ",") + "]"
        let deep = String(repeating: "{\"\(long)\":", count: 2) + "1}}"
        for (format, text) in [
            (ExportFormat.csv, "date,\(endless)"), (.csv, many), (.json, keys), (.json, deep),
            (.json, "{\"\(String(repeating: "k", count: 4_096))\":1}"),
        ] {
            let outline = try outline(format, text)
            #expect(outline.holdsMore(than: outline))
            #expect(outline.names.reduce(0) { $0 + $1.utf8.count } <= 2 << 20)
        }
        let short = try outline(.csv, "date,Activity,Steps,1\n")
        #expect(short.names == ["Activity/Steps"] && !short.holdsMore(than: short))
    }
}
