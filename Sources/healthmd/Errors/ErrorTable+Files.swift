import CanonicalJSON
import HMDCItem

extension ErrorTable {
    /// Item and partition files (hmdcitem.md 4, corpus-protocol.md 8).
    static let items = ErrorSection(
        title: "Item and partition files",
        place:
            "`error` of `item …` and `partition inspect`; `offset` is the byte. A day with such an item is sent again.",
        sources: ["HMDCItem", "ConnectedProtocol/Partition"],
        rows: itemRules.map { code, rule in
            ErrorRow(
                code, "An item breaks a rule: \(rule)",
                "Request the day again; `healthmd item inspect` shows the file.",
                exit: .integrity)
        }
            + ItemRefusal.allCases.filter { refusal in !itemRules.contains { $0.0 == refusal.rawValue } }.map {
                refusal in
                ErrorRow(
                    refusal.rawValue, "A value cannot be written as an item: \(refusal.expectation)", refusal.nextStep,
                    exit: .integrity)
            }
            + ItemTextFault.allCases.map { fault in
                ErrorRow(fault.rawValue, "A text breaks a rule: \(fault.expectation)", fault.nextStep, exit: .integrity)
            }
            + partitionRules.map { code, meaning in
                ErrorRow(code, meaning, "Request the day again.", exit: .integrity)
            })

    private static let itemRules: [(String, String)] = [
        ("not_private_regular_file", "it is a regular file with one link"),
        ("file_too_short", "it has more bytes than a header"),
        ("bad_magic", "it starts with HMDCITEM"),
        ("unsupported_version", "its version is 1"),
        ("unexpected_kind", "its kind is the expected one"),
        ("reserved_byte_set", "the reserved byte is zero"),
        ("unknown_tag", "a tag is 1 to 10"),
        ("node_too_short", "a node has at least nine bytes"),
        ("length_out_of_range", "a payload has at most 2^63 - 1 bytes"),
        ("length_mismatch", "a node fills its place exactly"),
        ("object_too_short", "an object starts with its count"),
        ("too_many_entries", "an object has at most 16,384 entries"),
        ("key_length_out_of_range", "a key has 1 to 4,096 bytes"),
        ("key_past_end", "a key ends within its object"),
        ("child_past_end", "a child ends within its object"),
        ("child_too_short", "a child has at least nine bytes"),
        ("key_not_utf8", "a key is UTF-8"),
        ("key_not_increasing", "keys stand in increasing order of their bytes"),
        ("duplicate_key", "the keys of one object differ, also after normalisation"),
        ("bytes_after_last_entry", "an object ends with its last entry"),
        ("array_too_short", "an array starts with its count"),
        ("too_many_elements", "an array's count fits its bytes"),
        ("element_past_end", "an element ends within its array"),
        ("bytes_after_last_element", "an array ends with its last element"),
        ("null_not_empty", "a null has no payload"),
        ("boolean_length", "a Boolean has one byte"),
        ("boolean_value", "a Boolean is 0 or 1"),
        ("number_length", "a number has eight bytes"),
        ("number_not_finite", "a number is finite"),
        ("string_not_utf8", "a string is UTF-8"),
        ("too_deep", "the deepest node is at depth 128"),
        ("type_mismatch", "a value has the type that its place asks for"),
        ("integer_out_of_range", "an integer fits its place"),
        ("float_out_of_range", "a number fits 32 bits"),
        ("missing_key", "an object has its keys"),
        ("missing_element", "an array has its elements"),
        ("value_refused", "a value is one that is known here"),
        ("leaf_too_large", "a value in memory stays within its limit"),
        ("source_ended_early", "the file holds as many bytes as it declared"),
    ]

    private static let partitionRules: [(String, String)] = [
        ("partition_wrong_magic", "The file does not begin with HMDCORP1"),
        ("partition_manifest_length", "The manifest is empty, over 1 MiB, or longer than the file"),
        ("partition_manifest", "The manifest is not of the published form"),
        ("partition_version", "The manifest is of another version than 1"),
        ("partition_identity", "Session, job, index or previous digest are not the announced ones"),
        ("partition_segment_count", "No segment, or more than 1,024"),
        ("partition_segment", "A segment does not lie inside its item"),
        ("partition_repeated_item", "Two segments of one item"),
        ("partition_source_dates", "The days are not the announced ones"),
        ("partition_byte_count", "The length is not that of its parts"),
        ("partition_digest", "The digest is another one than was announced"),
    ]

    /// JSON texts.
    static let json = ErrorSection(
        title: "JSON",
        place: "`error` of commands that read a JSON file; `offset` is the byte.",
        sources: ["CanonicalJSON"],
        rows: JSONError.Code.allCases.map { code in
            ErrorRow(code.rawValue, jsonMeanings[code] ?? "", "Correct the text at this place.", exit: .integrity)
        })

    private static let jsonMeanings: [JSONError.Code: String] = [
        .byteOrderMark: "The text begins with a byte order mark",
        .unexpectedEnd: "The text ends inside a value",
        .unexpectedByte: "A byte that the grammar does not allow here",
        .trailingContent: "Something stands behind the document",
        .invalidUTF8: "A string is not UTF-8",
        .controlCharacter: "A control character is not escaped",
        .invalidEscape: "An unknown or incomplete escape",
        .loneSurrogate: "Half of a surrogate pair",
        .invalidNumber: "A number that is not written as JSON wants it",
        .depthLimit: "Nested deeper than is allowed",
        .keyTooLong: "A key that is longer than is allowed",
        .tooManyKeys: "An object with more keys than is allowed",
        .duplicateKey: "An object with the same key twice",
        .numberTooLong: "A number that is longer than is allowed",
        .stringTooLong: "A string that is longer than is allowed",
    ]

