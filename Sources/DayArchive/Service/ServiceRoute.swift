/// What a request asks for: method and path, both checked (day-archive.md 6 to 9).
enum ServiceRoute: Equatable, Sendable {
    case health
    case claim(BucketID)
    case upload(BucketID)
    case listDays(BucketID)
    case day(BucketID, ArchiveDay)
    case range(BucketID)
    case stats(BucketID)
    case register(RegisteredKey, BucketID)
    case submitEdit(BucketID)
    case listEdits(BucketID)
    case fetchEdit(BucketID, EditName)
    case reportOutcome(BucketID, EditName)
    case outcome(BucketID, EditName)
    case remoteTools(BucketID)

    /// Reads a route. Order: outside 404, bucket id 400, route and method 405, names 400 (extensions.md 10.4).
    static func parse(method: String, _ target: RequestTarget) throws(ServiceFault) -> ServiceRoute {
        guard let segments = target.segments, let first = segments.first else { throw ServiceFault(.unknownPath) }
        switch (first, segments.count) {
        case ("health", 1):
            guard method == "GET" else { throw ServiceFault(.notAllowed) }
            return .health
        case ("b", 2...):
            return try bucketRoute(method, try bucket(segments[1]), segments[2...])
        case ("mcp", 3...) where segments[1] == "b":
            let bucket = try bucket(segments[2])
            guard segments.count == 3, method == "POST" else { throw ServiceFault(.notAllowed) }
            return .remoteTools(bucket)
        default: throw ServiceFault(.unknownPath)
        }
    }

    private static func bucketRoute(
        _ method: String, _ bucket: BucketID, _ rest: ArraySlice<Substring>
    ) throws(ServiceFault) -> ServiceRoute {
        let parts = Array(rest)
        switch (method, parts.first, parts.count) {
        case ("PUT", nil, 0): return .claim(bucket)
        case ("PUT", "days", 1): return .upload(bucket)
        case ("GET", "days", 1): return .listDays(bucket)
        case ("GET", "d", 1): return .range(bucket)
        case ("GET", "d", 2): return .day(bucket, try day(parts[1]))
        case ("GET", "stats", 1): return .stats(bucket)
        case ("PUT", "editor", 1): return .register(.editor, bucket)
        case ("PUT", "reader", 1): return .register(.reader, bucket)
        case ("POST", "edits", 1): return .submitEdit(bucket)
        case ("GET", "edits", 1): return .listEdits(bucket)
        case ("GET", "e", 2): return .fetchEdit(bucket, try name(parts[1]))
        case ("PUT", "e", 3) where parts[2] == "outcome": return .reportOutcome(bucket, try name(parts[1]))
        case ("GET", "o", 2): return .outcome(bucket, try name(parts[1]))
        default: throw ServiceFault(.notAllowed)
        }
    }

    private static func bucket(_ text: Substring) throws(ServiceFault) -> BucketID {
        do {
            return try BucketID(text: text)
        } catch {
            throw ServiceFault(.badBucketID)
        }
    }

    private static func day(_ text: Substring) throws(ServiceFault) -> ArchiveDay {
        do {
            return try ArchiveDay(text: text)
        } catch {
            throw ServiceFault(.badDay)
        }
    }

    private static func name(_ text: Substring) throws(ServiceFault) -> EditName {
        do {
            return try EditName(text: text)
        } catch {
            throw ServiceFault(.badName)
        }
    }

    /// The bucket; nil for `/health`.
    var bucket: BucketID? {
        switch self {
        case .health: nil
        case .claim(let bucket), .upload(let bucket), .listDays(let bucket), .day(let bucket, _), .range(let bucket),
            .stats(let bucket), .register(_, let bucket), .submitEdit(let bucket), .listEdits(let bucket),
            .fetchEdit(let bucket, _), .reportOutcome(let bucket, _), .outcome(let bucket, _),
            .remoteTools(let bucket):
            bucket
        }
    }

    /// The largest body, and the refusal of a larger one (day-archive.md 6.1, extensions.md 10.9).
    func bodyLimit(_ limits: ServiceLimits) -> (byteCount: Int, refusal: ServiceRefusal) {
        switch self {
        case .upload: (limits.uploadByteCount, .requestTooLarge)
        case .submitEdit: (limits.editByteCount, .editTooLarge)
        case .reportOutcome: (limits.outcomeByteCount, .outcomeTooLarge)
        case .claim: (ServiceLimits.otherBodyByteCount, .bodyNotEmpty)
        case .register: (ServiceLimits.otherBodyByteCount, .badKeyBody)
        case .health, .listDays, .day, .range, .stats, .listEdits, .fetchEdit, .outcome, .remoteTools:
            (ServiceLimits.otherBodyByteCount, .requestTooLarge)
        }
    }
}

/// A key that the writer registers by its public half.
enum RegisteredKey: String, Sendable {
    case editor
    case reader

    var signedAs: SignedText.Registration { self == .editor ? .editor : .reader }
}
