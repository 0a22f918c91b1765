import CCrypto
import Foundation
import Synchronization

/// One AEAD key in libcrypto, with its contexts set up once and reused for every message.
///
/// Both algorithms here have 32-byte keys, 12-byte nonces and 16-byte tags. A lock makes an instance safe to share;
/// uncontended it costs nothing next to the cipher.
final class AEADCipher: Sendable {
    enum Algorithm {
        case chaCha20Poly1305
        case aes256GCM
    }

    static let keyByteCount = 32
    static let nonceByteCount = 12
    static let tagByteCount = 16

    /// `EVP_CipherUpdate` counts in `Int32`; longer messages go through it in pieces.
    private static let maximumPieceByteCount = 1 << 30

    /// Two contexts, since switching one between the directions would set up the key again. Owned, so that moving
    /// it into the lock is fine.
    private struct Contexts: @unchecked Sendable {
        let seal: OpaquePointer
        let open: OpaquePointer
    }

    private nonisolated(unsafe) static let chaCha20Poly1305 = fetch("ChaCha20-Poly1305")
    private nonisolated(unsafe) static let aes256GCM = fetch("AES-256-GCM")

    private let contexts: Mutex<Contexts>

    private static func fetch(_ name: String) -> OpaquePointer {
        guard let cipher = EVP_CIPHER_fetch(nil, name, nil) else { fatalError("libcrypto without \(name)") }
        return cipher
    }

    init(_ algorithm: Algorithm, key: some ContiguousBytes) {
        let cipher = algorithm == .aes256GCM ? AEADCipher.aes256GCM : AEADCipher.chaCha20Poly1305
        let contexts = key.withUnsafeBytes { key in
            precondition(key.count == AEADCipher.keyByteCount)
            return Contexts(
                seal: AEADCipher.makeContext(cipher, key: key, encrypting: 1),
                open: AEADCipher.makeContext(cipher, key: key, encrypting: 0))
        }
        self.contexts = Mutex(contexts)
    }

    private static func makeContext(
        _ cipher: OpaquePointer, key: UnsafeRawBufferPointer, encrypting: Int32
    ) -> OpaquePointer {
        guard let context = EVP_CIPHER_CTX_new() else { fatalError("out of memory") }
        let keyBytes = key.bindMemory(to: UInt8.self).baseAddress
        precondition(EVP_CipherInit_ex2(context, cipher, keyBytes, nil, encrypting, nil) == 1)
        return context
    }

    deinit {
        // Freeing a context overwrites its key.
        contexts.withLock {
            EVP_CIPHER_CTX_free($0.seal)
            EVP_CIPHER_CTX_free($0.open)
        }
    }

    /// Writes ciphertext and tag. `output` may be `plaintext` itself, but must not overlap it otherwise.
    func seal(
        _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
        tag: UnsafeMutableRawBufferPointer, nonce: UnsafeRawBufferPointer, associatedData: UnsafeRawBufferPointer
    ) {
        precondition(output.count == plaintext.count)
        precondition(tag.count == AEADCipher.tagByteCount && nonce.count == AEADCipher.nonceByteCount)
        contexts.withLock { contexts in
            AEADCipher.process(contexts.seal, plaintext, output, nonce, associatedData, encrypting: 1)
            var written: Int32 = 0
            var none: UInt8 = 0
            precondition(EVP_CipherFinal_ex(contexts.seal, &none, &written) == 1)
            precondition(
                EVP_CIPHER_CTX_ctrl(
                    contexts.seal, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1)
        }
    }

    /// Writes the plaintext, or throws `authenticationFailed` and leaves zeros.
    func open(
        _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer, nonce: UnsafeRawBufferPointer,
        associatedData: UnsafeRawBufferPointer
    ) throws {
        precondition(output.count == ciphertext.count)
        precondition(tag.count == AEADCipher.tagByteCount && nonce.count == AEADCipher.nonceByteCount)
        let isGenuine = contexts.withLock { contexts in
            AEADCipher.process(contexts.open, ciphertext, output, nonce, associatedData, encrypting: 0)
            // The control call only reads the tag when it sets it.
            precondition(
                EVP_CIPHER_CTX_ctrl(
                    contexts.open, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count),
                    UnsafeMutableRawPointer(mutating: tag.baseAddress)) == 1)
            var written: Int32 = 0
            var none: UInt8 = 0
            return EVP_CipherFinal_ex(contexts.open, &none, &written) == 1
        }
        guard isGenuine else {
            ERR_clear_error()
            // Plaintext of a forgery must not be seen by anyone.
            eraseMemory(output)
            throw CryptographyError.authenticationFailed
        }
    }

    private static func process(
        _ context: OpaquePointer, _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer,
        _ nonce: UnsafeRawBufferPointer, _ associatedData: UnsafeRawBufferPointer, encrypting: Int32
    ) {
        let nonceBytes = nonce.bindMemory(to: UInt8.self).baseAddress
        precondition(EVP_CipherInit_ex2(context, nil, nil, nonceBytes, encrypting, nil) == 1)
        var written: Int32 = 0
        if associatedData.count > 0 {
            let bytes = associatedData.bindMemory(to: UInt8.self).baseAddress
            precondition(associatedData.count <= maximumPieceByteCount)
            precondition(EVP_CipherUpdate(context, nil, &written, bytes, Int32(associatedData.count)) == 1)
        }
        let source = input.bindMemory(to: UInt8.self)
        let target = output.bindMemory(to: UInt8.self)
        var offset = 0
        while offset < source.count {
            let count = min(maximumPieceByteCount, source.count - offset)
            precondition(
                EVP_CipherUpdate(
                    context, target.baseAddress! + offset, &written, source.baseAddress! + offset, Int32(count)) == 1)
            precondition(Int(written) == count)
            offset += count
        }
    }
}
