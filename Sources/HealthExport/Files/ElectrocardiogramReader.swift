import HealthRecords

/// Reads an electrocardiogram's CSV, in any language (apple-health-export.md 12).
///
/// Labels and values are translated, and voltages may have a decimal comma, so lines are told apart by their form and
/// header fields by their order. The person's name and date of birth stand first and are never kept.
public enum ElectrocardiogramReader {
    /// Bytes of one file; thirty seconds at 512 Hz are below 200 KB.
    public static let byteLimit = 4 << 20
    /// Where the sample rate stands in the header, from 0, when no unit of frequency can be recognised.
    private static let ratePosition = 7

    /// The recording in the bytes of a file; nil when they are none.
    public static func read(_ bytes: [UInt8], fileName: String) -> Electrocardiogram? {
        var header: [[Substring]] = []
        var samples: [Double] = []
        var unitFactor = 1.0
        var lead: String?
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            if let sample = sample(line) {
                samples.append(sample)
            } else if samples.isEmpty {
                let fields = fields(line)
                if let factor = voltageFactor(fields.last) {
                    unitFactor = factor
                    // The lead stands on the line before the unit.
                    lead = value(header, header.count - 1)
                }
                header.append(fields)
            }
        }
        guard !samples.isEmpty, header.count >= 3, let recorded = recorded(header), let rate = rate(header) else {
            return nil
        }
        if unitFactor != 1 { samples = samples.map { $0 * unitFactor } }
        var recording = Electrocardiogram(
            fileName: fileName, recorded: recorded, sampleRate: rate, microvolts: samples)
        recording.classification = value(header, 3)
        recording.symptoms = value(header, 4)
        recording.softwareVersion = value(header, 5)
        recording.device = value(header, 6)
        recording.lead = lead
        recording.averageHeartRate = header.lazy.compactMap(heartRate).first
        return recording
    }

    /// A line that is wholly a number with at most one comma or point.
    private static func sample(_ line: Substring) -> Double? {
        var bytes: [UInt8] = []
        var marks = 0
        for byte in line.utf8 {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "."):
                marks += 1
                bytes.append(UInt8(ascii: "."))
            case UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
            case UInt8(ascii: "-") where bytes.isEmpty, UInt8(ascii: "+") where bytes.isEmpty: bytes.append(byte)
            default: return nil
            }
        }
        guard marks <= 1 else { return nil }
        return bytes.withUnsafeBufferPointer { ExportNumber.read($0)?.value }
    }

    /// Label and value of a header line; a quoted value loses its quotes.
    private static func fields(_ line: Substring) -> [Substring] {
        let parts = line.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return parts }
        var value = parts[1]
        if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
        return [parts[0], value]
    }

    /// `Average Heart Rate,64 bpm` of some older files, known by its unit.
    private static func heartRate(_ fields: [Substring]) -> Double? {
        guard fields.count == 2, fields[1].lowercased().hasSuffix("bpm") else { return nil }
        return Array(fields[1].utf8.prefix { $0 &- 0x30 < 10 }).withUnsafeBufferPointer {
            ExportNumber.read($0)?.value
        }
    }

    private static func value(_ header: [[Substring]], _ position: Int) -> String? {
        guard header.indices.contains(position), header[position].count == 2, !header[position][1].isEmpty else {
            return nil
        }
        return String(header[position][1])
    }

    /// The value that reads as a date.
    private static func recorded(_ header: [[Substring]]) -> Instant? {
        var dates = ExportDateReader()
        for fields in header where fields.count == 2 {
            let (seconds, form) = Array(fields[1].utf8).withUnsafeBufferPointer { dates.read($0) }
            if form != .unreadable { return Instant(secondsSince1970: Double(seconds)) }
        }
        return nil
    }

    /// The number before a unit of frequency, else the number that stands eighth.
    private static func rate(_ header: [[Substring]]) -> Double? {
        let units = ["hertz", "hz", "赫兹", "赫茲", "ヘルツ", "герц"]
        let named = header.first { fields in
            fields.count == 2 && units.contains { fields[1].lowercased().hasSuffix($0) }
        }
        guard let value = named?[1] ?? self.value(header, ratePosition)?[...] else { return nil }
        let digits = value.prefix { $0.isNumber || $0 == "." || $0 == "," }
        let plain = Array(digits.utf8).map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        let rate = plain.withUnsafeBufferPointer { ExportNumber.read($0)?.value }
        return rate.flatMap { $0 > 0 && $0 < 100_000 ? $0 : nil }
    }

    /// Microvolts in one of the unit; nil when the text is no unit of voltage. The micro sign has two code points.
    private static func voltageFactor(_ text: Substring?) -> Double? {
        switch text {
        case "\u{B5}V", "\u{3BC}V", "uV": 1
        case "mV": 1_000
        case "V": 1_000_000
        default: nil
        }
    }
}
