import CanonicalJSON
import DurableStore
import Foundation

/// The private folder of a reader: keys, mirror, notes (day-archive-reader.md 1). Re-read when asked, never trusted from memory.
public struct ReaderProfile: Sendable {
    static let mirrorName = "mirror.json"
    static let editsName = "edits.json"
    static let metricsName = "metrics.json"
    static let daysName = "days"
    private static let maximumFileByteCount = 64 << 20
    /// A mirrored day: an inflated one, with names that columns said once.
    static let maximumDayByteCount = 512 << 20

    /// Its absolute path.
    public let path: String
    let folder: Directory

    /// Opens a profile and makes its folder, 0700, when it is missing; a folder that others can enter is tightened.
    public init(path: String) throws {
        self.path = path
        try Self.tighten(path)
        folder = try Directory.openRoot(path, creating: true)
        try Self.tighten(path)
        try folder.requirePrivate()
        _ = try folder.createDirectory(Self.daysName)
    }

    /// The folder that `EFFERENT_HOME` names, else `archive/reader` of the state folder (extensions.md 7).
    public static func path(environment: [String: String], workingDirectory: String, stateFolder: String) -> String {
        guard let home = environment["EFFERENT_HOME"], !home.isEmpty else { return stateFolder + "/archive/reader" }
        return home.hasPrefix("/") ? home : workingDirectory + "/" + home
    }

    private static func tighten(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o077 != 0
        else { return }
        guard chmod(path, 0o700) == 0 else {
            throw StoreError.notPrivate(path: path, reason: "its mode cannot be changed")
        }
    }

    // MARK: Keys

    func readingKey() throws -> ReadingKey {
        guard let key = try KeyFiles.reading(in: folder) else { throw ReaderError.notConnected(profile: path) }
        return key
    }

    func editorKey() throws -> EditorKey {
        guard let key = try KeyFiles.editor(in: folder) else { throw ReaderError.readOnly(profile: path) }
        return key
    }

    // MARK: JSON files

    func readJSON(_ name: String) throws -> JSONValue? {
        guard let bytes = try contents(name) else { return nil }
        do {
            return try JSONParser.parse(bytes, limits: JSONLimits(depth: 16, keysPerObject: 4_000_000))
        } catch {
            throw ReaderError.badProfileFile(name: name)
        }
    }

    private func contents(_ name: String) throws -> [UInt8]? {
        do {
            return try folder.file(name).contents(maximumByteCount: Self.maximumFileByteCount)
        } catch StoreError.notFound {
            return nil
        }
    }

    func writeJSON(_ name: String, _ value: JSONValue, style: JSONStyle = .readable) throws {
        try folder.durableReplace(name, with: JSONWriter.encode(value, style: style) + [UInt8(ascii: "\n")])
    }

    // MARK: Mirror

    func mirror() throws -> Mirror {
        guard let value = try readJSON(Self.mirrorName) else { throw ReaderError.notConnected(profile: path) }
        guard let mirror = Mirror(value) else { throw ReaderError.badProfileFile(name: Self.mirrorName) }
        return mirror
    }

    /// The mirror without the records of days whose files are gone, so that they count as not copied; and how many those are.
    func heldMirror() throws -> (mirror: Mirror, missing: Int) {
        var mirror = try mirror()
        let recorded = mirror.days.count
        let files = Set(try mirroredDays())
        mirror.days = mirror.days.filter { files.contains($0.key) }
        return (mirror, recorded - mirror.days.count)
    }

    func save(_ mirror: Mirror) throws { try writeJSON(Self.mirrorName, mirror.document) }

    private static func fileName(_ day: ArchiveDay) -> String { "\(daysName)/\(day).ndjson" }

    /// The days that have a file, ascending.
    func mirroredDays() throws -> [ArchiveDay] {
        try folder.directory(Self.daysName).entries().compactMap { entry in
            guard entry.name.hasSuffix(".ndjson") else { return nil }
            // Another file in the folder is not ours to read.
            return try? ArchiveDay(text: entry.name.dropLast(7))
        }.sorted()
    }

    func writeDay(_ opened: OpenedDay) throws {
        try folder.durableReplace(Self.fileName(opened.day), with: opened.lines)
    }

    func dayLines(_ day: ArchiveDay) throws -> [UInt8] {
        try folder.file(Self.fileName(day)).contents(maximumByteCount: Self.maximumDayByteCount)
    }

    func events(_ day: ArchiveDay) throws -> [ReadEvent] { try ReadEvent.parse(try dayLines(day), day: day) }

    /// What changes whenever the day's file does: size and time in whole milliseconds.
    func dayVersion(_ day: ArchiveDay) throws -> String? {
        try folder.status(of: Self.fileName(day)).map { "\($0.size):\($0.modifiedNanoseconds / 1_000_000)" }
    }
}

/// `mirror.json`: where the archive is, and which upload of each day is held here.
struct Mirror: Equatable, Sendable {
    /// Without a slash at its end; empty when unknown.
    var endpoint: String
    /// The moment of upload as listed.
    var days: [ArchiveDay: String]
    /// When a check last came to its end; empty before.
    var syncedAt: String

    init(endpoint: String, days: [ArchiveDay: String] = [:], syncedAt: String = "") {
        self.endpoint = endpoint
        self.days = days
        self.syncedAt = syncedAt
    }

    init?(_ value: JSONValue) {
        guard let endpoint = value["endpoint"]?.string, let list = value["days"]?.object else { return nil }
        var days: [ArchiveDay: String] = [:]
        for member in list.members {
            // A key that is no day makes the file one that we did not write.
            guard let day = try? ArchiveDay(text: member.key), let uploaded = member.value.string else { return nil }
            days[day] = uploaded
        }
        self.init(endpoint: endpoint, days: days, syncedAt: value["syncedAt"]?.string ?? "")
    }

    var document: JSONValue {
        [
            "endpoint": .string(endpoint),
            "days": .object(
                JSONObject(days.sorted { $0.key < $1.key }.map { .init($0.key.description, .string($0.value)) })),
            "syncedAt": .string(syncedAt),
        ]
    }
}
