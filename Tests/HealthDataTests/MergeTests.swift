import CanonicalJSON
import Foundation
import Testing

@testable import HealthData

@Suite("Write modes and daily notes")
struct MergeTests {
    private func update(_ new: String, into old: String) throws -> String {
        String(
            decoding: try FileUpdate.content(
                rendered: Array(new.utf8), existing: Array(old.utf8), format: .markdown, mode: .update),
            as: UTF8.self)
    }

    private let new = """
        ---
        schema: healthmd.health_data
        steps: 900
        units:
          steps: steps
        ---

        # Health Data — 2026-02-03

        900 steps

        ## Sleep

        - **Total:** 8h 0m

        ## Heart

        - **Average HR:** 60 bpm

        """

    private let edited = """
        ---
        # my comment
        tags: [a, b]
        steps: 5
        schema: healthmd.health_data
        units:
          steps: steps
          old: x
        steps: 7
        ---

        # Old title

        old summary

        ## My thoughts

        Good day.

        ##  😴  SLEEP

        - **Total:** 1h 0m

        ### Sleep notes of mine go with it

        ## Plans

        ```
        ## Heart
        ```
        """

    @Test("our keys take their first place, others and comments stay, duplicates of ours go")
    func frontMatter() throws {
        let merged = try update(new, into: edited)
        #expect(
            merged.hasPrefix(
                """
                ---
                # my comment
                tags: [a, b]
                steps: 900
                schema: healthmd.health_data
                units:
                  steps: steps
                ---

                """))
    }

    @Test("our sections are replaced where they stand or added at the end, the person's sections stay")
    func body() throws {
        let merged = try update(new, into: edited)
        let expected = """

            # Health Data — 2026-02-03

            900 steps

            ## My thoughts

            Good day.

            ## Sleep

            - **Total:** 8h 0m

            ## Plans

            ```
            ## Heart
            ```

            ## Heart

            - **Average HR:** 60 bpm

            """
        #expect(merged.hasSuffix(expected))
    }

    @Test("merging twice changes nothing")
    func idempotent() throws {
        let once = try update(new, into: edited)
        #expect(try update(new, into: once) == once)
        #expect(try update(new, into: new) == new)
    }

    @Test("line ends of the file stay")
    func lineEnds() throws {
        let windows = edited.replacing("\n", with: "\r\n")
        let merged = try update(new, into: windows)
        #expect(merged.utf8.filter { $0 == 0x0A }.count == merged.utf8.filter { $0 == 0x0D }.count)
        #expect(merged.contains("- **Average HR:** 60 bpm\r\n"))
        #expect(try update(new, into: merged) == merged)
    }

    @Test("sections of a file with another heading level are matched at that level")
    func levels() throws {
        let old = "# Title\n\n#### Sleep\n\nold\n\n#### Mine\n\nkept\n"
        let merged = try update(new, into: old)
        #expect(merged.contains("#### Sleep\n\n- **Total:** 8h 0m\n\n#### Mine\n\nkept\n\n#### Heart\n"))
        #expect(try update(new, into: merged) == merged)
    }

    @Test("append puts an empty line between, does not repeat itself, and refuses JSON and CSV")
    func append() throws {
        func append(_ new: String, to old: String?, _ format: ExportFormat = .markdown) throws -> String {
            let bytes = try FileUpdate.content(
                rendered: Array(new.utf8), existing: old.map { Array($0.utf8) }, format: format, mode: .append)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try append("b\n", to: "a\n") == "a\n\n\nb\n")
        #expect(try append("b\n", to: "a\n\n\nb\n") == "a\n\n\nb\n")
        #expect(try append("b\n", to: nil) == "b\n")
        for format in [ExportFormat.json, .csv] {
            #expect(throws: HealthDataError.self) { try append("{}", to: "{}", format) }
            #expect(try append("{}", to: nil, format) == "{}")
        }
    }

    @Test("update replaces formats other than Markdown")
    func otherFormats() throws {
        let bytes = try FileUpdate.content(rendered: [1], existing: [2], format: .csv, mode: .update)
        #expect(bytes == [1])
    }

    private func note(_ existing: String?, _ change: (inout ExportSettings) -> Void = { _ in }) throws -> String? {
        var settings = ExportSettings()
        settings.dailyNotes.isEnabled = true
        change(&settings)
        let document = try DayDocument(SampleDay.record(), detail: .summary)
        let outcome = try DailyNote.merging(document, into: existing.map { Array($0.utf8) }, settings: settings)
        switch outcome {
        case .update(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .unchanged: return existing
        case .skip: return nil
        }
    }

    @Test("a daily note gets our keys and keeps its text; without front matter it gets one")
    func dailyNote() throws {
        let merged = try #require(try note("# Tuesday\n\nCall Robin.\n"))
        #expect(merged.hasPrefix("---\nschema: healthmd.health_data\n"))
        #expect(merged.hasSuffix("\n---\n\n# Tuesday\n\nCall Robin.\n"))
        #expect(try note(merged) == merged)
    }

    @Test("sections go into a daily note only when wanted, under the person's preamble")
    func injectedSections() throws {
        let merged = try #require(
            try note("# Tuesday\n\nCall Robin.\n\n## Body\n\nold\n") { $0.dailyNotes.injectsSections = true })
        #expect(merged.contains("\n# Tuesday\n\nCall Robin.\n\n## Body\n\n- **Weight:** 71.8 kg\n"))
        #expect(merged.contains("\n## Sleep\n\n- **Total:** 7h 30m\n"))
        #expect(!merged.contains("# Health Data"))
    }

    @Test("a missing daily note is created only when wanted")
    func missingNote() throws {
        #expect(try note(nil) == nil)
        #expect(try note(nil) { $0.dailyNotes.createsIfMissing = true }?.hasPrefix("---\n") == true)
    }
}
