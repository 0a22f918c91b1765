import Cryptography
import HTTPService

/// The three headers of a signed request, checked for shape and clock (day-archive.md 4, extensions.md 10.3).
struct SignedHeaders {
    /// Which key signs.
    enum Signer: String {
        case writer = "x-efferent-writer"
        case editor = "x-efferent-editor"
        case reader = "x-efferent-reader"
    }

    static let timestampName = "x-efferent-timestamp"
    static let signatureName = "x-efferent-signature"

    let key: Ed25519.PublicKey
    let keyText: String
    let signature: [UInt8]
    let signatureText: String
    let timestamp: Int
    let timestampText: String

    /// Order: both headers there, whole number, clock, encoding, lengths, weak key.
    init(_ headers: HTTPHeaders, signer: Signer, now: ServiceMoment) throws(ServiceFault) {
        guard let keyText = headers[signer.rawValue], let signatureText = headers[Self.signatureName] else {
            throw ServiceFault(signer == .reader ? .readSignatureRequired : .missingSignature)
        }
        guard let timestampText = headers[Self.timestampName], let timestamp = Self.seconds(timestampText) else {
            throw ServiceFault(.badTimestamp)
        }
        guard abs(now.seconds - timestamp) <= ServiceLimits.clockTolerance else {
            throw ServiceFault(.stale, now: now.seconds)
        }
        let keyBytes: [UInt8]
        do {
            keyBytes = try Base64.decode(keyText, as: .urlSafe)
            signature = try Base64.decode(signatureText, as: .urlSafe)
        } catch {
            throw ServiceFault(.badEncoding)
        }
        guard keyBytes.count == Ed25519.publicKeyByteCount, signature.count == Ed25519.signatureByteCount else {
            throw ServiceFault(.badLength)
        }
        do {
            key = try Ed25519.PublicKey(bytes: keyBytes)
        } catch {
            throw ServiceFault(.weakKey)
        }
        self.keyText = keyText
        self.signatureText = signatureText
        self.timestamp = timestamp
        self.timestampText = timestampText
    }

    /// 1 to 15 digits without a leading zero, but `0` itself.
    private static func seconds(_ text: String) -> Int? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }),
            text == "0" || text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(text)
    }

    /// Checks the signature over a text.
    func verify(_ text: [UInt8]) throws(ServiceFault) {
        guard key.isValid(signature: signature, for: text) else { throw ServiceFault(.badSignature) }
    }

    /// What is remembered of a request that changed something (extensions.md 10.5).
    func mark(_ text: [UInt8]) -> RequestMark {
        RequestMark(
            digest: SHA256.hash(key.bytes + text), until: timestamp + ServiceLimits.clockTolerance)
    }
}

/// The identity of a signed request that changed something: its key and text.
struct RequestMark: Equatable, Sendable {
    let digest: Digest
    /// Unix seconds until which a repeat would pass the clock, inclusive.
    let until: Int
}
