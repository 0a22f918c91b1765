import CanonicalJSON

/// The closed set of words that say why an item failed (day-archive.md 9.3).
public enum EditFailureCode: String, CaseIterable, Sendable {
    /// The metric cannot be written.
    case unknownMetric
    /// Unit or stage is not the metric's.
    case badUnit
    /// Range or value is impossible.
    case badRange
    /// Writing that type is not permitted at the writer's side.
    case unauthorized
    /// A delete of an id never written.
    case notFound
    /// The store itself said no.
    case healthRefused
    /// The whole edit: not signed by the registered editor.
    case badSignature
    /// The whole edit: it does not open.
    case cannotOpen
    /// The whole edit: not of the right shape.
    case malformed
    /// History: read, never produced.
    case awaitingApproval
    /// History: read, never produced.
    case declined
    /// The whole edit: answered before, nothing written.
    case replayed
}

/// What became of an edit: how many items landed, and a word for each that did not (day-archive.md 9.2).
public struct EditOutcome: Equatable, Sendable {
    /// One item that failed.
    public struct Failure: Equatable, Sendable {
        /// Its index in the edit.
        public let item: Int
        /// Why.
        public let code: EditFailureCode

        /// A failed item.
        public init(item: Int, code: EditFailureCode) {
            self.item = item
            self.code = code
        }
    }

    /// The largest number that an outcome may hold: what every JSON reader keeps exactly (extensions.md 10.7).
    private static let maximumNumber = 1 << 53 - 1

    /// Items that landed.
    public let applied: Int
    /// Items that did not.
    public let failed: [Failure]

    /// An outcome.
    public init(applied: Int, failed: [Failure]) {
        self.applied = applied
        self.failed = failed
    }

    /// The outcome of an edit that failed as a whole.
    public static func whole(_ code: EditFailureCode) -> EditOutcome {
        EditOutcome(applied: 0, failed: [Failure(item: 0, code: code)])
    }

    /// Reads a body: exactly `applied` and `failed`, whole numbers, known words.
    ///
    /// - Throws: `malformed_outcome`.
    public init(body: [UInt8]) throws(WireError) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(body, limits: JSONLimits(depth: 4))
        } catch {
            throw .malformedOutcome(what: "it is not JSON")
        }
        try self.init(value)
    }

    init(_ value: JSONValue) throws(WireError) {
        guard let object = value.object, object.count == 2, let applied = Self.count(object["applied"]),
            let list = object["failed"]?.array
        else { throw .malformedOutcome(what: "applied and failed are wanted, and nothing else") }
        var failed: [Failure] = []
        for value in list {
            guard let object = value.object, object.count == 2, let item = Self.count(object["item"]),
                let code = object["code"]?.string.flatMap(EditFailureCode.init)
            else { throw .malformedOutcome(what: "each failure is an item and a known code") }
            failed.append(Failure(item: item, code: code))
        }
        self.init(applied: applied, failed: failed)
    }

    /// A JSON integer without fraction or exponent, 0 to 2⁵³ − 1.
    private static func count(_ value: JSONValue?) -> Int? {
        guard let number = value?.number, number.token?.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) ?? true,
            let count = number.int, (0...maximumNumber).contains(count)
        else { return nil }
        return count
    }

    /// The object form with sorted keys.
    var object: JSONObject {
        [
            "applied": .integer(applied),
            "failed": .array(failed.map { ["code": .string($0.code.rawValue), "item": .integer($0.item)] }),
        ]
    }

    /// The body of a report.
    public var body: [UInt8] { JSONWriter.encode(.object(object), style: .compact) }

    /// `applied`, `partial` or `failed`.
    public var status: String { Self.status(applied: applied, failed: failed.count) }

    static func status(applied: Int, failed: Int) -> String {
        if failed == 0 { return "applied" }
        return applied == 0 ? "failed" : "partial"
    }
}
