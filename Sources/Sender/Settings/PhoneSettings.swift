import CanonicalJSON
import ConnectedProtocol
import Foundation
import HealthData
import HealthRecords

/// The saved settings of the phone (extensions.md 4, export-formats.md 1): the defaults, and what differs from them.
///
/// A setting is named by its place in the snapshot that travels with a job, with dots between the levels:
/// `dailyNoteInjection.enabled`. `documentVersion` alone is local and never travels.
public struct PhoneSettings: Sendable {
    /// The key of the local setting.
    public static let documentVersionKey = "documentVersion"

    /// What differs from the defaults, each as JSON text.
    public private(set) var stored: [String: String]
    private var tree: JSONValue

    /// The settings with what a store holds. Throws `invalid_setting` when that is not usable.
    public init(stored: [String: String]) throws {
        self.stored = stored
        tree = try PhoneSettings.defaults()
        for (key, text) in stored where key != PhoneSettings.documentVersionKey {
            let value: JSONValue
            do {
                value = try JSONParser.parse(Array(text.utf8))
            } catch {
                throw SenderError.setting(key: key, "the stored value is no JSON")
            }
            guard PhoneSettings.put(value, at: key.split(separator: ".").map(String.init)[...], in: &tree) else {
                throw SenderError.setting(key: key, "there is no such setting")
            }
        }
    }

    /// The settings of a fresh installation.
    private static func defaults() throws -> JSONValue {
        var content = SettingsContent()
        content.metricSelection = .all
        return try JSONParser.parse(SettingsSnapshot(content).text)
    }

    /// The version of the day documents: 8 unless set to 10.
    public var documentVersion: Int {
        stored[PhoneSettings.documentVersionKey].flatMap(Int.init) ?? DocumentVersion.v8.rawValue
    }

    /// The settings as they are, for a push and for people.
    public func snapshot() throws -> SettingsSnapshot {
        SettingsSnapshot(try content())
    }

    /// The settings that apply to a request (corpus-protocol.md 4.1): as they are, or without roll-ups and summary-only; and with the
    /// request's own selection, where it has one.
    public func snapshot(for request: ExportRequest, zone: CalendarZone) throws -> SettingsSnapshot {
        var content = try content()
        content.calendarTimeZoneIdentifier = zone.identifier
        if request.settingsPolicy == .requestedDatesOnly {
            content.generateRangeSummary = false
            content.generateWeeklyRollups = false
            content.generateMonthlyRollups = false
            content.generateYearlyRollups = false
            content.summaryOnlyExport = false
        }
        if let selection = request.canonicalSelection {
            content.metricSelection = ConnectedProtocol.MetricSelection(metricIDs: selection.metricIDs)
            content.setDetail(isLossless: selection.detailLevel == .lossless)
        }
        if request.rawProfile == .canonicalSourceRecords {
            content.metricSelection = .all
            content.setDetail(isLossless: true)
        }
        return SettingsSnapshot(content)
    }

    private func content() throws -> SettingsContent {
        try SettingsSnapshot(text: JSONWriter.encode(tree, style: .compactSorted)).content
    }

    // MARK: Showing and setting

    /// Every setting with its value as JSON text, by key.
    public var all: [(key: String, value: String)] {
        var list: [(key: String, value: String)] = []
        PhoneSettings.collect(tree, path: "", into: &list)
        for (key, standard) in PhoneSettings.omittedDefaults where tree[key] == nil {
            list.append((key, String(standard)))
        }
        list.append((PhoneSettings.documentVersionKey, String(documentVersion)))
        return list.sorted { $0.key < $1.key }
    }

    /// Sets one value from a person's text.
    public mutating func set(_ key: String, to text: String) throws { try set([(key, text)]) }

    /// Sets several values from a person's texts, all of them or none. What they are together is checked too: templates that
    /// give every day the same name are refused here, not when days arrive.
    public mutating func set(_ changes: [(key: String, value: String)]) throws {
        var next = stored
        for (key, text) in changes { next[key] = try storedText(of: text, key: key) }
        let settings = try PhoneSettings(stored: next)
        do {
            let output = try ExportSettings(snapshot: settings.snapshot().text)
            try FilePlanner(output).checkTemplates()
            try output.checkFrontMatter()
        } catch HealthDataError.invalidSetting(let key, let reason) {
            throw SenderError.setting(key: key, "it \(reason)")
        } catch is HealthDataError {
            throw SenderError.setting(key: changes.last?.key ?? "", "it cannot have this value")
        }
        self = settings
    }

