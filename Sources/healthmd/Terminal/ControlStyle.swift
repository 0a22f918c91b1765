import CanonicalJSON

/// How commands print documents: two spaces, members sorted, `"key" : value`, `/` raw (cli.md 2, control-api.md 2).
enum ControlStyle {
    static let style = JSONStyle(isPretty: true, order: .bytes, escapesSolidus: false, numbers: .shortest)

    static func append(_ document: JSONValue, to output: inout [UInt8]) {
        output += JSONWriter.encode(document, style: style)
    }
}
