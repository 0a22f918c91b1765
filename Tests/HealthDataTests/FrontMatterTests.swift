import CanonicalJSON
import Testing

@testable import HealthData

@Suite("Front matter as YAML")
struct FrontMatterTests {
    private static let document = """
        {"schema":"healthmd.health_data","schema_version":8,"date":"2026-03-15","type":"health-data",
        "time_context":{"calendar_timezone":"Europe/Berlin","timestamp_timezone":"UTC"},
        "activity":{"steps":4321},"workouts":[{"type":"Running","sport":"run: fast","startTime":"10:00",
        "startTimeISO":"2026-03-15T09:00:00Z","endTimeISO":"2026-03-15T10:00:00Z","duration":3600,
        "locationType":"- here","metadata":{"a: b":"c","- d":"e\\u0007","true":"1","plain":"# x"}}],
        "raw_capture_status":"not_requested"}
        """

    /// Texts that make trouble in YAML, as names or values.
    static let texts = [
        "a: b", "a:b", "a:", ": a", "-", "- a", "-a", "--", "---", "...", "#a", "a #b", "a#b", "\"", "\"a\"", "'a'",
        "a'b\"c",
        "a\nb", "a\r\nb: c", "a\n---\nb", "\ta", "a\tb", " a", "a ", "true", "Yes", "no", "NULL", "~", "null", "1",
        "1.5", "0x1F",
        "1e3", "+1", ".5", "1_000", "2026-03-15", "12:30", "[a", "a]", "[a, b]", "{a: b}", "{a", "&a", "*a", "!a", "|",
        ">", "%a",
        "@a", "`a`", "?", "? a", "?a", ",a", "ä", "日付", "📅", "a\u{FEFF}b", "a\u{2028}b", "a\u{85}b", "a\u{0}b",
        "a\u{7}", "\\",
        "a\\nb", "<<", "=", "on", "y",
    ]

    private func rendered(_ settings: FrontMatterSettings, _ format: ExportFormat) throws -> String {
        var export = ExportSettings()
        export.customization.frontMatter = settings
        let bytes = try DayRenderer.bytes(
            of: DayDocument(parsing: Array(Self.document.utf8)), as: format, settings: export)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "whatever text a person gives to a key or a value, the block can be read and has it", arguments: texts,
        [ExportFormat.markdown, .bases])
    func anyText(text: String, format: ExportFormat) throws {
        let flat = text.replacing("\r\n", with: "\n")
        for change in [
            { $0.dateKey = text }, { $0.typeKey = text }, { $0.customKeys = ["steps": text] },
            { $0.customFields = [text: "x"] }, { $0.placeholderFields = [text] },
        ] as [(inout FrontMatterSettings) -> Void] {
            var settings = FrontMatterSettings()
            change(&settings)
            let read = try SmallYAML.frontMatter(of: rendered(settings, format))
            #expect(read[flat] != nil)
        }
        for change in [{ $0.typeValue = text }, { $0.customFields = ["type_of_mine": text] }]
            as [(inout FrontMatterSettings) -> Void]
        {
            var settings = FrontMatterSettings()
            change(&settings)
            let read = try SmallYAML.frontMatter(of: rendered(settings, format))
            let value = try #require(read["type_of_mine"] ?? read["type"])
            let meant: [SmallYAML] = [.text(flat), .other(text)] + (Self.yamlMeanings[text].map { [$0] } ?? [])
            #expect(meant.contains(value), "\(value)")
        }
    }

    /// Texts that are YAML, so that a person means what they mean there.
    private static let yamlMeanings: [String: SmallYAML] = [
        "[a, b]": .list([.text("a"), .text("b")]), "{a: b}": .map(["a": .text("b")]), "\"a\"": .text("a"),
        "'a'": .text("a"),
    ]

