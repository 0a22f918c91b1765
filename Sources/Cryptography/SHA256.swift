import CCrypto

/// An incremental SHA-256 (FIPS 180-4), libcrypto's.
///
/// A value: a copy goes its own way from where the original stood, so the digest of a prefix is
/// `hasher.peek()` and the hasher goes on. The context is copied only when it is shared, and reused after
/// `finalize`, so a hasher that is kept costs no allocation per digest.
public struct SHA256: Sendable {
    /// Owns one `EVP_MD_CTX`.
    ///
    /// `@unchecked`: it is written only through a uniquely referenced `SHA256`, as an array's storage is.
    private final class Context: @unchecked Sendable {
        let pointer: OpaquePointer

        init() {
            guard let pointer = EVP_MD_CTX_new() else { fatalError("out of memory") }
            self.pointer = pointer
        }

        func start() {
            precondition(EVP_DigestInit_ex2(pointer, SHA256.algorithm, nil) == 1)
        }

        func copy() -> Context {
            let result = Context()
            precondition(EVP_MD_CTX_copy_ex(result.pointer, pointer) == 1)
            return result
        }

        func finish() -> Digest {
            Digest { target in
                let bytes = target.bindMemory(to: UInt8.self)
                precondition(EVP_DigestFinal_ex(pointer, bytes.baseAddress, nil) == 1)
            }
        }

        deinit { EVP_MD_CTX_free(pointer) }
    }

    /// Fetched once: looking the algorithm up costs more than hashing 64 bytes. Read-only from then on.
    private nonisolated(unsafe) static let algorithm: OpaquePointer = {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else { fatalError("libcrypto without SHA-256") }
        return algorithm
    }()

    private var context: Context

    /// A hasher that has seen nothing.
    public init() {
        context = Context()
        context.start()
    }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        if !isKnownUniquelyReferenced(&context) { context = context.copy() }
        precondition(EVP_DigestUpdate(context.pointer, bytes.baseAddress, bytes.count) == 1)
    }

    /// Adds bytes.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds bytes.
    public mutating func update(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds bytes.
    public mutating func update(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds the bytes of a secret.
    public mutating func update(_ secret: SecretBytes) {
        secret.withUnsafeBytes { update($0) }
    }

    /// Adds the text's UTF-8.
    public mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
    }

    /// The digest of everything so far; the hasher goes on as if not asked.
    public func peek() -> Digest {
        context.copy().finish()
    }

    /// The digest of everything so far; the hasher then starts anew.
    public mutating func finalize() -> Digest {
        if !isKnownUniquelyReferenced(&context) { context = context.copy() }
        let digest = context.finish()
        context.start()
        return digest
    }

    /// The digest of these bytes.
    public static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
        Digest { target in
            let digest = target.bindMemory(to: UInt8.self)
            precondition(EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, algorithm, nil) == 1)
        }
    }

    /// The digest of these bytes.
    public static func hash(_ bytes: [UInt8]) -> Digest {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The digest of these bytes.
    public static func hash(_ bytes: ArraySlice<UInt8>) -> Digest {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The digest of these bytes.
    public static func hash(_ bytes: RawSpan) -> Digest {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The digest of the text's UTF-8.
    public static func hash(_ text: String) -> Digest {
        var text = text
        return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }
}
