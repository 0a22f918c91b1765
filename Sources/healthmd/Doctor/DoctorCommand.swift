import CanonicalJSON
import DurableStore
import Foundation

/// `healthmd doctor`: what works, what does not, and what to type next (cli.md 8).
enum DoctorCommand {
    static let spec = CommandSpec(
        "doctor", summary: "Looks at everything that an export needs and says what to do where it is missing.",
        examples: [
            Example("healthmd doctor", "one line a check, on a terminal"),
            Example("healthmd doctor --json", "the same for programs; exit 0 only when ready"),
        ],
        run: { invocation, console in
            let report = try Examination(invocation).report().carrying(console.advice)
            if console.isForPeople(invocation) {
                console.print(text: report.text)
            } else {
                console.print(report.document)
            }
            return report.isReady ? .success : .failure
        })
}

/// Gathers the facts and judges them.
struct Examination {
    /// The state root, whether it exists or not.
    private let path: String
    private let root: Directory?
    private let runtime: RuntimeFile?
    private let client: Result<ControlClient, CommandFailure>
    private var status: JSONValue?
    private var readiness: JSONValue?
    private var peers: JSONValue?
    private var jobs: JSONValue?
    private var unreachable: CommandFailure?
    /// Options that next steps have to repeat.
    private let options: String

    init(_ invocation: Invocation) throws {
        path = try StateRoot.path(invocation)
        options = ["--data-dir", "--base-url", "--control-token-file"].compactMap { name in
            let value = name == "--data-dir" ? StateRoot.given(invocation) : invocation.text(name)
            return value.map { " \(name) \(ShellText.quoted($0))" }
        }.joined()
        root = try StateRoot.existingRoot(invocation)
        do {
            runtime = try StateRoot.existing(.receiver, invocation).flatMap(RuntimeFile.read)
        } catch is StoreError {
            runtime = nil  // What is wrong with the folder is told by its own check.
        }
        do {
            client = .success(try ControlClient(invocation))
        } catch {
            client = .failure(FailureText.failure(of: error))
        }
        ask()
    }

    /// Asks the receiver; the first failure ends it, and is told by the check `receiver`.
    private mutating func ask() {
        do {
            let client = try client.get()
            status = try Self.body(client, "/v1/status")
            peers = try Self.body(client, "/v1/peers")
            jobs = try Self.body(client, "/v1/exports?" + Self.liveStates)
            readiness = try Self.body(client, "/v1/agent/readiness")
        } catch {
            unreachable = FailureText.failure(of: error)
        }
    }

    private static let liveStates =
        ["queued", "sent", "accepted", "preparing", "transferring", "paused"].map { "state=" + $0 }
        .joined(separator: "&")

    private static func body(_ client: ControlClient, _ route: String) throws -> JSONValue {
        let answer = try client.send("GET", route)
        guard answer.status == 200 else {
            throw CommandFailure(
                "receiver_refused", "the receiver answered \(answer.status); update it to this version of healthmd")
        }
        return answer.document
    }

    func report() -> DoctorReport {
        let service = DoctorChecks.Service(runtime: runtime, options: options)
        let isConnected = status?["iphone"]?["connected"]?.bool == true
        let now = Date().timeIntervalSince1970
        return DoctorReport(
            publicStatus: status, localReadiness: readiness,
            checks: [
                DoctorChecks.receiver(isAnswering: status != nil, failure: unreachable, service),
                DoctorChecks.peerListener(
                    service, reach: runtime.flatMap { ListeningSockets.reach(ofPort: $0.peerPort) }),
                DoctorChecks.pairedPeer(peers, service),
                DoctorChecks.connectedPeer(status, isPhoneHere: isPhoneHere, service),
                DoctorChecks.destination(status?["destination"], found: destinationFolder, service),
                DoctorChecks.freeSpace(spaces()),
                DoctorChecks.statePermissions(path: path, isThere: root != nil, faults: permissionFaults()),
                DoctorChecks.activeJob(jobs, isConnected: isConnected, service),
                DoctorChecks.stalledJobs(jobs, isConnected: isConnected, now: now, service),
                DoctorChecks.clock(
                    now: now, known: [runtime?.startedAt].compactMap(\.self) + jobTimes,
                    hasTimeControl: FileManager.default.isExecutableFile(atPath: "/usr/bin/timedatectl")),
            ])
    }

    /// Whether the state folder has a phone side: then it is this computer that has to connect.
    private var isPhoneHere: Bool {
        do {
            return try root?.directory(StateFolders.Part.phone.rawValue).status(of: "phone.sqlite") != nil
        } catch {
            return false  // What is wrong with the folder is told by its own check.
        }
    }

    private var destinationFolder: DoctorChecks.Folder {
        guard let path = status?["destination"]?["path"]?.string else { return .missing }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return .missing
        }
        return FileManager.default.isWritableFile(atPath: path) ? .other : .closed
    }

    private var jobTimes: [Double] {
        (jobs?["jobs"]?.array ?? []).compactMap { DoctorChecks.instant($0["updated_at"]) }
    }

    // MARK: This computer

    /// Free bytes by the folder that they are for.
    private func spaces() -> [(name: String, bytes: UInt64)] {
        var folders: [(String, Directory)] = []
        if let root { folders.append((path, root)) }
        if let destination = status?["destination"]?["path"]?.string {
            do {
                folders.append((destination, try Directory.openRoot(destination)))
            } catch {
                // Told by the check `destination`.
            }
        }
        return folders.compactMap { name, folder in
            do {
                return (name, try folder.freeSpace().available)
            } catch {
                return nil  // A file system that does not tell is no reason to warn.
            }
        }
    }

    /// Paths below the state root that are open to others, or not ours.
    private func permissionFaults() -> [String] {
        guard let root else { return [] }
        var faults: [String] = []
        func note(_ body: () throws(StoreError) -> Void) {
            do {
                try body()
            } catch .notFound {
                // Not made yet, or gone meanwhile.
            } catch {
                faults.append(error.path)
            }
        }
        for part in StateFolders.Part.allCases {
            note { () throws(StoreError) in
                let folder = try root.directory(part.rawValue)
                note { () throws(StoreError) in try folder.requirePrivate() }
                for entry in try folder.entries() where entry.kind != .directory {
                    note { () throws(StoreError) in try folder.file(entry.name).requirePrivate() }
                }
            }
        }
        return faults
    }
}
