import CanonicalJSON
import ConnectedProtocol
import Cryptography
import DurableStore
import Foundation
import HMDCItem

/// Composes the response of a strict raw job on the disk worker: the small response object and, inside it, the raw
/// result, in one pass into both of its copies (control-api.md 14, corpus-protocol.md 14).
struct RawFinalizer: Sendable {
    /// What was installed.
    struct Outcome: Sendable {
        var response: ControlResponse
        var stored: StoredResponse
    }

    let jobID: UUID
    let journal: DestinationJournal
    let folder: SessionFolder
    let jobs: Directory
    let acceptedVersions: Set<Int>
    /// The durable keys as they will be when the job is completed.
    let durable: DurableState?
    let interruption: Interruption

    /// Composes and installs. Throws `RawResultComposer.Refusal` for content that must not be exposed.
    func run() throws -> Outcome {
        let manifest = journal.manifest
        guard let labels = manifest.requestedDateIdentifiers, let first = labels.first, let last = labels.last else {
            preconditionFailure("admission demands identifiers of a strict raw session")
        }
        let response = response(dayCount: labels.count)
        let jobFolder = try jobs.createDirectory(jobID.uuidString)
        var hasher = SHA256()
        var composed: RawResultComposer.Result?
        let installed = try jobFolder.durableReplace(
            ResponseCopy.fileName, observing: { hasher.update($0) },
            write: { writer in
                try writeTerminalCopy { copy in
                    func put(_ bytes: UnsafeRawBufferPointer) throws {
                        try interruption.check()
                        try writer.write(bytes)
                        try copy.write(bytes)
                    }
                    try prefix(of: response).withUnsafeBytes(put)
                    composed = try RawResultComposer.compose(
                        envelope(labels), day: { try day(manifest.requestedDates[$0]) }, write: put)
                    try Array("}".utf8).withUnsafeBytes(put)
                }
            })
        guard let composed, composed.summary.retainedDayCount == response.successCount,
            composed.summary.isPartial == (response.status == .partialSuccess)
        else { throw ReceiverError.itemFileDamaged }
        let description = RawResponseDescription(
            status: response.status, firstDate: first, lastDate: last, totalDays: labels.count,
            byteCount: Int64(installed.byteCount), sha256: hasher.peek().hex)
        return Outcome(
            response: response,
            stored: StoredResponse(
                description: description, documentVersion: composed.documentVersion,
                directory: try jobFolder.identity()))
    }

    /// Both copies are written as the bytes come, so that composing reads the items once. The terminal copy is in place
    /// first: what clients get always has one.
    private func writeTerminalCopy(_ write: (DurableFileWriter) throws -> Void) throws {
        try folder.directory.createDirectory(JobResponseSpool.terminalFolderName)
            .durableReplace(ResponseCopy.fileName, write: write)
    }

    /// The counts are known from the journal before a document is read.
    private func response(dayCount: Int) -> ControlResponse {
        var retained = 0
        var isPartial = false
        for day in journal.days.values {
            guard case .raw(let status, let document) = day.content else { continue }
            if document != nil { retained += 1 }
            isPartial = isPartial || RawFinalizer.partialStatuses.contains(status)
        }
        var response = ControlResponse(
            status: isPartial ? .partialSuccess : .success,
            message: "Fetched canonical raw data for \(retained)/\(dayCount) day(s)"
                + (isPartial ? " with incomplete capture." : "."), jobID: jobID,
            failureReason: isPartial ? "incomplete_raw_capture" : nil)
        response.successCount = retained
        response.totalCount = dayCount
        response.filesWritten = 0
        response.externalRecordCount = 0
        response.durable = durable
        return response
    }

    private static let partialStatuses: Set<String> = Set(
        [StrictRawDay.Status.partial, .failed, .cancelled, .missing].map(\.rawValue))

    /// The small object without its closing brace, then the key of the result.
    private func prefix(of response: ControlResponse) -> [UInt8] {
        var bytes = JSONWriter.encode(.object(response.json), style: .compactSorted)
        bytes.removeLast()
        return bytes + Array(",\"raw_result\":".utf8)
    }

    private func envelope(_ labels: [String]) -> RawResultComposer.Envelope {
        let manifest = journal.manifest
        let isLossless =
            manifest.rawProfile == .canonicalSourceRecords || manifest.canonicalSelection?.detailLevel == .lossless
        return RawResultComposer.Envelope(
            profile: (manifest.rawProfile ?? .canonicalSourceRecords).rawValue,
            selection: manifest.canonicalSelection.map(RawFinalizer.json),
            createdAt: manifest.createdAt.secondsSince2001, sourceDeviceName: manifest.sourceDeviceName,
            labels: labels, expectsArchive: isLossless, acceptedVersions: acceptedVersions)
    }

    private static func json(_ selection: CanonicalSelection) -> JSONValue {
        func list(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        return .object([
            "detail_level": .string(selection.detailLevel.rawValue), "field_pointers": list(selection.fieldPointers),
            "metric_ids": list(selection.metricIDs), "object_paths": list(selection.objectPaths),
            "source_ids": list(selection.sourceIDs),
        ])
    }

    private func day(_ date: ProtocolDate) throws -> RawResultComposer.Day {
        try interruption.check()
        guard let stored = journal.days[date] else { throw ReceiverError.itemFileDamaged }
        let extraction = try RawDayExtraction(
            SessionFolder.source(of: stored, protocolVersion: journal.session.protocolVersion, in: folder.items))
        return RawResultComposer.Day(day: extraction.metadata.day, document: extraction.document)
    }
}
