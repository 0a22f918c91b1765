/// Why an export, or a part of it, cannot be used. Each case has a stable code and says what to do next.
public enum ExportError: Error, Hashable, Sendable {
    /// Nothing can be opened at this path; the reason is the system's.
    case cannotOpen(path: String, reason: String)
    /// Reading failed in the middle.
    case readFailed(ExportPlace, reason: String)
    /// The file has no bytes.
    case emptyFile(path: String)
    /// Neither zip, folder nor XML.
    case notAnExport(path: String)
    /// The zip has no end record: it was cut. `bytes` are there.
    case truncatedArchive(path: String, bytes: Int)
    /// The zip contradicts itself.
    case damagedArchive(ExportPlace, detail: String)
    /// An entry is packed in a way that we do not read.
    case unsupportedMethod(ExportPlace, method: Int)
    /// An entry is encrypted.
    case encryptedEntry(ExportPlace)
    /// The checksum or the size of an entry differs from what the directory says.
    case checksumMismatch(ExportPlace)
    /// An entry unpacks to more than a limit allows.
    case tooLarge(ExportPlace, limit: Int)
    /// A name that would leave the export, or that stands for more than one entry.
    case unsafeName(ExportPlace, detail: String)
    /// No file of the export begins with `HealthData`.
    case noMainFile(path: String)
    /// Only the clinical copy `export_cda.xml` is there.
    case onlyClinicalDocument(path: String)
    /// More than one main file.
    case severalMainFiles(path: String, names: [String])
    /// The file is in an encoding other than UTF-8.
    case unsupportedEncoding(ExportPlace, name: String)
    /// The prolog never ends.
    case prologTooLarge(ExportPlace, limit: Int)
    /// Elements stand deeper in each other than any export has them.
    case nestedTooDeep(ExportPlace, limit: Int)
    /// More distinct types than any export has.
    case tooManyTypes(ExportPlace, limit: Int)
    /// The file has record elements but none could be read.
    case noReadableRecord(ExportPlace, elements: Int)
    /// Nothing that could be kept stands in any of the files.
    case nothingToImport(path: String)
    /// The export breaks off and holds fewer records than the store has already.
    case incompleteWouldReplace(path: String, found: Int, stored: Int)
    /// The time zone is not known.
    case unknownTimeZone(String)
    /// The store has no zone yet and none was given.
    case timeZoneRequired
    /// The store's zone is another one.
    case timeZoneDiffers(stored: String, given: String)
    /// Another import runs.
    case importRunning(holder: Int?)
    /// The store holds no import yet.
    case storeEmpty
    /// The store was written by a later program, or is damaged.
    case storeUnreadable(detail: String)

    /// Stable, snake case.
    public var code: String {
        switch self {
        case .cannotOpen: "cannot_open"
        case .readFailed: "read_failed"
        case .emptyFile: "empty_file"
        case .notAnExport: "not_an_export"
        case .truncatedArchive: "truncated_archive"
        case .damagedArchive: "damaged_archive"
        case .unsupportedMethod: "unsupported_method"
        case .encryptedEntry: "encrypted_entry"
        case .checksumMismatch: "checksum_mismatch"
        case .tooLarge: "too_large"
        case .unsafeName: "unsafe_name"
        case .noMainFile: "no_main_file"
        case .onlyClinicalDocument: "only_clinical_document"
        case .severalMainFiles: "several_main_files"
        case .unsupportedEncoding: "unsupported_encoding"
        case .prologTooLarge: "prolog_too_large"
        case .nestedTooDeep: "nested_too_deep"
        case .tooManyTypes: "too_many_types"
        case .noReadableRecord: "no_readable_record"
        case .nothingToImport: "nothing_to_import"
        case .incompleteWouldReplace: "incomplete_would_replace"
        case .unknownTimeZone: "unknown_time_zone"
        case .timeZoneRequired: "time_zone_required"
        case .timeZoneDiffers: "time_zone_differs"
        case .importRunning: "import_running"
        case .storeEmpty: "store_empty"
        case .storeUnreadable: "store_unreadable"
        }
    }

