import CanonicalJSON
import Receiver

/// The judgements of `doctor`: facts in, check out (cli.md 8).
enum DoctorChecks {
    /// Below this a full disk is near (cli.md 8).
    static let lowSpaceByteCount: UInt64 = 512 * 1_024 * 1_024
    /// A live job without progress for this long is stalled.
    static let stallSeconds = 900.0
    /// Clocks of one computer may differ by this much between two looks.
    static let clockTolerance = 60.0
    /// No clock that shows an earlier time than this program's making is right: 2026-01-01T00:00:00Z.
    static let earliestNow = 1_767_225_600.0

    /// What the receiver that runs, or does not, says of itself.
    struct Service {
        /// Nil when none holds the state folder.
        let runtime: RuntimeFile?
        /// Options that the person gave, which every command has to repeat: ` --data-dir 'x'`.
        let options: String

        /// A command of this program with those options.
        func command(_ words: String) -> String { "healthmd \(words)\(options)" }

        /// Starts the receiver; one that runs is ended first, and its ports are kept.
        var start: String {
            guard let runtime else { return command("serve") }
            var serve = "serve"
            if runtime.controlPort != Int(ControlAPI.defaultPort) { serve += " --control-port \(runtime.controlPort)" }
            if runtime.peerPort != HostAndPort.defaultPort { serve += " --peer-port \(runtime.peerPort)" }
            return
                "kill \(runtime.pid); while kill -0 \(runtime.pid) 2>/dev/null; do sleep 0.2; done; \(command(serve))"
        }
    }

    static func receiver(isAnswering: Bool, failure: CommandFailure?, _ service: Service) -> DoctorCheck {
        if isAnswering, failure == nil { return .ready("receiver", blocking: true, "The receiver runs and answers.") }
        let action =
            failure?.code == "unauthorized"
            ? DoctorCheck.Action(
                code: "name_control_token",
                message: "Name the file of the control token; it lies in the receiver's folder.",
                command: service.command("doctor --control-token-file ~/.local/share/healthmd/receiver/control-token"))
            : DoctorCheck.Action(
                code: "start_receiver", message: "Start the receiver; it runs until it is stopped.",
                command: service.start)
        return DoctorCheck(
            code: "receiver", state: .actionRequired, isBlocking: true,
            message: failure?.message ?? "The receiver does not answer.", action: action)
    }

    static func peerListener(_ service: Service, reach: ListeningSockets.Reach?) -> DoctorCheck {
        guard let port = service.runtime?.peerPort else {
            return .unavailable("peer_listener", blocking: true, "The receiver tells where phones dial when it runs.")
        }
        switch reach {
        case .network: return .ready("peer_listener", blocking: true, "Phones can dial port \(port).")
        case .loopback:
            return DoctorCheck(
                code: "peer_listener", state: .warning, isBlocking: false,
                message: "Port \(port) is open on this computer only; phones elsewhere cannot reach it.",
                action: DoctorCheck.Action(
                    code: "listen_everywhere", message: "End the receiver and start it without --peer-address.",
                    command: service.start))
        case nil:
            return DoctorCheck(
                code: "peer_listener", state: .actionRequired, isBlocking: true,
                message: "Nothing listens on port \(port), where phones should dial.",
                action: DoctorCheck.Action(
                    code: "restart_receiver", message: "End the receiver and start it again.",
                    command: service.start))
        }
    }

    static func pairedPeer(_ peers: JSONValue?, _ service: Service) -> DoctorCheck {
        guard let devices = peers?["devices"]?.array else {
            return .unavailable("paired_peer", blocking: true, "The receiver knows which phones are paired.")
        }
        guard !devices.isEmpty else {
            return DoctorCheck(
                code: "paired_peer", state: .actionRequired, isBlocking: true, message: "No phone is paired.",
                action: DoctorCheck.Action(
                    code: "pair_phone", message: "Open a pairing; for the phone app add --phone-app.",
                    command: service.command("pair")))
        }
        let names = devices.map { device in
            let strength = device["pairing_strength"]?.string == "strong" ? "20 digits" : "6 digits"
            return "\(device["name"]?.string ?? "a phone") (\(strength))"
        }
        return .ready("paired_peer", blocking: true, "Paired: \(names.joined(separator: ", ")).")
    }

    /// `isPhoneHere`: this computer has a phone side that is paired.
    static func connectedPeer(_ status: JSONValue?, isPhoneHere: Bool, _ service: Service) -> DoctorCheck {
        guard let isConnected = status?["iphone"]?["connected"]?.bool else {
            return .unavailable("peer_connected", blocking: false, "The receiver knows which phones are connected.")
        }
        if isConnected { return .ready("peer_connected", blocking: false, "A phone is connected.") }
        return DoctorCheck(
            code: "peer_connected", state: .warning, isBlocking: false,
            message: "No phone is connected; a job waits for it.",
            action: DoctorCheck.Action(
                code: "connect_phone",
                message: isPhoneHere
                    ? "Let the phone side of this computer connect."
                    : "Open the app on one of these phones, or run healthmd phone serve where its export is.",
                command: service.command(isPhoneHere ? "phone serve" : "devices")))
    }