    @Test("what is YAML keeps its meaning; ordinary names and values have no quotes")
    func meaning() throws {
        var settings = FrontMatterSettings()
        settings.customFields = [
            "publish": "true", "weight": "12", "tags": "[health, \"a, b\", [c]]", "cover": "[[note]]", "text": "a: b",
            "map": "{a: [1], 'b': c}", "none": "", "open": "[a", "more": "[a] b", "bad": "\"a\\x\"",
            "plain": "Robin’s day",
        ]
        let text = try rendered(settings, .markdown)
        let read = try SmallYAML.frontMatter(of: text)
        #expect(read["publish"] == .other("true") && read["weight"] == .other("12"))
        #expect(read["tags"] == .list([.text("health"), .text("a, b"), .list([.text("c")])]))
        #expect(read["map"] == .map(["a": .list([.other("1")]), "b": .text("c")]))
        #expect(read["none"] == .empty && read["open"] == .text("[a") && read["more"] == .text("[a] b"))
        #expect(read["bad"] == .text("\"a\\x\""))
        #expect(text.contains("\nplain: Robin’s day\n") && text.contains("\npublish: true\n"))
        #expect(text.contains("\ntype: health-data\n") && text.contains("\nsteps: 4321\n"))
    }

    @Test("texts of other programs in workouts are quoted where they have to be")
    func workouts() throws {
        let read = try SmallYAML.frontMatter(of: rendered(FrontMatterSettings(), .bases))
        guard case .list(let workouts)? = read["workout_details"], let workout = workouts.first else {
            Issue.record("no workout")
            return
        }
        #expect(workout["sport"] == .text("run: fast") && workout["location_type"] == .text("- here"))
        #expect(
            workout["metadata"]
                == .map(["a: b": .text("c"), "- d": .text("e\u{7}"), "true": .text("1"), "plain": .text("# x")]))
        #expect(read["workouts"] == .list([.text("run:-fast")]))
    }

    @Test("a name stands once: choosing it twice is refused, and what arrives so is written without a loss")
    func names() throws {
        func fault(_ change: (inout FrontMatterSettings) -> Void) throws -> String? {
            var export = ExportSettings()
            change(&export.customization.frontMatter)
            do {
                try export.checkFrontMatter()
            } catch HealthDataError.invalidSetting(let key, _) { return key }
            return nil
        }
        let config = "formatCustomization.frontmatterConfig."
        #expect(try fault { _ in } == nil)
        #expect(try fault { $0.dateKey = "type" } == config + "customTypeKey")
        #expect(try fault { $0.typeKey = "schema" } == config + "customTypeKey")
        #expect(try fault { $0.customKeys = ["steps": "date"] } == config + "fields")
        #expect(try fault { $0.customFields = ["units": "x"] } == config + "customFields")
        #expect(try fault { $0.placeholderFields = ["a", "a"] } == config + "placeholderFields")
        #expect(try fault { $0.placeholderFields = [""] } == config + "placeholderFields")
        #expect(try fault { $0.customFields = [String(repeating: "n", count: 257): "x"] } == config + "customFields")
        #expect(
            try fault {
                $0.includesDate = false
                $0.customFields = ["date": "mine"]
            } == nil)
        var settings = FrontMatterSettings()
        settings.dateKey = "steps"
        settings.typeKey = "schema"
        settings.customKeys = ["steps": "units"]
        settings.customFields = ["steps": "lost", "": "x"]
        settings.placeholderFields = ["a", "a", ""]
        let read = try SmallYAML.frontMatter(of: rendered(settings, .markdown))
        #expect(read["steps"] == .text("2026-03-15") && read["type"] == .text("health-data"))
        #expect(read["steps_"] == .other("4321") && read["a"] == .empty)
        #expect(read["units"]?["steps_"] == .text("steps"))
    }

    @Test("an update finds keys in quotes again, ours and those of the person", arguments: texts)
    func merging(text: String) throws {
        var settings = FrontMatterSettings()
        settings.customFields = [text: "x"]
        let page = try rendered(settings, .markdown)
        let once = MarkdownMerge(existing: "---\nmine: 1\n'it''s': 2\n---\n").merging(page, .dayFile)
        #expect(MarkdownMerge(existing: once).merging(page, .dayFile) == once)
        let read = try SmallYAML.frontMatter(of: once)
        #expect(read["mine"] == .other("1") && read["it's"] == .other("2"))
    }
}
