import CanonicalJSON
import Cryptography
import DurableStore
import Foundation
import HealthData

/// `healthmd render`: the files that the receiver would make of canonical day documents (extensions.md 6).
enum RenderCommand {
    /// A whole document is held in memory while its files are made.
    static let maximumDocumentByteCount = 1_024 * 1_024 * 1_024

    private static let formats = ["json", "csv", "markdown", "bases", "dictionary", "rollup"]

    static let spec = CommandSpec(
        "render", summary: "Makes the daily files, the dictionary or a roll-up of canonical day documents.",
        examples: [
            Example("healthmd render 2026-03-01.json --format markdown -o notes", "the note of a day"),
            Example("healthmd render day1.json day2.json --format rollup --format csv -o out", "a roll-up as CSV"),
        ],
        positionals: [
            PositionalSpec(name: "DOCUMENT.json", kind: .file, count: .oneOrMore, summary: "canonical day documents")
        ],
        options: [
            .value(
                "--format", .choice(formats), "FORMAT",
                "what to make; with rollup the other formats are those of the roll-up (json)", repeats: true
            ).required,
            .output("an existing folder", .folder, "DIR").required,
        ],
        run: { invocation, console in
            guard let folder = invocation.text("--output") else { return .usage }
            let render = try DocumentRenderer(formats: Set(invocation.texts("--format")), folder: folder)
            // In the order of the days: a roll-up takes them so.
            for document in try dated(invocation.words) { try render.add(path: document.path) }
            try render.finish()
            console.print(["status": "success", "files": .array(render.written)], invocation)
            return .success
        })

    /// The documents by day. Only their dates are kept.
    private static func dated(_ paths: [String]) throws -> [(day: CivilDate, path: String)] {
        var documents: [(day: CivilDate, path: String)] = []
        for path in paths {
            let day = try DocumentRenderer.read(path).date
            guard !documents.contains(where: { $0.day == day }) else {
                throw CommandFailure(
                    "duplicate_day", "two of the documents are of \(day); give each day once",
                    details: [("date", .string(day.description))])
            }
            documents.append((day, path))
        }
        return documents.sorted { $0.day < $1.day }
    }
}

/// Writes the files of documents into one folder, one document in memory at a time.
private final class DocumentRenderer {
    private(set) var written: [JSONValue] = []
    private let folder: Directory
    private let settings: ExportSettings
    private let planner: FilePlanner
    private let makesDictionary: Bool
    private let makesRollup: Bool
    private var documents: [(day: CivilDate, version: DocumentVersion, path: String)] = []

    init(formats: Set<String>, folder: String) throws {
        self.folder = try Self.open(folder)
        var settings = ExportSettings()
        settings.healthSubfolder = ""
        settings.formats = ExportFormat.allCases.filter { formats.contains(Self.word($0)) }
        makesDictionary = formats.contains("dictionary")
        makesRollup = formats.contains("rollup")
        if makesRollup, settings.formats.isEmpty { settings.formats = [.json] }
        self.settings = settings
        planner = FilePlanner(settings)
    }

    private static func open(_ folder: String) throws -> Directory {
        let path = URL(fileURLWithPath: try AbsolutePath.of(folder)).resolvingSymlinksInPath().path
        do {
            return try Directory.openRoot(path)
        } catch StoreError.notFound {
            throw FailureText.failure(of: StoreError.notFound(path: path)).with([
                NextStep("make the folder, then try again", "mkdir -p \(ShellText.quoted(path))")
            ])
        }
    }

    private static func word(_ format: ExportFormat) -> String {
        switch format {
        case .markdown: "markdown"
        case .bases: "bases"
        case .json: "json"
        case .csv: "csv"
        }
    }

    static func read(_ path: String) throws -> DayDocument {
        try DayDocument(
            parsing: FileKind.open(path, expected: .json).contents(
                maximumByteCount: RenderCommand.maximumDocumentByteCount))
    }

    func add(path: String) throws {
        let document = try Self.read(path)
        documents.append((document.date, document.version, path))
        guard !makesRollup else { return }
        for file in try planner.files(for: document.date) {
            guard case .day(let format) = file.content else { continue }
            try write(file.path) { sink in
                try DayRenderer.write(document, as: format, settings: settings, to: sink)
            }
        }
    }

    func finish() throws {
        guard let first = documents.first, let last = documents.last else { return }
        if makesDictionary, let path = planner.dataDictionaryPath {
            try write(path) { sink in try sink(DataDictionary(version: first.version, settings: settings).bytes()) }
        }
        guard makesRollup else { return }
        let period = try RollupPeriod(from: first.day, to: last.day)
        var builder = RollupBuilder(period: period, version: first.version, settings: settings)
        for document in documents { builder.add(try Self.read(document.path)) }
        guard let rollup = builder.finish(generatedAt: Date()) else {
            throw CommandFailure("no_health_data", "none of the documents holds a metric, so there is no roll-up")
        }
        for format in settings.formats {
            try write(planner.path(of: period, as: format)) { sink in try sink(rollup.bytes(as: format)) }
        }
    }

    private func write(
        _ path: String, _ body: (@escaping ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        let parts = path.split(separator: "/").map(String.init)
        if parts.count > 1 { _ = try folder.createDirectory(parts.dropLast().joined(separator: "/")) }
        var digest = SHA256()
        let file = try folder.durableReplace(path, observing: { digest.update($0) }) { writer in
            try body { try writer.write($0) }
        }
        written.append([
            "path": .string(path), "bytes": .number(JSONNumber(file.byteCount)),
            "sha256": .string(digest.finalize().hex),
        ])
    }
}
