/// A part of the record that older or newer phones may leave out: it is then as if it held nothing.
protocol EmptyRecordPart: Decodable {
    /// The part that holds nothing.
    init()
}

extension DailyRecord.Sleep: EmptyRecordPart {}
extension DailyRecord.Activity: EmptyRecordPart {}
extension DailyRecord.Heart: EmptyRecordPart {}
extension DailyRecord.Vitals: EmptyRecordPart {}
extension DailyRecord.Body: EmptyRecordPart {}
extension DailyRecord.Nutrition: EmptyRecordPart {}
extension DailyRecord.Mindfulness: EmptyRecordPart {}
extension DailyRecord.Mobility: EmptyRecordPart {}
extension DailyRecord.Hearing: EmptyRecordPart {}
extension DailyRecord.ReproductiveHealth: EmptyRecordPart {}
extension DailyRecord.CyclingPerformance: EmptyRecordPart {}
extension DailyRecord.Vitamins: EmptyRecordPart {}
extension DailyRecord.Minerals: EmptyRecordPart {}
extension DailyRecord.Symptoms: EmptyRecordPart {}
extension DailyRecord.Other: EmptyRecordPart {}
extension WorkoutSeries: EmptyRecordPart {}

/// The record grows over time (hmdcitem.md 6.3). These overloads are what the synthesized decoding of this module calls
/// for members that may be missing from another version's item: a missing list is empty, a missing section holds nothing.
/// What is there but of another kind is still an error.
extension KeyedDecodingContainer {
    func decode<Element: Decodable>(_ type: [Element].Type, forKey key: Key) throws -> [Element] {
        try decodeIfPresent(type, forKey: key) ?? []
    }

    func decode<Value: Decodable>(_ type: [String: Value].Type, forKey key: Key) throws -> [String: Value] {
        try decodeIfPresent(type, forKey: key) ?? [:]
    }

    func decode<Part: EmptyRecordPart>(_ type: Part.Type, forKey key: Key) throws -> Part {
        try decodeIfPresent(type, forKey: key) ?? Part()
    }

    func decode(_ type: DailyRecord.CaptureStatus.Type, forKey key: Key) throws -> DailyRecord.CaptureStatus {
        try decodeIfPresent(type, forKey: key) ?? .notRequested
    }
}
