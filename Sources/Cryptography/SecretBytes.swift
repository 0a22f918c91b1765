import CSodium
import Foundation

/// Secret bytes of fixed length: read through a closure, overwritten when the last reference goes.
///
/// Deliberately neither `Equatable` nor `Hashable` nor `Codable`: compare with `constantTimeEquals`, and store by
/// an explicit `withUnsafeBytes`. Printing, interpolating or dumping a secret shows only its length.
public final class SecretBytes: ContiguousBytes, Sendable {
    /// Where the bytes lie.
    public enum Placement: Sendable {
        /// Ordinary memory, erased on release. For keys of one connection or one message.
        case ordinary
        /// Guarded pages that are locked into memory and, once filled, read-only (`sodium_malloc`).
        ///
        /// One costs four mappings and tens of microseconds, so this is for a few keys that live as long as the
        /// process.
        case guarded
    }

    /// The number of bytes.
    public let count: Int
    private let placement: Placement
    /// Written only inside `init` and erased in `deinit`; constant, and so free to share, in between.
    private nonisolated(unsafe) let address: UnsafeMutableRawPointer

    /// Makes a secret of `count` bytes whose content the closure writes; it starts as zeros.
    public init(
        count: Int, placement: Placement = .ordinary,
        filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) rethrows {
        precondition(count >= 0)
        _ = Sodium.ready
        self.count = count
        self.placement = placement
        switch placement {
        case .ordinary:
            address = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
        case .guarded:
            guard let pages = sodium_malloc(max(count, 1)) else {
                fatalError("no guarded memory left; raise RLIMIT_MEMLOCK or vm.max_map_count")
            }
            address = pages
        }
        address.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
        // On a throw the object is fully initialised, so `deinit` runs and releases the memory.
        try fill(UnsafeMutableRawBufferPointer(start: address, count: count))
        if placement == .guarded { sodium_mprotect_readonly(address) }
    }

    /// Copies `bytes`. The caller's copy is the caller's to erase.
    public convenience init(copying bytes: some ContiguousBytes, placement: Placement = .ordinary) {
        let count = bytes.withUnsafeBytes { $0.count }
        self.init(count: count, placement: placement) { target in
            bytes.withUnsafeBytes { target.copyMemory(from: $0) }
        }
    }

    /// Copies `bytes` and erases the source array.
    public convenience init(consuming bytes: inout [UInt8], placement: Placement = .ordinary) {
        self.init(copying: bytes, placement: placement)
        eraseMemory(&bytes)
    }

    /// `count` bytes of the system's secure randomness.
    public static func random(count: Int, placement: Placement = .ordinary) -> SecretBytes {
        SecretBytes(count: count, placement: placement) { SecureRandom.fill($0) }
    }

    deinit {
        switch placement {
        case .ordinary:
            sodium_memzero(address, count)
            address.deallocate()
        case .guarded:
            sodium_free(address)
        }
    }

    /// Lends the bytes. The pointer must not leave the closure.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: address, count: count))
    }

    /// A plain copy, for the few places that must write the secret down (a private database row).
    public func copyBytes() -> [UInt8] {
        withUnsafeBytes { [UInt8]($0) }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length; never the bytes.
    public var description: String { "SecretBytes(\(count) bytes, redacted)" }
    /// As `description`.
    public var debugDescription: String { description }
    /// No children, so that `dump` shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whether two byte strings are equal, in time that depends on their lengths alone.
public func constantTimeEquals(_ left: some ContiguousBytes, _ right: some ContiguousBytes) -> Bool {
    left.withUnsafeBytes { leftBytes in
        right.withUnsafeBytes { rightBytes in
            guard leftBytes.count == rightBytes.count else { return false }
            guard let leftAddress = leftBytes.baseAddress, let rightAddress = rightBytes.baseAddress else {
                return true
            }
            return sodium_memcmp(leftAddress, rightAddress, leftBytes.count) == 0
        }
    }
}
