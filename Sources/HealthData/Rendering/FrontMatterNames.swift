import CanonicalJSON

/// Which key of a block of front matter has which name. A name stands once: YAML knows no second key of one name, and
/// readers refuse the whole block for it.
struct FrontMatterNames {
    /// Longer names are no keys: YAML ends a key that needs no sign of its own after 1,024.
    static let longestName = 256

    /// The keys of ours that have no other name.
    static let fixed: Set<String> = [
        "schema", "schema_version", "time_context", "units", "workout_details", "raw_capture_status",
        "raw_record_count", "raw_query_failure_count", "raw_integrity_warning_count", "raw_record_schema",
        "raw_record_schema_version",
    ]

    private let settings: FrontMatterSettings
    private var taken: Set<String>

    init(_ settings: FrontMatterSettings, fixed: Set<String> = FrontMatterNames.fixed) {
        self.settings = settings
        taken = fixed
    }

    /// Takes a name; false when it is none, or another key has it.
    mutating func claim(_ name: String) -> Bool { Self.isName(name) && taken.insert(name).inserted }

    /// The name of the date: the person's, or our own where that is taken.
    mutating func date() -> String { claim(settings.dateKey) ? settings.dateKey : own("date") }

    /// The name of the type.
    mutating func type() -> String { claim(settings.typeKey) ? settings.typeKey : own("type") }

    /// The name of an output key; nil when it is switched off.
    mutating func output(_ key: String) -> String? {
        guard let name = settings.name(of: key) else { return nil }
        // Without its own name a value would be lost; the key itself is nobody else's.
        return claim(name) ? name : own(key)
    }

    /// A key of ours, told apart by a line under it when a person gave its name to another one.
    private mutating func own(_ key: String) -> String {
        var name = key
        while !claim(name) { name += "_" }
        return name
    }

    static func isName(_ name: String) -> Bool { (1...longestName).contains(name.unicodeScalars.count) }

    /// The first name that settings give twice, or that is none; nil when all is well.
    static func fault(in settings: FrontMatterSettings) -> (key: String, reason: String)? {
        var used: Set<String> = fixed
        var named: [(key: String, name: String)] = []
        if settings.includesDate { named.append(("customDateKey", settings.dateKey)) }
        if settings.includesType { named.append(("customTypeKey", settings.typeKey)) }
        named += Registry.current.outputs.compactMap { output in
            settings.name(of: output.key).map { ("fields", $0) }
        }
        named += settings.customFields.keys.sorted().map { ("customFields", $0) }
        named += settings.placeholderFields.map { ("placeholderFields", $0) }
        for (key, name) in named {
            guard isName(name) else { return (key, "has a name that is empty or longer than \(longestName) signs") }
            guard used.insert(name).inserted else { return (key, "gives the name \(name) to a second key") }
        }
        return nil
    }
}

extension ExportSettings {
    /// Refuses names of front matter keys that stand twice or are none: readers refuse such a block as a whole. Asked
    /// where a person chooses them; what arrives all the same is written with names of its own.
    ///
    /// - Throws: `setting_invalid`.
    public func checkFrontMatter() throws {
        guard let fault = FrontMatterNames.fault(in: customization.frontMatter) else { return }
        throw HealthDataError.invalidSetting(
            key: "formatCustomization.frontmatterConfig.\(fault.key)", reason: fault.reason)
    }
}
