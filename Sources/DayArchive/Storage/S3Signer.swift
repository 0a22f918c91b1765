import CanonicalJSON
import Cryptography

/// Who asks an object store, as its operator wrote it down.
public struct S3Credentials: Sendable {
    let accessKeyID: String
    let secret: SecretBytes
    let sessionToken: String?

    init(accessKeyID: String, secret: SecretBytes, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secret = secret
        self.sessionToken = sessionToken
    }

    /// Reads the usual credentials file: `aws_access_key_id`, `aws_secret_access_key` and perhaps `aws_session_token`, one
    /// `name = value` a line; section heads and remarks are passed over.
    ///
    /// - Throws: `bad_s3_credentials`. The text itself never reaches the error.
    public init(file text: String) throws(ServiceStartError) {
        var values: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[parts[0].trimmingWhitespace] = parts[1].trimmingWhitespace
        }
        guard let id = values["aws_access_key_id"], let secret = values["aws_secret_access_key"], !id.isEmpty,
            !secret.isEmpty
        else { throw .badS3Credentials }
        self.init(
            accessKeyID: String(id), secret: SecretBytes(copying: Array(secret.utf8)),
            sessionToken: values["aws_session_token"].map(String.init))
    }
}

/// Signatures of requests to an object store: AWS Signature Version 4, one chunk, payload signed.
struct S3Signer: Sendable {
    let credentials: S3Credentials
    let region: String

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// The headers that make a request a signed one: `Authorization` and those it covers beside the given ones.
    ///
    /// - Parameters:
    ///   - path: as sent, from the slash behind the host; already encoded.
    ///   - query: as sent, from ``query(_:)``.
    ///   - headers: further headers to cover, lower-case names; `host` among them.
    ///   - second: Unix seconds.
    func headers(
        _ method: String, path: String, query: String = "", headers: [(String, String)], payload: [UInt8], second: Int
    ) -> [(String, String)] {
        let moment = Self.moment(second)
        let digest = SHA256.hash(payload).hex
        var own = [("x-amz-content-sha256", digest), ("x-amz-date", moment)]
        if let token = credentials.sessionToken { own.append(("x-amz-security-token", token)) }
        let covered = (headers + own).sorted { JSONKeyOrder.bytes($0.0, $1.0) }
        let names = covered.map(\.0).joined(separator: ";")
        let request = [
            method, path, query, covered.map { "\($0.0):\($0.1)\n" }.joined(), names, digest,
        ].joined(separator: "\n")
        let day = String(moment.prefix(8))
        let scope = "\(day)/\(region)/s3/aws4_request"
        let text = [Self.algorithm, moment, scope, SHA256.hash(request).hex].joined(separator: "\n")
        let signature = Self.code(signingKey(day), text).withUnsafeBytes { Hex.encode($0) }
        let authorization =
            "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
        return own + [("authorization", authorization)]
    }

    /// A query as it is sent and signed: sorted by name, everything but plain characters escaped.
    static func query(_ parameters: [(String, String)]) -> String {
        parameters.sorted { JSONKeyOrder.bytes($0.0, $1.0) }.map { "\(escaped($0.0))=\(escaped($0.1))" }
            .joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }

    /// Characters that stand in a path or query as they are.
    static func isPlain(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-._~".utf8.contains(byte)
    }

    private func signingKey(_ day: String) -> SecretBytes {
        let start = SecretBytes(copying: Array("AWS4".utf8) + credentials.secret.copyBytes())
        return [day, region, "s3", "aws4_request"].reduce(start) { Self.code($0, $1) }
    }

    private static func code(_ key: SecretBytes, _ text: String) -> SecretBytes {
        var hmac = HMACSHA256(key: key)
        hmac.update(text)
        var bytes = hmac.finalize()
        return SecretBytes(consuming: &bytes)
    }

    /// `20130524T000000Z`.
    private static func moment(_ second: Int) -> String {
        guard let text = UTCText.seconds(second) else { preconditionFailure("a clock outside the calendar") }
        return text.replacing("-", with: "").replacing(":", with: "")
    }
}
