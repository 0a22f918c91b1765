import CanonicalJSON
import Foundation

/// What `POST /v1/exports/{id}/verify` found, and what to do about it.
struct Verification {
    /// Files that a failure names.
    static let namedFiles = 100

    private let differences: [JSONValue]
    private let checked: Int

    init(_ document: JSONValue) {
        differences = document["differences"]?.array ?? []
        checked = document["files"]?.number?.int ?? 0
    }

    private func count(_ kind: String) -> Int { differences.count { $0["kind"]?.string == kind } }

    /// The next step for files, or for a stored result, that are not as they were.
    func hint(_ job: UUID, _ origin: JobOrigin) -> JobHint {
        let resume = NextStep("to get the result once more", "healthmd resume \(job.uuidString)")
        if count("response") > 0, count("response_copy") > 0 {
            return again("the stored result is damaged, and so is its copy: ask for it again", origin)
        }
        if count("response") > 0 {
            return JobHint(
                sentence: "the stored result is damaged; its copy is whole, and the result is made from that",
                steps: [resume])
        }
        if count("response_copy") > 0 {
            return JobHint(
                sentence:
                    "the second copy of the stored result is damaged; the result itself is whole. Keep it elsewhere",
                steps: [resume])
        }
        let files = differences.count == 1 ? "1 file differs" : "\(differences.count) files differ"
        return again(
            "\(files) from what was written. Changed on purpose, or by a later export: nothing to do. Else write the days again",
            origin)
    }

    private func again(_ sentence: String, _ origin: JobOrigin) -> JobHint {
        let (command, advice) = origin.again
        return JobHint(
            sentence: sentence + (advice.map { "; \($0)" } ?? ""), steps: [NextStep("the same again", command)])
    }

    /// Files of a finished job that cannot be read where they were written. Files with other content do not count: a later
    /// export, or a person, may have changed them.
    func missing(_ job: UUID, _ origin: JobOrigin) -> CommandFailure? {
        let gone = differences.filter {
            $0["kind"]?.string == "file"
                && ["missing", "unreadable", "not_a_regular_file"].contains($0["code"]?.string)
        }
        guard !gone.isEmpty else { return nil }
        let names = gone.compactMap { $0["name"]?.string }
        let (command, advice) = origin.again
        let isAll = gone.count == checked
        let what =
            isAll
            ? "none of the \(checked) files that it wrote is there any more"
            : "\(gone.count) of the \(checked) files that it wrote \(gone.count == 1 ? "is" : "are") not there any more"
        return CommandFailure(
            "files_missing",
            "the job is done, but \(what): \(names.prefix(3).joined(separator: ", "))"
                + (names.count > 3 ? " and \(names.count - 3) more" : "") + ". Write the days again: \(command)"
                + (advice.map { " (\($0))" } ?? ""),
            status: isAll ? .failure : .partial,
            details: [
                ("job_id", .string(job.uuidString)), ("missing_count", .integer(gone.count)),
                ("missing_files", .array(names.prefix(Self.namedFiles).map(JSONValue.string))),
            ])
    }
}
