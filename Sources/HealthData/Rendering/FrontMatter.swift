import CanonicalJSON

/// The front matter of Markdown and Bases (export-formats.md 5.1), without the lines `---`.
struct FrontMatter {
    let view: DayView
    private let settings: FrontMatterSettings
    private let values: OutputValues

    init(_ view: DayView) {
        self.view = view
        settings = view.look.frontMatter
        values = OutputValues(view.document)
    }

    /// The fields in the order of the file.
    func write(to writer: inout TextWriter) throws {
        let document = view.document
        try writer.line("schema: \(DocumentVersion.schema)")
        try writer.line("schema_version: \(document.version.rawValue)")
        try writer.line("time_context:")
        try writer.line("  calendar_timezone: \(YAMLText.value(document.zoneIdentifier))")
        try writer.line("  timestamp_timezone: UTC")
        var names = FrontMatterNames(settings)
        if settings.includesDate { try writer.line("\(YAMLText.key(names.date())): \(document.date)") }
        if settings.includesType {
            try writer.line("\(YAMLText.key(names.type())): \(YAMLText.value(settings.typeValue))")
        }
        for (key, value) in ArchiveCounts(document).fields { try writer.line("\(key): \(YAMLText.value(value))") }
        let outputs = named(values.values.map { ($0.key.key, $0.value) }, &names)
        for output in outputs { try write(YAMLText.key(output.name), output.value, to: &writer) }
        for (name, text) in settings.customFields.sorted(by: { $0.key < $1.key }) where names.claim(name) {
            try writer.line("\(YAMLText.key(name)): \(YAMLText.value(text))")
        }
        for name in settings.placeholderFields where names.claim(name) { try writer.line("\(YAMLText.key(name)):") }
        try writer.line("units:")
        for unit in units(of: outputs) {
            try writer.line("  \(YAMLText.key(unit.name)): \(YAMLText.value(unit.value))")
        }
    }

    /// An output key with its name.
    private typealias Named<Value> = (key: String, name: String, value: Value)

    /// Keys under the names that are wanted, sorted bytewise; keys that are switched off are gone.
    private func named<Value>(
        _ entries: [(String, Value)], _ names: inout FrontMatterNames
    ) -> [Named<Value>] {
        var found: [Named<Value>] = []
        for (key, value) in entries {
            if let name = names.output(key) { found.append((key, name, value)) }
        }
        return found.sorted { JSONKeyOrder.bytes($0.name, $1.name) }
    }

    /// The units of the values that were written, under their names, and those of the counters.
    private func units(of outputs: [Named<OutputValue>]) -> [Named<String>] {
        let written = Dictionary(outputs.map { ($0.key, $0.name) }) { first, _ in first }
        var units: [Named<String>] = values.values.compactMap { output in
            guard !output.key.unit.isEmpty, let name = written[output.key.key] else { return nil }
            return (output.key.key, name, output.key.unit)
        }
        var names = FrontMatterNames(settings, fixed: Set(units.map(\.name)))
        units += named(ArchiveCounts.units, &names)
        return units.sorted { JSONKeyOrder.bytes($0.name, $1.name) }
    }

    /// One value under a name that is a YAML key already.
    private func write(_ name: String, _ value: OutputValue, to writer: inout TextWriter) throws {
        if let text = Self.text(of: value) { return try writer.line("\(name): \(text)") }
        guard case .structured(let elements) = value, !elements.isEmpty else { return }
        try writer.line("\(name):")
        for element in elements {
            let isDose = element["logStatus"] != nil
            try YAMLBlock.write(isDose ? dose(element) : medication(element), to: &writer)
        }
    }

    /// The value on its line; nil for structured ones.
    private static func text(of value: OutputValue) -> String? {
        switch value {
        case .text(let text): YAMLText.value(text)
        case .list(let tokens): "[" + tokens.map(YAMLText.listElement).joined(separator: ", ") + "]"
        case .number, .bool, .structured: value.text
        }
    }

    // MARK: Structured values

    private func medication(_ value: JSONValue) -> [YAMLBlock.Field] {
        var fields = fields(
            of: value,
            [
                ("name", "name"), ("concept_identifier", "conceptIdentifier"), ("display_name", "displayName"),
                ("general_form", "generalForm"), ("is_archived", "isArchived"), ("has_schedule", "hasSchedule"),
                ("nickname", "nickname"),
            ])
        if let codings = value["relatedCodings"]?.array, !codings.isEmpty {
            let items = codings.map { coding in
                self.fields(of: coding, [("system", "system"), ("version", "version"), ("code", "code")])
            }
            fields.append(.objects("related_codings", items))
        }
        if let codes = value["rxNormCodes"]?.array, !codes.isEmpty {
            fields.append(.texts("rxnorm_codes", codes.compactMap(\.string).map(YAMLText.quoted)))
        }
        return fields
    }

