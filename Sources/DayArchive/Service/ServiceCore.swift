import CanonicalJSON
import Cryptography
import HTTPService

/// The service's rules as a value: a request and a view of what is stored go in, an answer and durable effects come out
/// (day-archive.md 6 to 13). Clock and randomness are handed in.
struct ServiceCore: Sendable {
    var limits = ServiceLimits()
    var claims: ClaimPolicy
    /// Empty, or a path without a slash at its end.
    var basePath = ""
    /// What the remote tools call this service; nil: what the request says.
    var publicURL: ServiceEndpoint?

    /// A request that is being decided.
    struct Context {
        let request: ServiceRequest
        let target: RequestTarget
        let now: ServiceMoment
        let view: any ArchiveView
    }

    /// Decides about a complete request. `random` gives that many bytes.
    func decide(
        _ request: ServiceRequest, at now: ServiceMoment, view: any ArchiveView, random: (Int) -> [UInt8]
    ) throws -> ServiceDecision {
        let target = RequestTarget(request.target, basePath: basePath)
        do {
            let route = try ServiceRoute.parse(method: request.method, target)
            let limit = route.bodyLimit(limits)
            // Empty comes before too large, which an oversize body is not.
            guard request.body.count <= limit.byteCount else { throw ServiceFault(limit.refusal) }
            let context = Context(request: request, target: target, now: now, view: view)
            return try decide(route, context, random: random)
        } catch let fault as ServiceFault {
            return .answer(fault.answer)
        }
    }

    private func decide(
        _ route: ServiceRoute, _ context: Context, random: (Int) -> [UInt8]
    ) throws -> ServiceDecision {
        switch route {
        case .health: .answer(.json(200, ["ok": true]))
        case .claim(let bucket): try claim(bucket, context)
        case .upload(let bucket): try upload(bucket, context)
        case .listDays(let bucket): .answer(try listDays(bucket, context))
        case .day(let bucket, let day): .answer(try sealedDay(bucket, day, context))
        case .range(let bucket): .answer(try range(bucket, context))
        case .stats(let bucket): .answer(.json(200, try statistics(bucket, context.view)))
        case .register(let what, let bucket): try register(what, bucket, context)
        case .submitEdit(let bucket): try submitEdit(bucket, context, random: random)
        case .listEdits(let bucket): .answer(try listEdits(bucket, context))
        case .fetchEdit(let bucket, let name): .answer(try fetchEdit(bucket, name, context))
        case .reportOutcome(let bucket, let name): try reportOutcome(bucket, name, context)
        case .outcome(let bucket, let name): .answer(try outcome(bucket, name, context))
        case .remoteTools(let bucket): .answer(try answerRemoteTools(bucket, context))
        }
    }

    // MARK: Who

    /// The bucket of a request that only its writer may make; claimed and owner come before the signature.
    func requireOwner(
        _ bucket: BucketID, _ signed: SignedHeaders, _ text: [UInt8], _ view: any ArchiveView
    ) throws -> BucketRecord {
        guard let record = try view.bucket(bucket) else { throw ServiceFault(.claimFirst) }
        guard record.writer == signed.key.bytes else { throw ServiceFault(.otherWriter) }
        try signed.verify(text)
        return record
    }

    /// Lets a read pass: always before a read key is registered, then only signed with it (day-archive.md 8).
    func authorizeRead(_ bucket: BucketID, _ context: Context) throws {
        guard let reader = try context.view.bucket(bucket)?.reader else { return }
        let signed = try SignedHeaders(context.request.headers, signer: .reader, now: context.now)
        guard signed.key.bytes == reader else { throw ServiceFault(.otherReader) }
        try signed.verify(
            SignedText.read(bucket, target: signedTarget(context.request.target), timestamp: signed.timestampText))
    }

    /// An empty query leaves no `?` (day-archive.md 4).
    private func signedTarget(_ target: String) -> String {
        target.last == "?" && target.count(where: { $0 == "?" }) == 1 ? String(target.dropLast()) : target
    }

    /// The stored answer of an exact repeat, which changes nothing (extensions.md 10.5).
    func repeated(_ mark: RequestMark, _ view: any ArchiveView) throws -> ServiceDecision? {
        try view.rememberedAnswer(mark).map { .answer(.json($0.status, bytes: $0.body)) }
    }

    // MARK: Claims and registrations

    private func claim(_ bucket: BucketID, _ context: Context) throws -> ServiceDecision {
        guard context.request.body.isEmpty else { throw ServiceFault(.bodyNotEmpty) }
        let signed = try SignedHeaders(context.request.headers, signer: .writer, now: context.now)
        let text = SignedText.claim(bucket, timestamp: signed.timestampText)
        let record = try context.view.bucket(bucket)
        if let record, record.writer != signed.key.bytes { throw ServiceFault(.otherWriter) }
        try signed.verify(text)
        let mark = signed.mark(text)
        if let decision = try repeated(mark, context.view) { return decision }
        let isNew = record == nil
        guard !isNew || claims.allows(context.request) else { throw ServiceFault(.claimRefused) }
        let answer = ServiceAnswer.json(
            isNew ? 201 : 200, ["bucket": .string(bucket.text), "created": .bool(isNew)])
        return .change(isNew ? .claim(bucket, writer: signed.key.bytes) : .none, mark, answer)
    }

    private func register(
        _ what: RegisteredKey, _ bucket: BucketID, _ context: Context
    ) throws -> ServiceDecision {
        let body = context.request.body
        guard body.count == Ed25519.publicKeyByteCount else { throw ServiceFault(.badKeyBody) }
        guard !Ed25519.isSmallOrder(body) else { throw ServiceFault(.weakKey) }
        let signed = try SignedHeaders(context.request.headers, signer: .writer, now: context.now)
        let text = SignedText.register(what.signedAs, bucket, timestamp: signed.timestampText, body: body)
        let record = try requireOwner(bucket, signed, text, context.view)
        let mark = signed.mark(text)
        if let decision = try repeated(mark, context.view) { return decision }
        let isNew = (what == .editor ? record.editor : record.reader) != body
        let answer = ServiceAnswer.json(
            isNew ? 201 : 200, ["bucket": .string(bucket.text), "registered": .bool(isNew)])
        return .change(isNew ? .register(what, bucket, key: body) : .none, mark, answer)
    }
}
