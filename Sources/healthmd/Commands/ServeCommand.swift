import CanonicalJSON
import Foundation
import Receiver
import Transport

/// `healthmd serve`: the receiver as a process (extensions.md 5).
enum ServeCommand {
    static let spec = CommandSpec(
        "serve", summary: "Runs the receiver: listens for phones, answers the other commands, writes files.",
        examples: [
            Example("healthmd serve --destination ~/Health", "an existing folder; remembered for the next start"),
            Example("healthmd serve --peer-address 192.168.1.5 --peer-port 17646", "phones only by this address"),
        ],
        options: [
            .value("--destination", .folder, "DIR", "where files are written; stored when none is stored yet"),
            .value("--peer-port", .integer(0...65_535), "N", "where phones dial (17646); 0: any free port"),
            .value("--peer-address", .text, "ADDR", "listen for phones there; default: everywhere", repeats: true),
            .value(
                "--control-port", .integer(0...65_535), "N", "the control API on loopback (17645); 0: any free port"),
            .flag("--no-control-token", "let every local user read status and run exports"),
            .value("--maximum-window", .integer(1...8), "N", "chunks in flight that are offered (4)"),
        ],
        validate: { invocation in _ = try addresses(invocation) }, run: run)

    private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
        let interruption = Interruption.watch()
        let notice = ServiceNotice()
        let options = try options(invocation)
        let daemon: ReceiverDaemon
        do {
            daemon = try ReceiverDaemon(options)
        } catch {
            guard let path = options.destination else { throw error }
            throw FailureText.failure(of: error).with(MissingFolder.steps(path, then: invocation.spelled))
        }
        let api = ControlAPI(
            configuration: ControlAPI.Configuration(
                port: UInt16(invocation.integer("--control-port") ?? Int(ControlAPI.defaultPort)),
                token: daemon.controlToken, requiresToken: !invocation.has("--no-control-token")),
            control: daemon.control)
        do {
            let endpoint = try api.start()
            try daemon.ready(controlPort: endpoint.port)
            welcome(daemon, endpoint.port, console)
            notice.ready(proof: { _ = daemon.control.status() })
        } catch {
            api.stop()
            daemon.stop()
            throw error
        }
        // The way out of every other end.
        daemon.onJournalLoss { kill(getpid(), SIGTERM) }
        interruption.wait()
        notice.stopping()
        // In this order: what waits at the API is let go while the receiver can still be told.
        api.stop()
        daemon.stop()
        if daemon.hasLostJournal {
            throw ReceiverDaemonError.state(
                code: "journal_sync_failed",
                detail:
                    "The disk failed to keep the journal. Check it, then start again; what was confirmed before is there."
            )
        }
        return .success
    }

    private static func options(_ invocation: Invocation) throws -> ReceiverDaemon.Options {
        var options = ReceiverDaemon.Options(
            dataDirectory: try StateRoot.path(invocation), peerAddresses: try addresses(invocation),
            deviceName: HostName.current, version: ProductVersion.text)
        if let port = invocation.integer("--peer-port") { options.peerPort = UInt16(port) }
        if let window = invocation.integer("--maximum-window") { options.maximumWindow = window }
        options.destination = try invocation.text("--destination").map(AbsolutePath.folder)
        return options
    }

    private static func addresses(_ invocation: Invocation) throws -> [IPAddress] {
        try invocation.texts("--peer-address").map { text in
            do throws(TransportError) {
                return try IPAddress(text)
            } catch {
                throw UsageError(
                    .valueValidation, "--peer-address takes an IP address such as 192.168.1.5 or ::1",
                    command: ["serve"])
            }
        }
    }

    private static func welcome(_ daemon: ReceiverDaemon, _ controlPort: UInt16, _ console: Console) {
        let destination = daemon.control.destination()
        console.note("phones: port \(daemon.peerPort); control API: http://127.0.0.1:\(controlPort)")
        if let path = destination.path {
            console.note("files: \(TerminalText.safe(path))\(destination.isWritable ? "" : " (cannot be written)")")
        } else {
            console.note("files: no folder yet; choose one with: healthmd destination set DIR")
        }
        if daemon.control.peers().devices.isEmpty { console.note("no phone is paired yet: healthmd pair") }
    }
}

/// The name of this computer, for people at the other end.
enum HostName {
    /// The most bytes that a peer takes (extensions.md 2).
    static let maximumByteCount = 128

    static var current: String {
        let name = ProcessInfo.processInfo.hostName
        let usable = String(
            String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        return usable.isEmpty || usable.utf8.count > maximumByteCount ? "healthmd" : usable
    }
}
