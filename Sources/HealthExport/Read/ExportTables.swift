import HealthRecords

/// The distinct texts and sources of one export, by number. Shared by the reader and its visitor for one reading.
public final class ExportTables {
    /// A source as numbers of texts; -1 for an absent part.
    struct SourceKey: Hashable {
        var name: Int32
        var version: Int32
        var device: Int32
    }

    let texts = TextTable()
    private(set) var sourceKeys: [SourceKey] = []
    private var sourceNumbers: [SourceKey: Int32] = [:]
    private var sources: [RecordSource] = []

    /// Empty tables.
    public init() {}

    /// The text of a number: of a type, a unit, a metadata key.
    public func text(_ number: Int32) -> String { texts.text(number) }

    /// The source of a number.
    public func source(_ number: Int32) -> RecordSource { sources[Int(number)] }

    /// How many sources there are.
    public var sourceCount: Int { sources.count }

    /// The number of a source; nil when there are more than any export has.
    func sourceNumber(_ key: SourceKey) -> Int32? {
        if let number = sourceNumbers[key] { return number }
        guard sourceKeys.count < TextTable.entryLimit else { return nil }
        let number = Int32(sourceKeys.count)
        sourceNumbers[key] = number
        sourceKeys.append(key)
        sources.append(
            RecordSource(
                name: key.name >= 0 ? texts.text(key.name) : "",
                version: key.version >= 0 ? texts.text(key.version) : nil,
                device: key.device >= 0 ? texts.text(key.device) : nil))
        return number
    }
}
