import CanonicalJSON

/// Reads members of a settings object with their key in every error.
struct SettingReader {
    let object: JSONObject
    private let prefix: String

    init(_ value: JSONValue, path: String) throws {
        guard let object = value.object else {
            throw HealthDataError.invalidSetting(
                key: path.isEmpty ? "settingsSnapshot" : path, reason: "must be an object")
        }
        self.object = object
        prefix = path.isEmpty ? "" : path + "."
    }

    private func member(_ key: String) -> JSONValue? {
        let value = object[key]
        return value?.isNull == true ? nil : value
    }

    func object(_ key: String) throws -> SettingReader? {
        guard let value = member(key) else { return nil }
        return try SettingReader(value, path: prefix + key)
    }

    func bool(_ key: String) throws -> Bool? {
        guard let value = member(key) else { return nil }
        guard let flag = value.bool else {
            throw HealthDataError.invalidSetting(key: prefix + key, reason: "must be true or false")
        }
        return flag
    }

    func string(_ key: String) throws -> String? {
        guard let value = member(key) else { return nil }
        guard let text = value.string else {
            throw HealthDataError.invalidSetting(key: prefix + key, reason: "must be a string")
        }
        return text
    }

    func integer(_ key: String) throws -> Int? {
        guard let value = member(key) else { return nil }
        guard let number = value.number?.int else {
            throw HealthDataError.invalidSetting(key: prefix + key, reason: "must be an integer")
        }
        return number
    }

    func strings(_ key: String) throws -> [String]? {
        guard let value = member(key) else { return nil }
        guard let elements = value.array else {
            throw HealthDataError.invalidSetting(key: prefix + key, reason: "must be an array")
        }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else {
            throw HealthDataError.invalidSetting(key: prefix + key, reason: "must be an array of strings")
        }
        return texts
    }

    func elements(_ key: String) throws -> [JSONValue]? {
        guard let value = member(key) else { return nil }
        guard let elements = value.array else {
            throw HealthDataError.invalidSetting(key: prefix + key, reason: "must be an array")
        }
        return elements
    }

    /// A path or path template; empty is allowed, a path that leaves its root is not.
    func path(_ key: String) throws -> String? {
        guard let text = try string(key) else { return nil }
        if !text.isEmpty, let fault = RelativePath.fault(in: text) {
            throw HealthDataError.invalidSetting(key: prefix + key, reason: fault)
        }
        return text
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws -> Choice? where Choice.RawValue == String {
        guard let text = try string(key) else { return nil }
        guard let value = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw HealthDataError.invalidSetting(key: prefix + key, reason: "must be one of \(names)")
        }
        return value
    }
}
