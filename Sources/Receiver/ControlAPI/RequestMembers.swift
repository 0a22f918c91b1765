import CanonicalJSON

/// The members of a request body, by name and kind. A member of another kind makes the body "not the expected object"
/// (control-api.md 5, step 1); null counts as absent.
struct RequestMembers {
    /// Nesting of a request: far more than any has, far less than a stack.
    private static let limits = JSONLimits(depth: 32)

    private let object: JSONObject

    /// No members.
    init() { object = JSONObject() }

    /// The members of a JSON object.
    init(_ body: [UInt8]) throws(ExportRequestError) {
        guard let object = try Self.parse(body).object else { throw .invalidJSON("The body must be a JSON object.") }
        self.object = object
    }

    private init(_ object: JSONObject) { self.object = object }

    /// Any JSON text.
    static func parse(_ body: [UInt8]) throws(ExportRequestError) -> JSONValue {
        do {
            return try JSONParser.parse(body, limits: limits)
        } catch let error as JSONError {
            throw .invalidJSON("The body is not JSON: \(error.code.rawValue) at byte \(error.offset).")
        } catch {
            throw .invalidJSON("The body is not JSON.")
        }
    }

    /// Whether a member is there and not null.
    func has(_ name: String) -> Bool { value(name) != nil }

    private func value(_ name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    private func member<Kind>(
        _ name: String, _ kind: String, _ read: (JSONValue) -> Kind?
    ) throws(ExportRequestError) -> Kind? {
        guard let value = value(name) else { return nil }
        guard let result = read(value) else { throw .invalidJSON("\(name) must be \(kind).") }
        return result
    }

    func string(_ name: String) throws(ExportRequestError) -> String? {
        try member(name, "a string") { $0.string }
    }

    func bool(_ name: String) throws(ExportRequestError) -> Bool? {
        try member(name, "true or false") { $0.bool }
    }

    func number(_ name: String) throws(ExportRequestError) -> JSONNumber? {
        try member(name, "a number") { $0.number }
    }

    func members(_ name: String) throws(ExportRequestError) -> RequestMembers? {
        try member(name, "an object") { $0.object.map { RequestMembers($0) } }
    }

    func strings(_ name: String) throws(ExportRequestError) -> [String]? {
        try member(name, "an array of strings") { value in
            guard let elements = value.array else { return nil }
            let strings = elements.compactMap(\.string)
            return strings.count == elements.count ? strings : nil
        }
    }
}
