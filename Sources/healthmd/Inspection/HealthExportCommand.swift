import CanonicalJSON
import HealthExport

/// `health-export inspect`: what an Apple Health export holds, without keeping anything (extensions.md 7).
enum HealthExportCommand {
    static let spec = CommandSpec(
        "health-export", "inspect", summary: "Counts what an Apple Health export holds; keeps nothing.",
        examples: [
            Example("healthmd health-export inspect export.zip", "types, sources, spans, oddities; no values")
        ],
        positionals: [
            PositionalSpec(name: "PATH", kind: .file, count: .one, summary: "a zip, a folder or the bare XML")
        ],
        options: [.flag("--rescue", "take what a truncated archive still gives")],
        run: { invocation, console in
            guard let path = invocation.words.first else { return .usage }
            var options = ExportOptions()
            options.rescue = invocation.has("--rescue")
            let inspection = try ExportInspection.inspect(path: try AbsolutePath.of(path), options: options)
            console.print(try JSONValue(report: inspection), invocation)
            guard inspection.complete || options.rescue else {
                console.note("incomplete: the export breaks off; what stands before that was counted. Copy it again")
                return .partial
            }
            return .success
        })
}