    /// How the chosen folder is found on the disk.
    enum Folder {
        case missing
        /// It is there, and this user may not write it.
        case closed
        /// It is there, and can be written; the receiver does not take it for the one that was chosen.
        case other
    }

    static func destination(_ destination: JSONValue?, found folder: Folder, _ service: Service) -> DoctorCheck {
        guard let isSelected = destination?["selected"]?.bool else {
            return .unavailable("destination", blocking: false, "The receiver knows where files are written.")
        }
        let standard = "mkdir -p ~/Health && \(service.command("destination set ~/Health"))"
        guard isSelected else {
            return DoctorCheck(
                code: "destination", state: .warning, isBlocking: false,
                message: "No folder is chosen: extract works, files cannot be written.",
                action: DoctorCheck.Action(
                    code: "choose_destination", message: "Make a folder and choose it.", command: standard))
        }
        let path = destination?["path"]?.string ?? ""
        guard destination?["writable"]?.bool != true else {
            return .ready("destination", blocking: true, "Files are written below \(path).")
        }
        let quoted = ShellText.quoted(path)
        let (message, next, command) =
            switch folder {
            case .missing:
                (
                    "The folder \(path) does not exist any more.",
                    "Mount its disk if it lies on one. Otherwise make it again and choose it, or choose another one.",
                    "mkdir -p \(quoted) && \(service.command("destination set \(quoted)"))"
                )
            case .closed:
                ("The folder \(path) cannot be written.", "Choose a folder that is yours.", standard)
            case .other:
                (
                    "The folder \(path) is another one than was chosen.", "Choose it again, if it is the right one.",
                    service.command("destination set \(quoted)")
                )
            }
        return DoctorCheck(
            code: "destination", state: .actionRequired, isBlocking: true, message: message,
            action: DoctorCheck.Action(code: "choose_destination", message: next, command: command))
    }

    static func freeSpace(_ spaces: [(name: String, bytes: UInt64)]) -> DoctorCheck {
        guard !spaces.isEmpty else {
            return .unavailable("free_space", blocking: false, "No folder is there whose disk could be looked at.")
        }
        let low = spaces.filter { $0.bytes < lowSpaceByteCount }
        guard let first = low.first else {
            return .ready("free_space", blocking: false, "There is room for what arrives.")
        }
        return DoctorCheck(
            code: "free_space", state: .warning, isBlocking: false,
            message: "Only \(ByteText.short(Int64(clamping: first.bytes))) are free for \(first.name).",
            action: DoctorCheck.Action(
                code: "free_space", message: "Remove what is not needed on that disk.",
                command: "df -h \(ShellText.quoted(first.name))"))
    }

    static func statePermissions(path: String, isThere: Bool, faults: [String]) -> DoctorCheck {
        guard isThere else {
            return DoctorCheck(
                code: "state_permissions", state: .warning, isBlocking: false,
                message:
                    "The state folder \(path) does not exist; healthmd serve makes it. If one was expected there, check "
                    + "--data-dir and HEALTHMD_DATA_DIR.",
                action: nil)
        }
        guard !faults.isEmpty else {
            return .ready("state_permissions", blocking: true, "The state folder \(path) is private.")
        }
        return DoctorCheck(
            code: "state_permissions", state: .actionRequired, isBlocking: true,
            message: "Not private, or not yours: \(faults.joined(separator: ", ")).",
            action: DoctorCheck.Action(
                code: "make_private", message: "Close the folder to others.",
                command: "chmod -R go= \(ShellText.quoted(path))"))
    }

    /// Expiry and codes are told by the clock: it must be plausible, and not have been set back.
    static func clock(now: Double, known: [Double], hasTimeControl: Bool = true) -> DoctorCheck {
        let isEarly = now < earliestNow
        let isSetBack = known.contains { $0 > now + clockTolerance }
        guard isEarly || isSetBack else { return .ready("clock", blocking: false, "The clock is plausible.") }
        return DoctorCheck(
            code: "clock", state: isEarly ? .actionRequired : .warning, isBlocking: isEarly,
            message: isEarly
                ? "The clock shows a time before this program was made."
                : "The clock was set back: the receiver has noted later times.",
            action: DoctorCheck.Action(
                code: "set_clock", message: "Compare the clock with another one, and set it.",
                command: hasTimeControl ? "timedatectl" : "date"))
    }

    /// A time of the control API in Unix seconds.
    static func instant(_ value: JSONValue?) -> Double? {
        value?.string.flatMap(RFC3339.parse).map { $0 + Double(RFC3339.referenceSince1970) }
    }
}