    /// Where, as far as it is known.
    public var place: ExportPlace? {
        switch self {
        case .readFailed(let place, _), .damagedArchive(let place, _), .unsupportedMethod(let place, _),
            .encryptedEntry(let place), .checksumMismatch(let place), .tooLarge(let place, _),
            .unsafeName(let place, _), .unsupportedEncoding(let place, _), .prologTooLarge(let place, _),
            .nestedTooDeep(let place, _), .tooManyTypes(let place, _), .noReadableRecord(let place, _):
            place
        case .truncatedArchive(let path, let bytes): ExportPlace(entry: path, offset: bytes)
        case .cannotOpen(let path, _), .emptyFile(let path), .notAnExport(let path), .noMainFile(let path),
            .onlyClinicalDocument(let path), .severalMainFiles(let path, _), .nothingToImport(let path),
            .incompleteWouldReplace(let path, _, _):
            ExportPlace(entry: path)
        case .unknownTimeZone, .timeZoneRequired, .timeZoneDiffers, .importRunning, .storeEmpty, .storeUnreadable:
            nil
        }
    }
}

extension ExportError: CustomStringConvertible {
    /// A sentence or two for a person: what is wrong, where, and the next step.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "cannot open \(path): \(reason). Check the path and its permissions."
        case .readFailed(let place, let reason):
            "reading failed at \(place): \(reason). Copy the export to this computer again."
        case .emptyFile(let path):
            "\(path) is empty. Export it again on the phone and copy it again."
        case .notAnExport(let path):
            "\(path) is neither a zip, a folder nor the XML of an Apple Health export. Give the file that the Health app shared."
        case .truncatedArchive(let path, let bytes):
            "\(path) is incomplete: \(bytes) bytes are there and the zip's end is missing. Export or copy it again, "
                + "or take what is there with --rescue."
        case .damagedArchive(let place, let detail):
            "the zip is damaged at \(place): \(detail). Export or copy it again."
        case .unsupportedMethod(let place, let method):
            "\(place) is packed with method \(method); methods 0 and 8 are read. Zip it again with an ordinary program."
        case .encryptedEntry(let place):
            "\(place) is encrypted. Unpack it with its password and give the folder."
        case .checksumMismatch(let place):
            "\(place) is damaged: its bytes do not match the checksum or size in the zip. Export or copy it again."
        case .tooLarge(let place, let limit):
            "\(place) unpacks to more than the limit of \(limit) bytes. Unpack it yourself and give the folder if it is genuine."
        case .unsafeName(let place, let detail):
            "\(place): \(detail). Unpack the export yourself and give the folder."
        case .noMainFile(let path):
            "\(path) holds no XML file of Apple Health data. Give the file that the Health app shared."
        case .onlyClinicalDocument(let path):
            "\(path) holds only the clinical copy (export_cda.xml), not the main file. Give the whole export."
        case .severalMainFiles(let path, let names):
            "\(path) holds more than one main file: \(names.joined(separator: ", ")). Keep one and try again."
        case .unsupportedEncoding(let place, let name):
            "\(place) is encoded as \(name); exports are UTF-8. Export it again on the phone, or convert it to UTF-8."
        case .prologTooLarge(let place, let limit):
            "the document type at \(place) does not end within \(limit) bytes. Export it again on the phone."
        case .nestedTooDeep(let place, let limit):
            "elements at \(place) are nested deeper than \(limit). This is not a file of the Health app."
        case .tooManyTypes(let place, let limit):
            "more than \(limit) record types at \(place). This is not a file of the Health app."
        case .noReadableRecord(let place, let elements):
            "\(elements) record elements stand in \(place) and none could be read. Export it again on the phone; if that changes nothing, report a few of its lines without the values."
        case .nothingToImport(let path):
            "\(path) holds no record that could be kept; the store is as it was. Export again on the phone, or see what "
                + "is in it with health-export inspect."
        case .incompleteWouldReplace(let path, let found, let stored):
            "\(path) breaks off: it gave \(found) records, and the store holds \(stored) of an earlier import, which it "
                + "keeps. Export or copy it again, or put what is there in the place of the earlier import with --replace."
        case .unknownTimeZone(let name):
            "\(name) is not a time zone. Give an IANA name such as Europe/Berlin."
        case .timeZoneRequired:
            "an export cannot tell the time zone of its days. Give it once with --time-zone, for example Europe/Berlin."
        case .timeZoneDiffers(let stored, let given):
            "this store keeps its days in \(stored), not \(given). Leave the zone out, or use another store folder."
        case .importRunning(let holder):
            "another import is running\(holder.map { " (process \($0))" } ?? ""). Wait for it to end."
        case .storeEmpty:
            "nothing was imported yet. Run healthmd phone import first."
        case .storeUnreadable(let detail):
            "the day store cannot be read: \(detail). Import the export again."
        }
    }
}