    /// Day documents and settings (health-data.md, export-formats.md).
    static let documents = ErrorSection(
        title: "Day documents and settings",
        place: "`error` of `render` and others that read documents; in the message of a job or of one of its days.",
        sources: ["HealthData"],
        rows: [
            ErrorRow(
                "document_unreadable", "The file is no day document", "Check where it came from.", exit: .integrity),
            ErrorRow(
                "document_member_invalid", "A member is missing or of another kind", "Check the program that wrote it.",
                exit: .integrity),
            ErrorRow(
                "document_schema_unknown", "The document is of another schema",
                "Give a `healthmd.health_data` document.", exit: .integrity),
            ErrorRow(
                "document_version_unsupported", "The document is of another version than 8 or 10",
                "Export the day again.", exit: .integrity),
            ErrorRow(
                "document_is_failure_placeholder", "The document says that its day could not be written",
                "Request the day again.", exit: .integrity),
            ErrorRow(
                "time_zone_unknown", "The zone that defines the day is not known here", "Install the package tzdata.",
                exit: .integrity),
            ErrorRow(
                "setting_invalid", "A setting is malformed or names an unsafe path", "`healthmd phone settings set`.",
                exit: .integrity),
            ErrorRow(
                "path_collision", "Two files would be one", "Change the template of names or folders.", exit: .integrity
            ),
            ErrorRow(
                "content_unmergeable", "What is there cannot be joined with what comes",
                "Use the write mode Overwrite.", exit: .integrity),
            ErrorRow(
                "selection_would_replace", "A selection of metrics was to replace a file that holds more",
                "Use another `--destination`, or say `--replace`.", exit: .failure),
        ])

    /// One database of written day documents.
    static let database = ErrorSection(
        title: "Database of days",
        place: "`error` of `database update`; `database.error` of `export --database`.",
        sources: ["HealthDatabase/HealthDatabaseError.swift"],
        rows: [
            ErrorRow(
                "not_a_health_database", "The file is a database of something else", "Name another file, or a new one."),
            ErrorRow(
                "no_documents", "The folder holds no JSON document of a day",
                "Name the folder that holds them; `exportFormats` has to contain JSON."),
        ])

    /// Files, folders and databases.
    static let store = ErrorSection(
        title: "Files and folders",
        place:
            "`error` of any command; `reason` of `output_write_failed`; in the message of a day that was not written.",
        sources: ["DurableStore"],
        rows: [
            ErrorRow("disk_full", "No space, or the quota is used up", "Free some space, then try again."),
            ErrorRow("permission_denied", "The system denies access", "Check owner and permissions."),
            ErrorRow("read_only", "Only reading is possible", "Make it writable, or choose another folder."),
            ErrorRow("not_found", "Nothing of this name exists", "Check the path."),
            ErrorRow("already_exists", "The name is taken", "Move it away, or choose another name."),
            ErrorRow("path_escapes_root", "The path leads out of its folder", "Use a relative path without `..`."),
            ErrorRow("invalid_path", "No file can have this name", "Choose another name."),
            ErrorRow(
                "is_symlink", "A symbolic link stands there, and links are not followed",
                "Put a real file or folder there."),
            ErrorRow("wrong_type", "A file where a folder is expected, or the other way round", "Move it away."),
            ErrorRow("not_private", "Others can reach what has to be private", "`chmod go=` on it."),
            ErrorRow("not_empty", "A folder that has to be empty is not", "Empty it, or choose another."),
            ErrorRow(
                "locked_by", "Another process holds the lock; `pid` says which", "Stop it, then try again.", exit: .busy
            ),
            ErrorRow("database_busy", "The database was busy for too long", "Try again in a moment.", exit: .busy),
            ErrorRow(
                "corrupt", "The bytes are not what this program wrote",
                "Restore them from a backup, or move them away.", exit: .integrity),
            ErrorRow("newer_schema", "Written by a newer program", "Update healthmd."),
            ErrorRow("older_schema", "Written by an older program", "Start the command that owns it once."),
            ErrorRow(
                "length_mismatch", "Fewer or more bytes than were announced; nothing was replaced",
                "Run the command again."),
            ErrorRow("content_differs", "A file exists with other content", "Move it away, then try again."),
            ErrorRow("cross_device", "Source and target lie on different disks", "Choose a folder on the same disk."),
            ErrorRow("replaced", "Something else stands under the path than before", "Check what changes it."),
            ErrorRow("too_many_open_files", "No descriptor is left", "Raise the limit (`ulimit -n`)."),
            ErrorRow("database_refused", "The database refuses a statement", "Please report it."),
            ErrorRow("io_error", "The disk failed below us", "Check the disk, then start again."),
        ])

    /// Keys and encodings.
    static let cryptography = ErrorSection(
        title: "Keys and encodings",
        place: "`error` of commands that read keys, handoffs or sealed days.",
        sources: ["Cryptography"],
        rows: [
            ErrorRow("wrong_length", "A key, digest or signature has the wrong length", "Copy it whole."),
            ErrorRow(
                "authentication_failed", "The bytes are not what their sender sealed, or the key is another one",
                "Fetch them again, or pair again.", exit: .integrity),
            ErrorRow("weak_shared_secret", "The peer's key gives a key that everyone knows", "Do not use this peer."),
            ErrorRow("weak_public_key", "Anyone can sign under this key", "Ask its owner for the real one."),
            ErrorRow("invalid_character", "A character that the encoding does not have", "Copy the text whole."),
            ErrorRow("invalid_encoded_length", "A length that the encoding does not have", "Check length and padding."),
            ErrorRow("spare_bits_not_zero", "The last character carries stray bits", "Encode the bytes again."),
        ])
}
