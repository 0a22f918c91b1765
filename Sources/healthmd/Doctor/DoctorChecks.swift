import CanonicalJSON

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

    private static let start = DoctorCheck.Action(
        code: "start_receiver", message: "Start the receiver; it runs until it is stopped.",
        command: "healthmd serve")

    static func receiver(isAnswering: Bool, failure: CommandFailure?) -> DoctorCheck {
        if isAnswering, failure == nil { return .ready("receiver", blocking: true, "The receiver runs and answers.") }
        return DoctorCheck(
            code: "receiver", state: .actionRequired, isBlocking: true,
            message: failure?.message ?? "The receiver does not answer.", action: start)
    }

    static func peerListener(port: Int?, reach: ListeningSockets.Reach?) -> DoctorCheck {
        guard let port else {
            return .unavailable("peer_listener", blocking: true, "The receiver tells where phones dial when it runs.")
        }
        switch reach {
        case .network: return .ready("peer_listener", blocking: true, "Phones can dial port \(port).")
        case .loopback:
            return DoctorCheck(
                code: "peer_listener", state: .warning, isBlocking: false,
                message: "Port \(port) is open on this computer only; phones elsewhere cannot reach it.",
                action: DoctorCheck.Action(
                    code: "listen_everywhere", message: "Stop the receiver and start it without --peer-address.",
                    command: "healthmd serve"))
        case nil:
            return DoctorCheck(
                code: "peer_listener", state: .actionRequired, isBlocking: true,
                message: "Nothing listens on port \(port), where phones should dial.",
                action: DoctorCheck.Action(
                    code: "restart_receiver", message: "Stop the receiver and start it again.",
                    command: "healthmd serve"))
        }
    }

    static func pairedPeer(_ peers: JSONValue?) -> DoctorCheck {
        guard let devices = peers?["devices"]?.array else {
            return .unavailable("paired_peer", blocking: true, "The receiver knows which phones are paired.")
        }
        guard !devices.isEmpty else {
            return DoctorCheck(
                code: "paired_peer", state: .actionRequired, isBlocking: true, message: "No phone is paired.",
                action: DoctorCheck.Action(
                    code: "pair_phone", message: "Open a pairing; for the phone app add --phone-app.",
                    command: "healthmd pair"))
        }
        let names = devices.map { device in
            let strength = device["pairing_strength"]?.string == "strong" ? "20 digits" : "6 digits"
            return "\(device["name"]?.string ?? "a phone") (\(strength))"
        }
        return .ready("paired_peer", blocking: true, "Paired: \(names.joined(separator: ", ")).")
    }

    static func connectedPeer(_ status: JSONValue?) -> DoctorCheck {
        guard let isConnected = status?["iphone"]?["connected"]?.bool else {
            return .unavailable("peer_connected", blocking: false, "The receiver knows which phones are connected.")
        }
        if isConnected { return .ready("peer_connected", blocking: false, "A phone is connected.") }
        return DoctorCheck(
            code: "peer_connected", state: .warning, isBlocking: false,
            message: "No phone is connected; a job waits for it.",
            action: DoctorCheck.Action(
                code: "connect_phone", message: "Open the app on the phone; or on the machine with the export:",
                command: "healthmd phone serve"))
    }

    static func destination(_ destination: JSONValue?) -> DoctorCheck {
        guard let isSelected = destination?["selected"]?.bool else {
            return .unavailable("destination", blocking: false, "The receiver knows where files are written.")
        }
        guard isSelected else {
            return DoctorCheck(
                code: "destination", state: .warning, isBlocking: false,
                message: "No folder is chosen: extract works, files cannot be written.",
                action: DoctorCheck.Action(
                    code: "choose_destination", message: "Make a folder and choose it.",
                    command: "mkdir -p ~/Health && healthmd destination set ~/Health"))
        }
        let path = destination?["path"]?.string ?? ""
        guard destination?["writable"]?.bool == true else {
            return DoctorCheck(
                code: "destination", state: .actionRequired, isBlocking: true,
                message: "The folder \(path) cannot be written, or is another one than was chosen.",
                action: DoctorCheck.Action(
                    code: "choose_destination", message: "Mend its permissions, or choose a folder again.",
                    command: "healthmd destination set \(ShellText.quoted(path))"))
        }
        return .ready("destination", blocking: true, "Files are written below \(path).")
    }

    static func freeSpace(_ spaces: [(name: String, bytes: UInt64)]) -> DoctorCheck {
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

    static func statePermissions(path: String, faults: [String]) -> DoctorCheck {
        guard !faults.isEmpty else {
            return .ready("state_permissions", blocking: true, "The state folder is private.")
        }
        return DoctorCheck(
            code: "state_permissions", state: .actionRequired, isBlocking: true,
            message: "Not private, or not yours: \(faults.joined(separator: ", ")).",
            action: DoctorCheck.Action(
                code: "make_private", message: "Close the folder to others.",
                command: "chmod -R go= \(ShellText.quoted(path))"))
    }

    static func stalledJobs(_ jobs: JSONValue?, now: Double) -> DoctorCheck {
        guard let jobs = jobs?["jobs"]?.array else {
            return .unavailable("stalled_jobs", blocking: false, "The receiver knows the jobs.")
        }
        let stalled = jobs.filter { job in
            instant(job["updated_at"]).map { now - $0 > stallSeconds } ?? false
        }
        guard let first = stalled.first?["job_id"]?.string else {
            return .ready("stalled_jobs", blocking: false, "No job waits for long.")
        }
        return DoctorCheck(
            code: "stalled_jobs", state: .warning, isBlocking: false,
            message: "\(stalled.count) job(s) without progress for a quarter of an hour; they block new ones.",
            action: DoctorCheck.Action(
                code: "resume_job", message: "Go on with it when the phone is there; healthmd cancel drops it.",
                command: "healthmd resume \(first)"))
    }

    /// Expiry and codes are told by the clock: it must be plausible, and not have been set back.
    static func clock(now: Double, known: [Double]) -> DoctorCheck {
        let isEarly = now < earliestNow
        let isSetBack = known.contains { $0 > now + clockTolerance }
        guard isEarly || isSetBack else { return .ready("clock", blocking: false, "The clock is plausible.") }
        return DoctorCheck(
            code: "clock", state: isEarly ? .actionRequired : .warning, isBlocking: isEarly,
            message: isEarly
                ? "The clock shows a time before this program was made."
                : "The clock was set back: the receiver has noted later times.",
            action: DoctorCheck.Action(
                code: "set_clock", message: "Set the clock, best by the network.", command: "timedatectl set-ntp true"))
    }

    /// A time of the control API in Unix seconds.
    static func instant(_ value: JSONValue?) -> Double? {
        value?.string.flatMap(RFC3339.parse).map { $0 + Double(RFC3339.referenceSince1970) }
    }
}
