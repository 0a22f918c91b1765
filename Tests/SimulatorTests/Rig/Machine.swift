import ConnectedProtocol
import Foundation

@testable import DurableStore

/// A computer of the simulation: a disk that outlives processes, and a clock of its own.
final class Machine {
    let name: String
    private(set) var disk: InMemoryDisk
    /// When the monotonic clock of this computer began: it starts again with the power.
    private var bootedAt = -100.0
    /// How far the wall clock was set off, in seconds.
    var wallOffset = 0.0
    private let time: SimulatedTime

    init(_ name: String, time: SimulatedTime, disk: InMemoryDisk) {
        self.name = name
        self.disk = disk.afterPowerLoss(seed: nil)
        self.time = time
    }

    /// Both clocks.
    var now: Moment {
        Moment(wall: SimulatedTime.epoch + time.now + wallOffset, monotonic: time.now - bootedAt)
    }

    /// A reading of the monotonic clock in the simulation's time.
    func simulated(_ monotonic: Double) -> Double { monotonic + bootedAt }

    /// The power goes: of what was not synced, the seed's choice is left.
    func losePower(seed: UInt64?) {
        disk = disk.afterPowerLoss(seed: seed)
        bootedAt = time.now - 10
    }

    /// What the machine would find on its disk if the power went now and nothing of the unsynced survived.
    /// It has room, so that it can be looked at.
    func durableDisk() -> InMemoryDisk {
        let disk = disk.afterPowerLoss(seed: nil)
        disk.setCapacity(1 << 40)
        return disk
    }
}

/// The simulation's time in seconds.
final class SimulatedTime {
    /// Seconds from 2001 to the start of each run.
    static let epoch = 800_000_000.25
    var now = 0.0
}

/// The disk as one process sees it. When the process dies it stands still at once, in the middle of whatever the process
/// was doing, and nothing that dies with the process, destructors above all, changes the machine's disk any more.
final class ProcessDisk: Disk, @unchecked Sendable {
    private let base: InMemoryDisk
    private var open: Set<DiskHandle> = []
    /// Calls until the process dies; nil: it lives.
    private var callsUntilDeath: Int?
    /// The next faults, by call from now.
    private var faults: [DiskFault] = []
    private var calls = 0
    /// Whether the process is dead.
    private(set) var isFrozen = false
    /// How many transfers and calls were touched by a fault.
    private(set) var faultCount = 0
    /// Whether reads and writes move a part only.
    var isShort = false

    init(_ base: InMemoryDisk) {
        self.base = base
    }

    /// The process dies at its Nth call from now.
    func die(atCall count: Int) { callsUntilDeath = count }

    /// Calls fail from the Nth call from now on.
    func fail(_ fault: DiskFault) {
        var fault = fault
        fault.firstCall += calls
        faults.append(fault)
    }

    /// The disk works again.
    func heal() {
        faults = []
        isShort = false
    }

    /// Whether faults are still to come.
    var hasPendingFaults: Bool { !faults.isEmpty }

    /// The process is dead: the system closes its files.
    func freeze() {
        isFrozen = true
        for handle in open { base.close(handle) }
        open = []
    }

    private func step(_ kind: DiskFault.Kind) throws(SystemError) {
        guard !isFrozen else { throw SystemError(EIO) }
        calls += 1
        if let left = callsUntilDeath {
            guard left > 1 else {
                freeze()
                throw SystemError(EIO)
            }
            callsUntilDeath = left - 1
        }
        guard let index = faults.firstIndex(where: { $0.firstCall <= calls && $0.kinds.contains(kind) }) else { return }
        faultCount += 1
        let number = faults[index].number
        faults[index].count -= 1
        if faults[index].count == 0 { faults.remove(at: index) }
        throw SystemError(number)
    }

    private func opened(_ handle: DiskHandle) -> DiskHandle {
        open.insert(handle)
        return handle
    }

    private func part(_ count: Int) -> Int { isShort ? (count + 1) / 2 : count }
}

/// Calls that fail.
struct DiskFault {
    /// What a call does.
    enum Kind: CaseIterable {
        case read, write, sync, names, look
    }

    /// From which call on; counted from now when it is handed over.
    var firstCall: Int
    /// How many calls of these kinds.
    var count: Int
    /// Which calls.
    var kinds: Set<Kind>
    /// `EIO`, `ENOSPC`, `EINTR` …
    var number: Int32
}

// MARK: - The seam

extension ProcessDisk {
    func openRoot(_ path: String, followingLinks: Bool) throws(SystemError) -> DiskHandle {
        try step(.look)
        return opened(try base.openRoot(path, followingLinks: followingLinks))
    }

    func open(_ path: RelativePath, in directory: DiskHandle, _ access: OpenAccess) throws(SystemError) -> DiskHandle {
        if case .create = access { try step(.names) } else { try step(.look) }
        return opened(try base.open(path, in: directory, access))
    }

    func makeDirectory(_ name: String, in directory: DiskHandle, permissions: UInt16) throws(SystemError) {
        try step(.names)
        try base.makeDirectory(name, in: directory, permissions: permissions)
    }

    func rename(
        _ name: String, in directory: DiskHandle, to target: String, in targetDirectory: DiskHandle, replacing: Bool
    ) throws(SystemError) {
        try step(.names)
        try base.rename(name, in: directory, to: target, in: targetDirectory, replacing: replacing)
    }

    func removeFile(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try step(.names)
        try base.removeFile(name, in: directory)
    }

    func removeDirectory(_ name: String, in directory: DiskHandle) throws(SystemError) {
        try step(.names)
        try base.removeDirectory(name, in: directory)
    }

    func list(_ directory: DiskHandle) throws(SystemError) -> [DirectoryEntry] {
        try step(.look)
        return try base.list(directory)
    }

    func status(_ handle: DiskHandle) throws(SystemError) -> FileStatus {
        try step(.look)
        return try base.status(handle)
    }

    func status(of name: String, in directory: DiskHandle) throws(SystemError) -> FileStatus {
        try step(.look)
        return try base.status(of: name, in: directory)
    }

    func read(
        _ handle: DiskHandle, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(SystemError) -> Int {
        try step(.read)
        let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer[..<part(buffer.count)])
        return try base.read(handle, into: buffer, at: offset)
    }

    func write(_ handle: DiskHandle, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) -> Int {
        try step(.write)
        return try base.write(handle, UnsafeRawBufferPointer(rebasing: bytes[..<part(bytes.count)]), at: offset)
    }

    func truncate(_ handle: DiskHandle, to size: UInt64) throws(SystemError) {
        try step(.write)
        try base.truncate(handle, to: size)
    }

    func sync(_ handle: DiskHandle) throws(SystemError) {
        try step(.sync)
        try base.sync(handle)
    }

    func lock(_ handle: DiskHandle) throws(SystemError) -> Bool {
        try step(.look)
        return try base.lock(handle)
    }

    func isLocked(_ handle: DiskHandle) throws(SystemError) -> Bool {
        try step(.look)
        return try base.isLocked(handle)
    }

    func freeSpace(_ handle: DiskHandle) throws(SystemError) -> FreeSpace {
        try step(.look)
        return try base.freeSpace(handle)
    }

    func isWritable(_ directory: DiskHandle) throws(SystemError) -> Bool {
        try step(.look)
        return try base.isWritable(directory)
    }

    func descriptor(_ handle: DiskHandle) -> Int32? { nil }

    func close(_ handle: DiskHandle) {
        guard open.remove(handle) != nil else { return }
        base.close(handle)
    }
}
