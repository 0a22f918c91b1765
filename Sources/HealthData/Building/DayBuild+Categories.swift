import Foundation
import HealthRecords

extension DayBuild {
    /// Counted and latest categories: stand hours, mindful sessions, cycle tracking, symptoms, events.
    mutating func buildCategories() {
        if isSelected("stand_hours") {
            let stood = owned("HKCategoryTypeIdentifierAppleStandHour").filter {
                $0.value == .category("HKCategoryValueAppleStandHourStood")
            }
            let hours = Set(stood.map { frame.localHour($0.start) })
            record.activity.standHours = hours.isEmpty ? nil : hours.count
        }
        buildMindfulSessions()
        record.reproductiveHealth.menstrualFlow = latestToken("menstrual_flow")
        record.reproductiveHealth.ovulationTestResult = latestToken("ovulation_test")
        record.reproductiveHealth.cervicalMucusQuality = latestToken("cervical_mucus")
        record.reproductiveHealth.sexualActivityCount = count("sexual_activity")
        record.reproductiveHealth.intermenstrualBleedingCount = count("intermenstrual_bleeding")
        record.other.toothbrushingCount = count("toothbrushing")
        record.other.handwashingCount = count("handwashing")
        buildSymptoms()
    }

    private func owned(_ type: String) -> [HealthRecord] { samples.owned(type, by: frame) }

    /// Number of samples of a metric; nil when there is none or it is not selected.
    private func count(_ metricID: String) -> Int? {
        guard isSelected(metricID), let type = Registry.current.metric(metricID)?.healthKitIdentifier else {
            return nil
        }
        let count = owned(type).count
        return count == 0 ? nil : count
    }

    /// Token of the sample with the latest end.
    private func latestToken(_ metricID: String) -> String? {
        guard isSelected(metricID), let type = Registry.current.metric(metricID)?.healthKitIdentifier,
            let latest = owned(type).max(by: { ($0.end, $0.start) < ($1.end, $1.start) }),
            case .category(let spelling) = latest.value
        else { return nil }
        return Registry.current.token(kind: type, spelling: spelling)
    }

    private mutating func buildMindfulSessions() {
        let sessions = owned("HKCategoryTypeIdentifierMindfulSession")
        guard !sessions.isEmpty else { return }
        if isSelected("mindful_minutes") {
            let seconds = sessions.reduce(0) { $0 + max(0, $1.end.secondsSince1970 - $1.start.secondsSince1970) }
            record.mindfulness.mindfulMinutes = seconds / 60
        }
        if isSelected("mindful_sessions") { record.mindfulness.mindfulSessions = sessions.count }
    }

    private mutating func buildSymptoms() {
        for metric in Registry.current.metrics where metric.category == "Symptoms" && isSelected(metric.id) {
            guard let type = metric.healthKitIdentifier else { continue }
            let present = owned(type).filter(Self.isPresent)
            if present.isEmpty { continue }
            record.symptoms.counts[metric.id] = present.count
            record.symptoms.samples += present.map { symptom($0, metricID: metric.id) }
        }
    }

    /// A sample that says "not present" or "no change" is no symptom (health-data.md 10.2.6).
    private static func isPresent(_ sample: HealthRecord) -> Bool {
        guard case .category(let spelling) = sample.value else { return true }
        return !spelling.hasSuffix("NotPresent") && !spelling.hasSuffix("NoChange")
    }

    private func symptom(_ sample: HealthRecord, metricID: String) -> DailyRecord.SymptomSample {
        let value = CategoryValue.symptom(sample)
        var symptom = DailyRecord.SymptomSample(
            metricId: metricID, startDate: sample.start.date, endDate: sample.end.date, rawValue: value.raw)
        symptom.symbolicValue = value.token
        symptom.source = sample.source.name
        symptom.metadata = SourceTexts.map(sample.metadata)
        return symptom
    }
}

/// Number and token of a category value.
private enum CategoryValue {
    private static let symptomKinds = [
        "symptom severity (most symptoms)", "symptom presence (mood_changes, sleep_changes)",
        "HKCategoryTypeIdentifierAppetiteChanges",
    ]

    static func symptom(_ sample: HealthRecord) -> (raw: Int, token: String?) {
        guard case .category(let spelling) = sample.value else { return (0, nil) }
        for kind in symptomKinds {
            if let value = Registry.current.categoryValue(kind: kind, spelling: spelling) {
                return (value.raw, value.token)
            }
        }
        return (0, nil)
    }
}

/// What a sample says about its origin, in the model's types.
enum SourceTexts {
    /// The entries as a map; of a repeated key the first counts.
    static func map(_ entries: [MetadataEntry]) -> [String: String] {
        Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The source. Exports carry no bundle identifier, so it stays empty.
    static func revision(_ source: RecordSource) -> SourceRevision {
        SourceRevision(name: source.name, bundleIdentifier: "", version: source.version)
    }

    private static let deviceKeys: [(key: String, path: any WritableKeyPath<SourceDevice, String?> & Sendable)] = [
        ("name", \.name), ("manufacturer", \.manufacturer), ("model", \.model), ("hardware", \.hardwareVersion),
        ("firmware", \.firmwareVersion), ("software", \.softwareVersion),
        ("localIdentifier", \.localIdentifier), ("UDIDeviceIdentifier", \.udiDeviceIdentifier),
    ]

    /// The printed device, `name:Apple Watch, manufacturer:Apple Inc., …`. Values contain commas, so only a known key
    /// starts a new part (apple-health-export.md 8).
    static func device(_ source: RecordSource) -> SourceDevice? {
        guard let text = source.device else { return nil }
        var device = SourceDevice()
        var current: (any WritableKeyPath<SourceDevice, String?> & Sendable)?
        for part in text.split(separator: ", ", omittingEmptySubsequences: false) {
            if let known = deviceKeys.first(where: { part.hasPrefix($0.key + ":") }) {
                device[keyPath: known.path] = String(part.dropFirst(known.key.utf8.count + 1))
                current = known.path
            } else if let current {
                device[keyPath: current] = (device[keyPath: current] ?? "") + ", " + part
            }
        }
        return current == nil ? nil : device
    }
}