    /// Restores defaults.
    public mutating func reset(_ keys: [String]) throws {
        var next = stored
        for key in keys {
            guard next.removeValue(forKey: key) != nil || all.contains(where: { $0.key == key }) else {
                throw SenderError.setting(key: key, "there is no such setting")
            }
        }
        self = try PhoneSettings(stored: next)
    }

    /// A person's text as the JSON text that is stored.
    private func storedText(of text: String, key: String) throws -> String {
        if key == PhoneSettings.documentVersionKey {
            guard let version = Int(text), DocumentVersion(rawValue: version) != nil else {
                throw SenderError.setting(key: key, "it is 8 or 10")
            }
            return String(version)
        }
        guard let current = value(at: key), !PhoneSettings.derivedKeys.contains(key) else {
            throw SenderError.setting(key: key, "there is no such setting")
        }
        let value = try SettingText.value(of: text, like: current, key: key)
        try SettingRules.check(value, key: key)
        return String(decoding: JSONWriter.encode(value, style: .compact), as: UTF8.self)
    }

    /// Settings that follow from others or are not a person's.
    private static let derivedKeys: Set<String> = [
        "includeGranularData", "appleExportEngineAuthorityIsFrozen", "appleExportEnginePin",
        "calendarTimeZoneIdentifier",
    ]

    /// Settings whose members a person names: shown and set as a whole.
    private static let maps: Set<String> = [
        "individualTracking.metricConfigs", "formatCustomization.frontmatterConfig.customFields",
    ]

    /// Settings that are written only when they differ from this, so that the default tree does not hold them
    /// (corpus-protocol.md 6).
    private static let omittedDefaults: [String: Bool] = [
        "includeDataDictionary": true, "generateWeeklyRollups": false, "generateMonthlyRollups": false,
        "generateYearlyRollups": false,
    ]

    private func value(at key: String) -> JSONValue? {
        if let standard = PhoneSettings.omittedDefaults[key] { return tree[key] ?? .bool(standard) }
        return key.split(separator: ".").reduce(Optional(tree)) { $0?[String($1)] }
    }

    private static func put(_ value: JSONValue, at path: ArraySlice<String>, in tree: inout JSONValue) -> Bool {
        guard let name = path.first, var object = tree.object else { return false }
        if path.count == 1 {
            guard object[name] != nil || omittedDefaults[name] != nil else { return false }
            object[name] = value
        } else {
            guard var child = object[name], put(value, at: path.dropFirst(), in: &child) else { return false }
            object[name] = child
        }
        tree = .object(object)
        return true
    }

    private static func collect(_ value: JSONValue, path: String, into list: inout [(key: String, value: String)]) {
        if let object = value.object, !object.isEmpty, !maps.contains(path) {
            for member in object.members {
                collect(member.value, path: path.isEmpty ? member.key : "\(path).\(member.key)", into: &list)
            }
        } else if !derivedKeys.contains(path) {
            list.append((path, String(decoding: JSONWriter.encode(value, style: .compact), as: UTF8.self)))
        }
    }
}

extension ConnectedProtocol.MetricSelection {
    /// Every metric of the registry.
    static let all = ConnectedProtocol.MetricSelection(metricIDs: Registry.current.metrics.map(\.id))

    /// These metrics, and the categories that any of them belongs to.
    init(metricIDs: [String]) {
        self.init()
        enabledMetricIDs = metricIDs.sorted()
        let wanted = Set(metricIDs)
        enabledCategoryIDs = Set(
            Registry.current.metrics.filter { wanted.contains($0.id) }.map(\.category)
        ).sorted()
    }
}

extension SettingsContent {
    /// Samples and archive together, or neither.
    mutating func setDetail(isLossless: Bool) {
        compatibilityDetail = isLossless ? .selectedTimeSeries : .summary
        healthKitSourceArchivePolicy = isLossless ? .canonical : .none
    }
}
