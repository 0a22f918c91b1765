import Cryptography
import DurableStore
import Foundation

/// The stored body of a finished raw job, which is kept twice (control-api.md 14, corpus-protocol.md 14):
///
///     jobs/<JOB>/control-response.json                     what clients get
///     sessions/<SESSION>/terminal/control-response.json    the terminal copy, read only when the first is damaged
///
/// Every read checks the copy's folder, kind, mode, links, length and whole digest; what the client gets is a private
/// copy that was hashed while it was made. A damaged copy is written again from the other one. When both are damaged
/// nothing is given out.
struct JobResponseSpool: ResponseSpool {
    /// The folder of the terminal copy within its session's.
    static let terminalFolderName = "terminal"

    /// Which of the two.
    enum Place: CaseIterable {
        case response
        case terminal

        var word: StaticString {
            switch self {
            case .response: "response"
            case .terminal: "terminal"
            }
        }
    }

    /// What stands after ``restore()``.
    enum Restoration: Hashable {
        /// The client's copy was sound, or is again.
        case sound
        /// Neither copy is what was recorded: the job's data are gone on this side.
        case lost
    }

    let jobID: UUID
    let sessionID: UUID
    let stored: StoredResponse
    let folders: Folders
    let shelf: SnapshotShelf
    /// Records that the job's folder is another one now, after it was made again.
    let rebind: @Sendable (FileIdentity) -> Void
    let log: Log

    /// Where the copies are.
    struct Folders: Sendable {
        /// All jobs' folders.
        let jobs: Directory
        /// All sessions' folders.
        let sessions: Directory
        /// Where the unnamed copy lives.
        let scratch: Directory
    }

    var description: RawResponseDescription { stored.description }

    func openSnapshot() throws(ReceiverControlError) -> ResponseSnapshot {
        do {
            let (snapshot, isShared) = try shelf.snapshot(
                of: jobID, sha256: stored.description.sha256, make: soundSnapshot)
            let descriptor = try snapshot.file.duplicateDescriptor()
            var afterwards: (@Sendable () -> Void)?
            if shelf.beginCheck(of: jobID) {
                afterwards = { [self] in
                    // A new snapshot has just been made from the first copy.
                    check(isShared ? Place.allCases : [.terminal])
                    shelf.endCheck(of: jobID)
                }
            }
            return ResponseSnapshot(
                fileDescriptor: descriptor, byteCount: stored.description.byteCount, owner: snapshot,
                afterwards: afterwards)
        } catch {
            // Whichever check failed, the client is told the same and may extract again.
            throw .responseSpoolUnavailable
        }
    }

    private func soundSnapshot() throws -> File {
        do {
            return try copy(.response).snapshot(in: folders.scratch)
        } catch {
            let snapshot = try copy(.terminal).snapshot(in: folders.scratch)
            // The client gets its bytes whether or not the disk takes the repair.
            repair(.response, from: snapshot, after: error)
            return snapshot
        }
    }

    /// Reads copies that a download has not read, and writes a damaged one again from the other.
    private func check(_ places: [Place]) {
        for place in places {
            do {
                try copy(place).read()
            } catch let damage as ResponseCopy.Damage {
                let other = place == .terminal ? Place.response : .terminal
                do {
                    repair(place, from: try copy(other).snapshot(in: folders.scratch), after: damage)
                } catch {
                    log("response_copy_damaged", ("job", .id(jobID)), ("copy", .word(place.word)))
                }
            } catch {
                log("response_copy_unreadable", ("job", .id(jobID)), ("code", .code(of: error)))
            }
        }
    }

    /// Makes the client's copy sound before an acknowledgement is repeated (control-api.md 14).
    ///
    /// Throws when that may succeed later: then nothing is acknowledged.
    func restore() throws -> Restoration {
        do {
            try copy(.response).read()
            return .sound
        } catch let damage as ResponseCopy.Damage {
            let snapshot: File
            do {
                snapshot = try copy(.terminal).snapshot(in: folders.scratch)
            } catch is ResponseCopy.Damage {
                log("response_lost", ("job", .id(jobID)), ("code", .code(of: damage)))
                return .lost
            }
            try install(.response, from: snapshot)
            log("response_repaired", ("job", .id(jobID)), ("code", .code(of: damage)))
            return .sound
        }
    }

    /// Reads both copies, for `verify`: bytes read, and the code of what is wrong, for each.
    func verify() -> [(place: Place, byteCount: Int64, code: String?)] {
        Place.allCases.map { place in
            var byteCount: Int64 = 0
            do {
                try copy(place).read { byteCount += Int64($0.count) }
                return (place, byteCount, nil)
            } catch let damage as ResponseCopy.Damage {
                return (place, byteCount, damage.rawValue)
            } catch {
                return (place, byteCount, "unreadable")
            }
        }
    }

    // MARK: - The copies

    private func copy(_ place: Place) throws -> ResponseCopy {
        do {
            let folder =
                switch place {
                case .response: try folders.jobs.directory(jobID.uuidString)
                case .terminal: try folders.sessions.directory(terminalPath)
                }
            try folder.requirePrivate()
            guard try place == .terminal || folder.identity() == stored.directory else {
                throw ResponseCopy.Damage.notPrivate
            }
            return ResponseCopy(folder: folder, description: stored.description)
        } catch StoreError.notFound {
            throw ResponseCopy.Damage.missing
        } catch StoreError.notPrivate, StoreError.wrongType, StoreError.isSymbolicLink {
            throw ResponseCopy.Damage.notPrivate
        }
    }

    private var terminalPath: String { "\(sessionID.uuidString)/\(JobResponseSpool.terminalFolderName)" }

    /// Writes a copy again; a failure is logged, the next look tries once more.
    private func repair(_ place: Place, from snapshot: File, after reason: any Error) {
        do {
            try install(place, from: snapshot)
            log(
                "response_repaired", ("job", .id(jobID)), ("copy", .word(place.word)), ("code", .code(of: reason)))
        } catch {
            log("response_not_repaired", ("job", .id(jobID)), ("copy", .word(place.word)), ("code", .code(of: error)))
        }
    }

    private func install(_ place: Place, from snapshot: File) throws {
        let folder: Directory
        switch place {
        case .response:
            folder = try folders.jobs.createDirectory(jobID.uuidString)
        case .terminal:
            // Only within the session's own folder: one that was removed is over.
            folder = try folders.sessions.directory(sessionID.uuidString)
                .createDirectory(JobResponseSpool.terminalFolderName)
        }
        try folder.requirePrivate()
        try ResponseCopy(folder: folder, description: stored.description).replace(from: snapshot)
        let identity = try folder.identity()
        if place == .response, identity != stored.directory { rebind(identity) }
    }
}
