import CanonicalJSON
import Foundation

/// Dates of the day document (health-data.md 4.3). Nil for an instant that no document can hold.
enum DocumentDate {
    /// Whole seconds.
    static func seconds(_ date: Date) -> JSONValue? {
        RFC3339.seconds(since2001: date.timeIntervalSinceReferenceDate).map { .string($0) }
    }

    /// Nine fraction digits.
    static func nanoseconds(_ date: Date) -> JSONValue? {
        RFC3339.nanoseconds(since2001: date.timeIntervalSinceReferenceDate).map { .string($0) }
    }

    /// The instant of a document text.
    static func date(_ value: JSONValue?) -> Date? {
        value?.string.flatMap { RFC3339.parse($0) }.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

/// Small objects that occur in several sections (health-data.md 3.3), both ways.
enum DocumentMap {
    /// A string map; nil when it is empty.
    static func value(_ map: [String: String]) -> JSONValue? {
        guard !map.isEmpty else { return nil }
        return .object(JSONObject(map.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, .string($0.value)) }))
    }

    /// The string map of an object.
    static func map(_ value: JSONValue?) -> [String: String] {
        var map: [String: String] = [:]
        for member in value?.object?.members ?? [] { map[member.key] = member.value.string }
        return map
    }

    static func sample(_ sample: TimeSample) -> JSONValue {
        var object = JSONObject()
        object.append("timestamp", ifPresent: DocumentDate.seconds(sample.timestamp))
        object.append("value", .double(sample.value))
        object.append("metadata", ifPresent: value(sample.metadata))
        return .object(object)
    }

    static func samples(_ value: JSONValue?) -> [TimeSample] {
        (value?.array ?? []).compactMap { element in
            guard let date = DocumentDate.date(element["timestamp"]), let value = element["value"]?.number else {
                return nil
            }
            return TimeSample(timestamp: date, value: value.double, metadata: map(element["metadata"]))
        }
    }

    /// Appends what a sample says about its origin.
    static func append(
        _ device: SourceDevice?, _ source: SourceRevision?, _ metadata: [String: String], to object: inout JSONObject
    ) {
        object.append("device", ifPresent: device.flatMap(value))
        object.append("sourceRevision", ifPresent: source.map(value))
        object.append("metadata", ifPresent: value(metadata))
    }

    private static let deviceMembers: [(name: String, path: any WritableKeyPath<SourceDevice, String?> & Sendable)] = [
        ("name", \.name), ("manufacturer", \.manufacturer), ("model", \.model),
        ("hardwareVersion", \.hardwareVersion), ("firmwareVersion", \.firmwareVersion),
        ("softwareVersion", \.softwareVersion), ("localIdentifier", \.localIdentifier),
        ("udiDeviceIdentifier", \.udiDeviceIdentifier),
    ]

    static func value(_ device: SourceDevice) -> JSONValue? {
        var object = JSONObject()
        for (name, path) in deviceMembers {
            object.append(name, ifPresent: device[keyPath: path].map { .string($0) })
        }
        return object.isEmpty ? nil : .object(object)
    }

    static func device(_ value: JSONValue?) -> SourceDevice? {
        guard let object = value?.object else { return nil }
        var device = SourceDevice()
        for (name, path) in deviceMembers { device[keyPath: path] = object[name]?.string }
        return device
    }

    static func value(_ source: SourceRevision) -> JSONValue {
        var object = JSONObject()
        object.append("name", .string(source.name))
        object.append("bundleIdentifier", .string(source.bundleIdentifier))
        object.append("version", ifPresent: source.version.map { .string($0) })
        object.append("productType", ifPresent: source.productType.map { .string($0) })
        if let system = source.operatingSystemVersion {
            object.append(
                "operatingSystemVersion",
                [
                    "majorVersion": .integer(system.majorVersion), "minorVersion": .integer(system.minorVersion),
                    "patchVersion": .integer(system.patchVersion),
                ])
        }
        return .object(object)
    }

    static func source(_ value: JSONValue?) -> SourceRevision? {
        guard let value, let name = value["name"]?.string else { return nil }
        var source = SourceRevision(
            name: name, bundleIdentifier: value["bundleIdentifier"]?.string ?? "", version: value["version"]?.string,
            productType: value["productType"]?.string)
        if let system = value["operatingSystemVersion"], let major = system["majorVersion"]?.number?.int {
            source.operatingSystemVersion = .init(
                majorVersion: major, minorVersion: system["minorVersion"]?.number?.int ?? 0,
                patchVersion: system["patchVersion"]?.number?.int ?? 0)
        }
        return source
    }
}
