import DurableStore
import Synchronization

/// The lock of a destination root while a job writes into it: two receivers that share a root take turns (extensions.md 2,
/// rule 3). Jobs of one receiver share the lock, since its disk worker does one piece of work at a time.
final class DestinationLock: Sendable {
    private let lock: DirectoryLock

    private init(_ lock: DirectoryLock) { self.lock = lock }

    private struct Holder {
        weak var lock: DestinationLock?
    }

    private static let holders = Mutex<[FileIdentity: Holder]>([:])

    /// Takes the lock of a bound root, or shares the one that this process has.
    ///
    /// - Throws: `destination_in_use` when another process writes there.
    static func take(_ binding: DestinationBinding, on disk: any Disk = PosixDisk()) throws -> DestinationLock {
        // An opening of its own, since the lock ends with it.
        let root = try DestinationRoot.open(binding, on: disk)
        let identity = try root.identity()
        return try holders.withLock { holders in
            if let held = holders[identity]?.lock { return held }
            do {
                let taken = DestinationLock(try DirectoryLock.take(root))
                holders = holders.filter { $1.lock != nil }
                holders[identity] = Holder(lock: taken)
                return taken
            } catch StoreError.lockedBy {
                throw ReceiverError.destinationInUse
            }
        }
    }
}
