import CanonicalJSON
import Cryptography

/// One item of an edit, of the right shape (day-archive.md 9.1). Whether metric, unit and range fit is judged apart.
public enum EditItem: Equatable, Sendable {
    /// Adds an entry, or replaces the one written earlier under this id.
    case put(id: String, metric: String, start: Int, end: Int, content: Content)
    /// Removes the entry written under this id.
    case delete(id: String)

    /// What a put writes.
    public enum Content: Equatable, Sendable {
        /// A number with its unit.
        case quantity(Double, unit: String)
        /// A stage of sleep.
        case stage(String)
    }

    /// The longest id, in characters of its alphabet (day-archive.md 9.1).
    static let maximumIDCount = 120

    /// The editor's own handle.
    public var id: String {
        switch self {
        case .put(let id, _, _, _, _), .delete(let id): id
        }
    }

    static func isID(_ text: String) -> Bool {
        (1...maximumIDCount).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "._:-".utf8.contains(byte)
            }
    }

    /// Reads the shape of an item.
    ///
    /// - Throws: `malformed_edit` with the field.
    init(_ value: JSONValue, index: Int) throws(WireError) {
        func fault(_ field: String) -> WireError { .malformedEdit(item: index, field: field) }
        guard let object = value.object else { throw fault("object") }
        guard let operation = object["op"]?.string, ["put", "delete"].contains(operation) else { throw fault("op") }
        guard let id = object["id"]?.string, Self.isID(id) else { throw fault("id") }
        let isPut = operation == "put"
        let known = isPut ? ["op", "id", "metric", "start", "end", "value", "unit", "stage"] : ["op", "id"]
        guard object.keys.allSatisfy(known.contains) else { throw fault("field") }
        guard isPut else {
            self = .delete(id: id)
            return
        }
        guard let metric = object["metric"]?.string, !metric.isEmpty else { throw fault("metric") }
        guard let start = object["start"]?.number?.int, start >= 0 else { throw fault("start") }
        guard let end = object["end"]?.number?.int, end >= 0 else { throw fault("end") }
        let content = try Self.content(of: object, metric: metric, fault)
        self = .put(id: id, metric: metric, start: start, end: end, content: content)
    }

    private static func content(
        of object: JSONObject, metric: String, _ fault: (String) -> WireError
    ) throws(WireError) -> Content {
        let hasQuantity = object["value"] != nil || object["unit"] != nil
        guard let stageValue = object["stage"] else {
            guard let number = object["value"]?.number else { throw fault("value") }
            guard let unit = object["unit"]?.string else { throw fault("unit") }
            return .quantity(number.double, unit: unit)
        }
        // Both at once: the field that does not belong to the metric is the one to name.
        guard !hasQuantity else { throw fault(metric == WritableMetric.sleepName ? "value" : "stage") }
        guard let stage = stageValue.string else { throw fault("stage") }
        return .stage(stage)
    }

    /// The object form, keys in the published order.
    var object: JSONObject {
        switch self {
        case .delete(let id): return ["op": "delete", "id": .string(id)]
        case .put(let id, let metric, let start, let end, let content):
            var object: JSONObject = [
                "op": "put", "id": .string(id), "metric": .string(metric), "start": .integer(start),
                "end": .integer(end),
            ]
            switch content {
            case .quantity(let value, let unit):
                object.append("value", .double(value))
                object.append("unit", .string(unit))
            case .stage(let stage): object.append("stage", .string(stage))
            }
            return object
        }
    }
}

/// The metrics that an edit may write (day-archive.md 9.1).
public enum WritableMetric {
    /// The one that is written in stages.
    static let sleepName = "sleep"
    /// The stages of sleep.
    public static let stages = ["inBed", "awake", "asleepUnspecified", "asleepCore", "asleepDeep", "asleepREM"]
    /// The quantities with their units.
    public static let units: [(metric: String, unit: String)] = [
        ("dietaryEnergy", "kcal"), ("dietaryProtein", "g"), ("dietaryCarbohydrates", "g"), ("dietaryFat", "g"),
        ("dietaryWater", "mL"), ("bodyMass", "kg"),
    ]

    /// The unit of a quantity; nil for sleep and for what cannot be written.
    public static func unit(of metric: String) -> String? { units.first { $0.metric == metric }?.unit }

    /// Whether a metric can be written at all.
    public static func isWritable(_ metric: String) -> Bool { metric == sleepName || unit(of: metric) != nil }
}

/// What one edit carries: 1 to 500 items (day-archive.md 9.1).
public struct EditPlaintext: Equatable, Sendable {
    /// The most items of an edit (day-archive.md 6.1).
    public static let maximumItemCount = 500
    private static let style = JSONStyle(isPretty: false, order: .given, escapesSolidus: false, numbers: .ecmaScript)

    /// The items, in order.
    public let items: [EditItem]

    /// What an editor wants to send: a list of items, each checked in full before anything is sealed.
    ///
    /// - Throws: `malformed_edit` with item and field.
    public init(checking value: JSONValue) throws(WireError) {
        try self.init(list: value)
        for (index, item) in items.enumerated() {
            if let field = item.misfit { throw .malformedEdit(item: index, field: field) }
        }
    }

    /// Reads what an envelope held: shape only, so that one bad item does not take the others with it.
    ///
    /// - Throws: `malformed_edit`.
    public init(bytes: [UInt8]) throws(WireError) {
        // Where in the text the fault lies is of no use to anyone who cannot see the text.
        guard let object = try? JSONParser.parse(bytes, limits: JSONLimits(depth: 4)).object else {
            throw .malformedEdit(item: nil, field: "text")
        }
        guard object.count == 2, object["v"]?.number?.int == 1, let items = object["items"] else {
            throw .malformedEdit(item: nil, field: "v or items")
        }
        try self.init(list: items)
    }

    private init(list: JSONValue) throws(WireError) {
        guard let values = list.array, (1...Self.maximumItemCount).contains(values.count) else {
            throw .malformedEdit(item: nil, field: "items")
        }
        var items: [EditItem] = []
        for (index, value) in values.enumerated() { items.append(try EditItem(value, index: index)) }
        self.items = items
    }

    /// The bytes to deflate and seal.
    public var bytes: [UInt8] {
        JSONWriter.encode(["v": 1, "items": .array(items.map { .object($0.object) })], style: Self.style)
    }

    /// Deflated and sealed for the archive.
    public func sealed(
        to key: X25519.PublicKey, ephemeral: X25519.PrivateKey = X25519.PrivateKey()
    ) throws(WireError) -> [UInt8] {
        try SealedEnvelope.seal(
            RawDeflate.compress(bytes), to: key, for: .edit(BucketID(readingKey: key)), ephemeral: ephemeral)
    }
}

extension EditItem {
    /// The field that keeps an editor from sending this item; nil when it may go.
    fileprivate var misfit: String? {
        guard case .put(_, let metric, let start, let end, let content) = self else { return nil }
        guard WritableMetric.isWritable(metric) else { return "metric" }
        guard end >= start else { return "range" }
        switch content {
        case .quantity(let value, let unit):
            guard metric != WritableMetric.sleepName else { return "value" }
            guard value.isFinite, value >= 0 else { return "value" }
            return unit == WritableMetric.unit(of: metric) ? nil : "unit"
        case .stage(let stage):
            return metric == WritableMetric.sleepName && WritableMetric.stages.contains(stage) ? nil : "stage"
        }
    }
}