    private func dose(_ value: JSONValue) -> [YAMLBlock.Field] {
        var fields = fields(
            of: value,
            [
                ("name", "medicationName"), ("status", "logStatus"), ("status_display", "logStatusDisplay"),
                ("id", "id"), ("medication_concept_identifier", "medicationConceptIdentifier"),
                ("start_date", "startDate"), ("end_date", "endDate"), ("schedule_type", "scheduleType"),
                ("scheduled_date", "scheduledDate"), ("dose_quantity", "doseQuantity"),
                ("scheduled_dose_quantity", "scheduledDoseQuantity"), ("unit", "unit"),
            ])
        let metadata = DocumentMap.map(value["metadata"]).sorted { $0.key < $1.key }
        if !metadata.isEmpty {
            fields.append(
                .map("metadata", metadata.map { (YAMLText.quoted($0.key), YAMLText.quoted($0.value)) }))
        }
        return fields
    }

    /// Tokens that stand without quotes.
    private static let plainNames: Set<String> = ["status", "schedule_type"]

    private func fields(of value: JSONValue, _ names: [(name: String, member: String)]) -> [YAMLBlock.Field] {
        names.compactMap { name, member in
            switch value[member] {
            case .string(let text)?:
                .scalar(name, Self.plainNames.contains(name) ? YAMLText.value(text) : YAMLText.quoted(text))
            case .number(let number)?: .scalar(name, NumberText.shortest(number.double))
            case .bool(let flag)?: .scalar(name, flag ? "true" : "false")
            default: nil
            }
        }
    }
}

/// Block style of lists in front matter: two spaces a level.
enum YAMLBlock {
    /// One field of an element.
    indirect enum Field {
        case scalar(String, String)
        case texts(String, [String])
        case objects(String, [[Field]])
        case map(String, [(String, String)])
        case block(String, [Field])
    }

    /// A number or plain token as it is, any other text quoted.
    static func scalar(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            }
        // `-` alone, or at the front of a text, would begin a list.
        return isPlain && YAMLText.isPlain(text) ? text : YAMLText.quoted(text)
    }

    /// Writes one list element whose `-` stands at `indent`.
    static func write(_ fields: [Field], indent: Int = 2, to writer: inout TextWriter) throws {
        var isFirst = true
        for field in fields {
            try write(
                field, indent: indent + 2, prefix: isFirst ? blanks(indent) + "- " : blanks(indent + 2), to: &writer)
            isFirst = false
        }
    }

    private static func write(_ field: Field, indent: Int, prefix: String, to writer: inout TextWriter) throws {
        switch field {
        case .scalar(let name, let text): try writer.line("\(prefix)\(name): \(text)")
        case .texts(let name, let texts):
            try writer.line("\(prefix)\(name):")
            for text in texts { try writer.line("\(blanks(indent + 2))- \(text)") }
        case .objects(let name, let objects):
            try writer.line("\(prefix)\(name):")
            for object in objects { try write(object, indent: indent + 2, to: &writer) }
        case .map(let name, let entries):
            try writer.line("\(prefix)\(name):")
            for (key, text) in entries { try writer.line("\(blanks(indent + 2))\(key): \(text)") }
        case .block(let name, let fields):
            try writer.line("\(prefix)\(name):")
            for field in fields {
                try write(field, indent: indent + 2, prefix: blanks(indent + 2), to: &writer)
            }
        }
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}

/// What the archive of a day counts, for front matter and the body section.
struct ArchiveCounts {
    private let document: DayDocument
    private let archive: JSONObject?

    init(_ document: DayDocument) {
        self.document = document
        archive = document.archive
    }

    /// The results of the query manifest.
    var results: [JSONValue] { archive?["query_manifest"]?["results"]?.array ?? [] }
    /// Records with a HealthKit identity.
    var recordCount: Int { archive?["records"]?.array?.count ?? 0 }
    /// Queries that failed or were stopped.
    var failures: [JSONValue] {
        results.filter { ["failure", "cancelled"].contains($0["status"]?.string ?? "") }
    }
    /// Warnings.
    var warnings: [JSONValue] { archive?["integrity_warnings"]?.array ?? [] }
    /// How completely records were captured.
    var captureStatus: String { document.string("raw_capture_status") ?? "not_requested" }

    /// The `raw_*` fields in the order of the file.
    var fields: [(key: String, value: String)] {
        var fields = [
            ("raw_capture_status", captureStatus), ("raw_record_count", "\(recordCount)"),
            ("raw_query_failure_count", "\(failures.count)"), ("raw_integrity_warning_count", "\(warnings.count)"),
        ]
        if let archive {
            fields.append(("raw_record_schema", archive["schema"]?.string ?? RecordArchive.schemaIdentifier))
            let version = archive["schema_version"]?.number?.int ?? RecordArchive.recordSchemaVersion
            fields.append(("raw_record_schema_version", "\(version)"))
        }
        return fields
    }

    /// Units of the counters, which front matter always shows (health-data.md 2.2).
    static var units: [(String, String)] {
        Registry.current.diagnostics.filter { !$0.unit.isEmpty }.map { ($0.key, $0.unit) }
    }
}
