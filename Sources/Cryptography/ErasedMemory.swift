import CSodium

/// Overwrites memory in a way that the optimiser keeps.
///
/// For buffers that held secrets and live on (an array that is reused, say). `SecretBytes` does it by itself.
public func eraseMemory(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let address = bytes.baseAddress else { return }
    sodium_memzero(address, bytes.count)
}

/// Overwrites the bytes of an array, then empties it.
///
/// Only this array's own storage is reached: a copy that was made before keeps its bytes.
public func eraseMemory(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { eraseMemory($0) }
    bytes.removeAll(keepingCapacity: false)
}
