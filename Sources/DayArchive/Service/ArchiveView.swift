import Cryptography

/// What the service keeps of a claimed bucket (day-archive.md 14).
struct BucketRecord: Equatable, Sendable {
    /// Public keys, 32 bytes each.
    var writer: [UInt8]
    var editor: [UInt8]?
    var reader: [UInt8]?
    /// Bytes ever handed over.
    var byteCount: Int
}

/// What the index knows of a day.
struct DayRecord: Equatable, Sendable {
    let day: ArchiveDay
    let byteCount: Int
    /// Unix milliseconds; grows with every rewrite.
    let uploaded: Int
    let blob: BlobName
}

/// The numbers of a bucket.
struct BucketStatistics: Equatable, Sendable {
    var dayCount = 0
    var byteCount = 0
    var firstDay: ArchiveDay?
    var lastDay: ArchiveDay?
}

/// An edit that waits, with the headers it came with.
struct WaitingEdit: Equatable, Sendable {
    let name: EditName
    let bytes: [UInt8]
    /// Unix milliseconds.
    let takenAt: Int
    let editorText: String
    let signatureText: String
    let timestampText: String
}

/// A line of the edits listing.
struct EditListing: Equatable, Sendable {
    let name: EditName
    let byteCount: Int
    let takenAt: Int
    /// Counts, once it is answered.
    let outcome: (applied: Int, failed: Int)?

    static func == (left: EditListing, right: EditListing) -> Bool {
        left.name == right.name && left.byteCount == right.byteCount && left.takenAt == right.takenAt
            && left.outcome?.applied == right.outcome?.applied && left.outcome?.failed == right.outcome?.failed
    }
}

/// An answered edit.
struct StoredOutcome: Equatable, Sendable {
    let outcome: EditOutcome
    let byteCount: Int
    let takenAt: Int
}

/// An answer that is given again to an exact repeat.
struct StoredAnswer: Equatable, Sendable {
    let status: Int
    let body: [UInt8]
}

/// Where a listing begins.
enum ListingStart: Equatable, Sendable {
    case beginning
    /// This day included.
    case from(ArchiveDay)
    /// This day excluded.
    case after(ArchiveDay)
}

/// What the service's decisions look at.
protocol ArchiveView {
    /// The bucket, when it is claimed.
    func bucket(_ id: BucketID) throws -> BucketRecord?
    /// Bytes ever handed over to the service.
    func serviceByteCount() throws -> Int
    func statistics(_ id: BucketID) throws -> BucketStatistics
    /// At most `limit` days, ascending. `verified`: the store is asked whether it still has each of them; only those are given.
    func days(_ id: BucketID, _ start: ListingStart, limit: Int, verified: Bool) throws -> [DayRecord]
    func day(_ id: BucketID, _ day: ArchiveDay) throws -> DayRecord?
    /// The sealed bytes of days that this view listed, in the same order; nil where the store has lost them.
    func sealedBytes(_ id: BucketID, _ records: [DayRecord]) throws -> [[UInt8]?]
    func waitingEditCount(_ id: BucketID) throws -> Int
    /// The largest name ever given in the bucket and still known.
    func newestEditName(_ id: BucketID) throws -> EditName?
    /// At most `limit` edits, ascending by name.
    func edits(_ id: BucketID, after: EditName?, includingAnswered: Bool, limit: Int) throws -> [EditListing]
    func waitingEdit(_ id: BucketID, _ name: EditName) throws -> WaitingEdit?
    func outcome(_ id: BucketID, _ name: EditName) throws -> StoredOutcome?
    /// The answer that a request with this mark was given before.
    func rememberedAnswer(_ mark: RequestMark) throws -> StoredAnswer?
}

/// A durable effect of a request.
enum ArchiveChange: Equatable, Sendable {
    case claim(BucketID, writer: [UInt8])
    case register(RegisteredKey, BucketID, key: [UInt8])
    /// Also adds the body to both tallies.
    case takeEdit(BucketID, WaitingEdit)
    /// Also deletes the edit.
    case answerEdit(BucketID, EditName, StoredOutcome)
    /// Nothing but the memory of the request.
    case none
}

/// Days of one request, to be stored.
struct UploadPlan: Equatable, Sendable {
    let bucket: BucketID
    let days: [SealedDay]
    /// The whole body, which counts in the tallies as soon as one day is stored (extensions.md 10.8).
    let bodyByteCount: Int
    let now: ServiceMoment
    let mark: RequestMark

    /// The answer, once it is known which days landed.
    func answer(stored: [ArchiveDay]) -> ServiceAnswer {
        guard !stored.isEmpty else { return ServiceFault(.storeFailed).answer }
        return .json(
            200, ["stored": .array(stored.map { .string($0.description) }), "bytes": .integer(bodyByteCount)])
    }
}

/// What is to be done about a request.
enum ServiceDecision {
    /// Answer; nothing changes.
    case answer(ServiceAnswer)
    /// Change and remember in one transaction, then answer.
    case change(ArchiveChange, RequestMark, ServiceAnswer)
    /// Store days, then answer by what landed.
    case upload(UploadPlan)
}

/// A place that keeps what the service is given.
protocol ArchiveStorage: ArchiveView, Sendable {
    /// Applies a change and remembers the answer, all or nothing, durably.
    func apply(_ change: ArchiveChange, remembering mark: RequestMark, _ answer: ServiceAnswer, at now: ServiceMoment)
        throws
    /// Stores days durably and remembers the answer; returns it. Days that cannot be stored are left out.
    func store(_ plan: UploadPlan) throws -> ServiceAnswer
}
