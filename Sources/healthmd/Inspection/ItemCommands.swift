import CanonicalJSON
import Cryptography
import HMDCItem

/// `item inspect | verify | encode` (extensions.md 6).
enum ItemCommands {
    static let all = [inspect, verify, encode]

    /// The largest tree that `encode` reads: it is held in memory, unlike an item.
    static let maximumTreeByteCount = 256 * 1_024 * 1_024

    private static let file = PositionalSpec(name: "FILE", kind: .file, count: .one, summary: "an item file")

    static let inspect = CommandSpec(
        "item", "inspect", summary: "Prints an item: header, kind and the whole node tree.",
        examples: [
            Example("healthmd item inspect day.hmdcitem", "long strings cut, data as length and digest"),
            Example("healthmd item inspect day.hmdcitem --full", "everything, as item encode takes it"),
        ],
        positionals: [file], options: [.flag("--full", "strings and data whole: these are health values")],
        run: { invocation, console in
            guard let path = invocation.words.first else { return .usage }
            let detail = invocation.has("--full") ? ItemTree.Detail.full : .summary
            var sink = ConsoleSink(console)
            try FileKind.explaining(path, expected: .item) { file in
                try ItemTree.inspect(file, detail: detail, makeDigest: { ItemSHA256() }, to: &sink)
            }
            console.print(text: "\n")
            return .success
        })

    static let verify = CommandSpec(
        "item", "verify", summary: "Checks every rule of an item file and prints its digest.",
        examples: [Example("healthmd item verify day.hmdcitem", "valid, or what is wrong at which byte")],
        positionals: [file],
        run: { invocation, console in
            guard let path = invocation.words.first else { return .usage }
            let summary = try FileKind.explaining(path, expected: .item) { file in
                try ItemReader.validate(file, digest: ItemSHA256())
            }
            console.print(document(summary), invocation)
            return .success
        })

    static let encode = CommandSpec(
        "item", "encode", summary: "Makes the item of a tree, in the form that item inspect --full prints.",
        examples: [
            Example(
                "healthmd item encode --kind strict_raw_day tree.json -o day.hmdcitem", "written atomically, mode 0600")
        ],
        positionals: [PositionalSpec(name: "TREE.json", kind: .file, count: .one, summary: "the tree")],
        options: [
            .value("--kind", .choice(ItemKind.allCases.map(\.rawValue)), "KIND", "what the item holds").required,
            .output("the item").required,
        ],
        run: { invocation, console in
            guard let path = invocation.words.first, let output = invocation.text("--output"),
                let kind = invocation.text("--kind").flatMap(ItemKind.init(rawValue:))
            else { return .usage }
            let tree = try FileKind.explaining(path, expected: .json) { file in
                try ItemTree.parse(file.contents(maximumByteCount: maximumTreeByteCount))
            }
            if let named = tree.kind, named != kind {
                throw ItemError.rejected(.unexpectedKind(expected: kind), offset: 0)
            }
            // Measured first, so that a tree that cannot be written leaves no trace.
            _ = try ItemWriter.byteCount(of: tree.root)
            var digest: Digest?
            var byteCount: UInt64 = 0
            try OutputFile.write(output) { write in
                var sink = DigestingSink(ClosureSink(write: write), digest: ItemSHA256())
                byteCount = try ItemWriter.write(tree.root, kind: kind, to: &sink)
                digest = try Digest(bytes: sink.finish())
            }
            console.print(
                [
                    "kind": .string(kind.rawValue), "bytes": .number(JSONNumber(byteCount)),
                    "sha256": .string(digest?.hex ?? ""),
                ], invocation)
            return .success
        })

    private static func document(_ summary: ItemSummary) -> JSONValue {
        [
            "valid": true, "kind": .string(summary.kind.rawValue), "bytes": .number(JSONNumber(summary.byteCount)),
            "sha256": .string(summary.digest.map(Hex.encode) ?? ""),
            "nodes": .number(JSONNumber(summary.nodeCount)),
        ]
    }
}

/// Items' text on standard output.
struct ConsoleSink: ItemSink {
    private let console: Console

    init(_ console: Console) { self.console = console }

    mutating func write(_ bytes: Span<UInt8>) throws {
        bytes.withUnsafeBytes { console.write($0) }
    }
}

/// Item bytes on their way into a file.
private struct ClosureSink: ItemSink {
    let write: (UnsafeRawBufferPointer) throws -> Void

    mutating func write(_ bytes: Span<UInt8>) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }
}
