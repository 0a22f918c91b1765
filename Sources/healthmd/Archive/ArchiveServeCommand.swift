import CanonicalJSON
import DayArchive
import DurableStore
import Foundation
import Transport

/// `archive serve`: keeps sealed days for writers and readers and can open none (extensions.md 7, 10.1).
enum ArchiveServeCommand {
    private static let path = ["archive", "serve"]

    static let spec = CommandSpec(
        "archive", "serve", summary: "Runs the service that keeps sealed days. It cannot open them.",
        examples: [
            Example("healthmd archive serve", "on 127.0.0.1:17648; the claim token is made at the first start"),
            Example(
                "healthmd archive serve --address 192.168.1.5 --public-url https://archive.example",
                "behind your own HTTPS front"),
        ],
        options: [
            .value("--port", .integer(0...65_535), "N", "where it listens (17648); 0: any free port"),
            .value("--address", .text, "ADDR", "listens there; default 127.0.0.1", repeats: true),
            .value(
                "--claim", .choice(ArchiveService.Claims.allCases.map(\.rawValue)), "WHO",
                "who may create archives: whoever has the token (default), this computer, everyone, nobody"),
            .flag("--allow-open-claims", "let --claim open run where others reach it"),
            .value("--store", .text, "WHERE", "where days are kept: local, or s3://BUCKET/PREFIX"),
            .value("--s3-endpoint", .text, "URL", "the object store; default Amazon's for the region"),
            .value("--s3-region", .text, "NAME", "its region (us-east-1)"),
            .value("--s3-credentials-file", .file, "FILE", "a private file, as the aws command has it"),
            .value("--base-path", .text, "PATH", "what a front leaves before /b/..."),
            .value("--public-url", .text, "URL", "the address that readers use"),
            .value("--limits", .file, "FILE", "JSON object of limits"),
            .value(
                "--trusted-proxy", .text, "ADDR", "a front whose X-Forwarded-For is believed", repeats: true),
        ],
        validate: { invocation in
            _ = try addresses("--address", invocation)
            _ = try addresses("--trusted-proxy", invocation)
            _ = try publicURL(invocation)
            try checkStore(invocation)
        }, run: run)

    private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
        let interruption = Interruption.watch()
        let configuration = try configuration(invocation, console)
        let service = try ArchiveService.start(configuration)
        let addresses = service.addresses.map(\.description).joined(separator: ", ")
        console.note("archive service: \(addresses)")
        if configuration.claims == .token {
            console.note(
                "claim token: \(try StateRoot.path(invocation))/archive/service/\(ArchiveService.claimTokenName)")
        }
        let notice = ServiceNotice()
        notice.ready()
        interruption.wait()
        notice.stopping()
        service.stop()
        return .success
    }

    private static func configuration(_ invocation: Invocation, _ console: Console) throws
        -> ArchiveService.Configuration
    {
        var configuration = ArchiveService.Configuration(folder: try ArchiveFolders.folder("service", invocation))
        let given = try addresses("--address", invocation)
        if !given.isEmpty { configuration.addresses = given }
        if let port = invocation.integer("--port") { configuration.port = UInt16(port) }
        if let word = invocation.text("--claim"), let claims = ArchiveService.Claims(rawValue: word) {
            configuration.claims = claims
        }
        configuration.allowsOpenClaims = invocation.has("--allow-open-claims")
        configuration.basePath = invocation.text("--base-path") ?? ""
        configuration.publicURL = try publicURL(invocation)
        configuration.trustedProxies = Set(try addresses("--trusted-proxy", invocation))
        configuration.report = { report in
            switch report {
            case .storageFailed(let code):
                console.note("days could not be stored, read or removed (\(code)); who asked for them tries again")
            case .daysLost(let count):
                console.note("\(count) stored days are gone; they are not listed, so their writers send them again")
            }
        }
        configuration.objectStore = try objectStore(invocation)
        if let path = invocation.text("--limits") {
            let bytes = try ArchiveFolders.contents(path, option: "--limits", console)
            configuration.limits = try ServiceLimits(file: try JSONParser.parse(bytes))
        }
        return configuration
    }

    private static func checkStore(_ invocation: Invocation) throws {
        let isObjectStore = invocation.text("--store")?.hasPrefix("s3://") ?? false
        guard isObjectStore || ["local", nil].contains(invocation.text("--store")) else {
            throw UsageError(.valueValidation, "--store takes local or s3://BUCKET/PREFIX", command: path)
        }
        guard isObjectStore == invocation.has("--s3-credentials-file") else {
            throw UsageError(
                .missingRequiredArgument, "s3://BUCKET/PREFIX and --s3-credentials-file go together", command: path,
                accepted: ["--store", "--s3-credentials-file"])
        }
    }

    private static func objectStore(_ invocation: Invocation) throws -> S3Configuration? {
        guard let location = invocation.text("--store"), location != "local",
            let file = invocation.text("--s3-credentials-file")
        else { return nil }
        let target = URL(fileURLWithPath: try AbsolutePath.of(file))
        let folder = try Directory.openRoot(target.deletingLastPathComponent().resolvingSymlinksInPath().path)
        let text = try folder.file(target.lastPathComponent, requiringPrivate: true).contents(maximumByteCount: 65_536)
        return try S3Configuration(
            location: location, endpoint: invocation.text("--s3-endpoint"),
            region: invocation.text("--s3-region") ?? "us-east-1",
            credentials: try S3Credentials(file: String(decoding: text, as: UTF8.self)))
    }

    private static func addresses(_ name: String, _ invocation: Invocation) throws -> [IPAddress] {
        try invocation.texts(name).map { text in
            do throws(TransportError) {
                return try IPAddress(text)
            } catch {
                throw UsageError(
                    .valueValidation, "\(name) takes an IP address such as 192.168.1.5 or ::1", command: path)
            }
        }
    }

    private static func publicURL(_ invocation: Invocation) throws -> ServiceEndpoint? {
        guard let text = invocation.text("--public-url") else { return nil }
        guard let endpoint = ServiceEndpoint(text) else {
            throw UsageError(
                .valueValidation, "--public-url begins with http:// or https:// and has no query", command: path)
        }
        return endpoint
    }
}

/// Folders and small files of the archive commands.
enum ArchiveFolders {
    /// A handoff, a limits file, a list of items: none is larger, in bytes.
    private static let maximumByteCount = 1 << 20

    /// `archive/NAME` of the state folder, made when it is missing.
    static func folder(_ name: String, _ invocation: Invocation) throws -> Directory {
        try StateFolders(path: try StateRoot.path(invocation)).folder(.archive).createDirectory(name)
    }

    /// A small file; `-` is standard input.
    static func contents(_ path: String, option: String, _ console: Console) throws -> [UInt8] {
        let handle: FileHandle
        if path == "-" {
            handle = FileHandle(fileDescriptor: console.standardInput, closeOnDealloc: false)
        } else if let opened = FileHandle(forReadingAtPath: try AbsolutePath.of(path)) {
            handle = opened
        } else {
            throw CommandFailure("file_unreadable", "the file of \(option) cannot be read; check the path")
        }
        let data = try handle.read(upToCount: maximumByteCount + 1) ?? Data()
        guard data.count <= maximumByteCount else {
            throw CommandFailure("file_too_large", "the file of \(option) is larger than 1 MiB; check the path")
        }
        return [UInt8](data)
    }
}
