import Cryptography
import DurableStore
import Foundation

/// What `verify` reads again: the files of a file job, or the response of a raw job. Run on the caller's thread.
struct VerificationPlan: Sendable {
    let jobID: UUID
    let files: [WrittenFile]
    let binding: DestinationBinding?
    let response: JobResponseSpool?

    func run() -> JobVerification {
        var result = JobVerification(jobID: jobID, files: 0, bytes: 0, differences: [])
        if let response {
            for (place, byteCount, code) in response.verify() {
                result.files += 1
                result.bytes += byteCount
                guard let code else { continue }
                let kind = place == .response ? "response" : "response_copy"
                result.differences.append(.init(kind: kind, name: ResponseCopy.fileName, code: code))
            }
        }
        guard let binding, !files.isEmpty else { return result }
        let root: Directory
        do {
            root = try DestinationRoot.open(binding)
        } catch {
            result.files += files.count
            result.differences += files.map { .init(kind: "file", name: $0.path, code: "unreadable") }
            return result
        }
        for file in files { check(file, in: root, &result) }
        return result
    }

    private func check(_ file: WrittenFile, in root: Directory, _ result: inout JobVerification) {
        func differs(_ code: String) {
            result.differences.append(.init(kind: "file", name: file.path, code: code))
        }
        result.files += 1
        do {
            let opened = try root.file(file.path)
            var hasher = SHA256()
            let count = Int64(try opened.forEachPiece { hasher.update($0) })
            result.bytes += count
            if count != file.byteCount {
                differs("size_mismatch")
            } else if hasher.peek() != file.sha256 {
                differs("digest_mismatch")
            }
        } catch StoreError.notFound {
            differs("missing")
        } catch StoreError.wrongType {
            differs("not_a_regular_file")
        } catch {
            differs("unreadable")
        }
    }
}

extension ReceiverEngine {
    /// Collects what a verification needs; the reading is done on the caller's thread.
    func verificationPlan(_ jobID: UUID) throws(ReceiverControlError) -> VerificationPlan {
        guard let job = book.jobs[jobID] else { throw .jobNotFound }
        guard job.state.isTerminal else { throw .jobNotFinished }
        do {
            var files: [WrittenFile] = []
            try store.forEachOutput(of: jobID) { files.append($0) }
            return VerificationPlan(
                jobID: jobID, files: files, binding: job.destination, response: try responseSpool(of: job))
        } catch {
            log("verification_failed", ("job", .id(jobID)), ("code", .code(of: error)))
            throw .persistenceFailed
        }
    }
}
