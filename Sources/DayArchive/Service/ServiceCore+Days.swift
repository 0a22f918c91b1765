import CanonicalJSON
import HTTPService

// Days (day-archive.md 7).
extension ServiceCore {
    func upload(_ bucket: BucketID, _ context: Context) throws -> ServiceDecision {
        let body = context.request.body
        guard !body.isEmpty else { throw ServiceFault(.emptyBody) }
        let days = try checkedDays(body, now: context.now)
        let signed = try SignedHeaders(context.request.headers, signer: .writer, now: context.now)
        let text = SignedText.upload(bucket, days: days.map(\.day), timestamp: signed.timestampText, body: body)
        let record = try context.view.bucket(bucket)
        if let record, record.writer != signed.key.bytes { throw ServiceFault(.otherWriter) }
        try signed.verify(text)
        guard let record else { throw ServiceFault(.notClaimed) }
        let mark = signed.mark(text)
        if let decision = try repeated(mark, context.view) { return decision }
        try requireRoom(for: body.count, in: record, context.view)
        return .upload(
            UploadPlan(bucket: bucket, days: days, bodyByteCount: body.count, now: context.now, mark: mark))
    }

    private func checkedDays(_ body: [UInt8], now: ServiceMoment) throws -> [SealedDay] {
        let days: [SealedDay]
        do {
            days = try DayFrame.decode(body)
        } catch {
            throw ServiceFault(.badFrame)
        }
        guard days.count <= limits.daysPerUpload else { throw ServiceFault(.tooManyDays) }
        guard days.allSatisfy({ $0.bytes.count <= limits.dayByteCount }) else { throw ServiceFault(.dayTooLarge) }
        let first = try ArchiveDay(text: ServiceLimits.firstDay)
        guard let last = ArchiveDay(utcSecond: now.seconds + 86_400), let begin = days.first?.day,
            let end = days.last?.day, begin >= first, end <= last
        else { throw ServiceFault(.dayOutOfRange) }
        return days
    }

    /// Both tallies, which are checked before anything is stored.
    func requireRoom(for byteCount: Int, in record: BucketRecord, _ view: any ArchiveView) throws {
        guard record.byteCount + byteCount <= limits.bucketByteCount else { throw ServiceFault(.bucketFull) }
        guard try view.serviceByteCount() + byteCount <= limits.serviceByteCount else {
            throw ServiceFault(.serviceFull)
        }
    }

    func listDays(_ bucket: BucketID, _ context: Context) throws -> ServiceAnswer {
        try authorizeRead(bucket, context)
        return .json(
            200,
            try dayListing(
                bucket, from: try context.target.day("from"), to: try context.target.day("to"),
                after: try context.target.day("after"), limit: try context.target.limit(ceiling: limits.daysPerPage),
                context.view))
    }

    /// A page of `limit` days after the start, cut at `to`. `next` only when the store has more, the page was not cut and is not
    /// empty.
    func dayListing(
        _ bucket: BucketID, from: ArchiveDay?, to: ArchiveDay?, after: ArchiveDay?, limit: Int, _ view: any ArchiveView
    ) throws -> JSONValue {
        let start: ListingStart = after.map { .after($0) } ?? from.map { .from($0) } ?? .beginning
        // A writer's daily check compares with this: what the store lost must not be in it.
        let found = try view.days(bucket, start, limit: limit + 1, verified: true)
        let page = found.prefix(limit)
        let shown = page.prefix { record in to.map { record.day <= $0 } ?? true }
        let hasNext = found.count > page.count && shown.count == page.count
        return [
            "days": .array(
                shown.map { record in
                    [
                        "day": .string(record.day.description), "bytes": .integer(record.byteCount),
                        "uploaded": .string(UTCText.milliseconds(record.uploaded)),
                    ]
                }),
            "next": hasNext ? shown.last.map { .string($0.day.description) } ?? .null : .null,
        ]
    }

    func sealedDay(_ bucket: BucketID, _ day: ArchiveDay, _ context: Context) throws -> ServiceAnswer {
        try authorizeRead(bucket, context)
        guard let record = try context.view.day(bucket, day),
            let bytes = try context.view.sealedBytes(bucket, [record])[0]
        else { throw ServiceFault(.noDay) }
        return .sealed(
            bytes,
            headers: [(name: "last-modified", value: HTTPDate.text(record.uploaded.floorDivided(by: 1_000)))])
    }

    func range(_ bucket: BucketID, _ context: Context) throws -> ServiceAnswer {
        try authorizeRead(bucket, context)
        let from = try context.target.day("from")
        let to = try context.target.day("to")
        let after = try context.target.day("after")
        guard let from, let to else { throw ServiceFault(.rangeNeedsBoth) }
        guard from <= to else { throw ServiceFault(.rangeBackwards) }
        let start: ListingStart = after.flatMap { $0 >= from ? .after($0) : nil } ?? .from(from)
        let found = try context.view.days(bucket, start, limit: limits.daysPerRange + 1, verified: false)
            .prefix { $0.day <= to }
        var chosen: [DayRecord] = []
        var byteCount = 0
        for record in found {
            let isFirst = chosen.isEmpty
            guard isFirst || chosen.count < limits.daysPerRange,
                isFirst || byteCount + record.byteCount <= limits.sealedBytesPerRange
            else { break }
            byteCount += record.byteCount
            chosen.append(record)
        }
        let sealed = zip(chosen, try context.view.sealedBytes(bucket, chosen)).compactMap { record, bytes in
            bytes.map { SealedDay(day: record.day, bytes: $0) }
        }
        var answer = ServiceAnswer.sealed(DayFrame.encode(sealed))
        if chosen.count < found.count, let last = chosen.last {
            answer.headers.append((name: "x-efferent-next", value: last.day.description))
        }
        return answer
    }

    func statistics(_ bucket: BucketID, _ view: any ArchiveView) throws -> JSONValue {
        let numbers = try view.statistics(bucket)
        let isClaimed = try view.bucket(bucket) != nil
        func text(_ day: ArchiveDay?) -> JSONValue { day.map { .string($0.description) } ?? .null }
        return [
            "exists": .bool(isClaimed || numbers.dayCount > 0), "days": .integer(numbers.dayCount),
            "bytes": .integer(numbers.byteCount), "firstDay": text(numbers.firstDay),
            "lastDay": text(numbers.lastDay), "complete": true,
        ]
    }
}
