import CanonicalJSON
import Cryptography
import DurableStore
import Foundation
import HTTPClient

/// A raw body on its way to the user: an unlinked private file, hashed while it arrives (cli.md 2).
final class DownloadedBody {
    private let file: File
    private var hasher = SHA256()
    private(set) var byteCount = 0
    let head: HTTPTransfer.Head

    /// An empty body for an answer with this head.
    init(head: HTTPTransfer.Head) throws {
        self.head = head
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
        file = try Directory.openRoot(folder).createUnnamedFile()
    }

    /// Takes the next bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        hasher.update(bytes)
        try file.write(bytes, at: UInt64(byteCount))
        byteCount += bytes.count
    }

    /// Reads at an offset.
    func read(_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try file.read(into: buffer, at: UInt64(offset))
    }

    /// What the seven headers say; nil when one is missing or malformed (control-api.md 14).
    struct Claims: Equatable {
        let status: String
        let firstDate: String
        let lastDate: String
        let totalDays: Int
        let sha256: Digest

        init?(_ head: HTTPTransfer.Head) {
            guard head.headers["x-healthmd-raw-schema"] == "healthmd.raw_result/1",
                head.headers["x-healthmd-raw-validated"] == "1",
                let status = head.headers["x-healthmd-export-status"],
                status == "success" || status == "partial_success",
                let first = head.headers["x-healthmd-raw-date-start"], CivilDate(first) != nil,
                let last = head.headers["x-healthmd-raw-date-end"], CivilDate(last) != nil,
                let days = head.headers["x-healthmd-raw-total-days"].flatMap(Int.init), days > 0,
                let digest = head.headers["x-healthmd-body-sha256"].flatMap({ Digest(hex: $0) })
            else { return nil }
            self.status = status
            firstDate = first
            lastDate = last
            totalDays = days
            sha256 = digest
        }
    }

    /// Headers present, digest equal (raw-result.md 8.1, 8.2).
    func verifiedClaims() throws -> Claims {
        guard let claims = Claims(head) else {
            throw CommandFailure(
                "invalid_strict_raw_success", "the answer lacks its validation headers; nothing of it was used",
                status: .integrity)
        }
        guard hasher.finalize() == claims.sha256 else {
            throw CommandFailure(
                "response_digest_mismatch",
                "what arrived is not what was sent; nothing of it was used. Ask again: the "
                    + "result stays available", status: .integrity)
        }
        return claims
    }
}
