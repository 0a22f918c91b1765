import CanonicalJSON
import Foundation

/// A day document together with what its texts depend on: the clock of its zone and the look that is wanted.
struct DayView {
    let document: DayDocument
    let look: FormatCustomization
    let clock: ZoneClock

    init(_ document: DayDocument, look: FormatCustomization = FormatCustomization()) throws(HealthDataError) {
        self.document = document
        self.look = look
        clock = try ZoneClock(identifier: document.zoneIdentifier)
    }

    // MARK: Values by pattern

    /// The text of a value; nil when it is of another kind than the pattern wants.
    func text(_ value: JSONValue, _ pattern: ValuePattern, factor: Double = 1) -> String? {
        switch pattern {
        case .fixed(let digits): return value.number.map { NumberText.fixed($0.double * factor, digits) }
        case .grouped: return value.number.map { NumberText.grouped($0.double * factor, 0) }
        case .duration: return value.number.map { DayText.duration($0.double) }
        case .truncated: return value.number.map { NumberText.truncated($0.double * factor) }
        case .moodPercent: return value.number.map { String(DayText.moodPercent($0.double)) }
        case .clock: return value.string.flatMap { clockText($0) }
        case .list: return value.array.map { $0.compactMap(\.string).joined(separator: ", ") }
        case .text: return plain(value)
        }
    }

    /// A scalar as it stands.
    func plain(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): restyled(text)
        case .number(let number): NumberText.shortest(number.double)
        case .bool(let flag): flag ? "true" : "false"
        case .object, .array, .null: nil
        }
    }

    // MARK: Times

    /// The clock time of a document instant, in the zone and style of the day.
    func clockText(_ instant: String) -> String? {
        RFC3339.parse(instant).map { clock.text(Date(timeIntervalSinceReferenceDate: $0), style: look.timeFormat) }
    }

    /// A clock time with seconds, for tables of laps.
    func clockTextWithSeconds(_ value: JSONValue?) -> String? {
        DocumentDate.date(value).map { clock.hourMinuteSecond($0) }
    }

    /// `HH:mm` of the document in the wanted style; another text as it is.
    private func restyled(_ text: String) -> String {
        guard look.timeFormat != .hourMinute, text.utf8.count == 5, let (hour, minute) = Self.clockParts(text) else {
            return text
        }
        return look.timeFormat.text(hour: hour, minute: minute, second: 0)
    }

    private static func clockParts(_ text: String) -> (Int, Int)? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60 else {
            return nil
        }
        return (hour, minute)
    }

    // MARK: CSV rows

    /// The value text of a CSV row; nil when the day has no such value.
    func text(of row: CSVRow, key: String) -> String? {
        guard let value = document.value(row.source) else { return nil }
        switch row.number {
        case .text:
            // The file's own spelling: display preferences do not reach it.
            return value.string ?? value.bool.map { $0 ? "true" : "false" } ?? plain(value)
        case .integer:
            if key == "daily_mood_percent" { return text(value, .moodPercent) }
            return value.number.map { NumberText.truncated($0.double * (row.factor ?? 1)) } ?? value.string
        case .decimals(let digits):
            return value.number.map { NumberText.fixed($0.double * (row.factor ?? 1), digits) } ?? value.string
        case .double: return value.number.map { NumberText.double($0.double * (row.factor ?? 1)) }
        }
    }

    /// The present rows of a section: label and text, in file order; symptoms by label.
    func rows(of section: String) -> [(row: CSVRow, text: String)] {
        guard let order = FileFormat.current.csvSections.first(where: { $0.name == section }) else { return [] }
        if order.rows == ["by label"] {
            return Registry.current.metrics.filter { $0.category == section }.flatMap(\.outputs)
                .flatMap { rows(of: $0, in: section) }
                .sorted { JSONKeyOrder.bytes($0.row.metric, $1.row.metric) }
        }
        return order.rows.compactMap { Registry.current.output($0) }.flatMap { rows(of: $0, in: section) }
    }

    /// The present rows of one key in a section.
    func rows(of key: OutputKey, in section: String) -> [(row: CSVRow, text: String)] {
        key.rows.filter { $0.category == section }.compactMap { row in
            text(of: row, key: key.key).map { (row, $0) }
        }
    }
}

extension ZoneClock {
    /// The clock time of an instant in a style.
    func text(_ date: Date, style: TimeStyle) -> String {
        let parts = hourMinuteSecond(date).split(separator: ":").compactMap { Int($0) }
        return style.text(hour: parts[0], minute: parts[1], second: parts[2])
    }
}
