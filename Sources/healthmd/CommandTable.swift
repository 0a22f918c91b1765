/// The commands in the order and under the headings in which help lists them.
enum CommandTable {
    /// Commands that belong together.
    struct Section: Sendable {
        let title: String
        let commands: [CommandSpec]
    }

    static let sections: [Section] = [
        Section(
            title: "Days from the phone", commands: [ExportCommand.spec, ExtractCommand.spec] + JobCommands.all),
        Section(
            title: "This receiver",
            commands: [ServeCommand.spec, DoctorCommand.spec] + PairingCommands.all + DestinationCommands.all),
        Section(title: "The phone side", commands: PhoneCommands.all),
        Section(
            title: "Sealed days",
            commands: [ArchiveServeCommand.spec] + ArchiveWriterCommands.all + ArchiveReaderCommands.all + [
                ArchiveToolCommands.mcp
            ]),
        Section(title: "Biomarkers", commands: BiomarkerCommands.all),
        Section(title: "For analysis", commands: [DatabaseCommand.spec]),
        Section(
            title: "Looking inside",
            commands: [MetricsCommand.spec] + ItemCommands.all + [
                PartitionCommand.spec, ManifestCommand.spec, HealthExportCommand.spec, RenderCommand.spec,
            ]),
        Section(title: "Your shell", commands: [CompletionCommand.spec]),
    ]

    /// Whether words are a command, or begin one.
    static func isPath(_ path: [String]) -> Bool {
        sections.contains { section in
            section.commands.contains { ([$0.path] + $0.aliases).contains { $0.starts(with: path) } }
        }
    }

    /// What a word stands for that is no command by itself.
    static func groupSummary(_ word: String) -> String {
        switch word {
        case "archive": "sealed days: service, writer, reader"
        case "biomarkers": "values from an export, looked at and saved"
        case "database": "one SQLite database from the day documents"
        case "direct": "pairing and trust under their old names"
        case "item": "inspect, verify and encode item files"
        case "manifest": "export manifests"
        case "settings": "the saved settings of the phone side"
        case "partition": "partition files"
        case "phone": "the phone side, fed by an Apple Health export"
        case "health-export": "Apple Health exports"
        default: "commands that begin with \(word)"
        }
    }
}
