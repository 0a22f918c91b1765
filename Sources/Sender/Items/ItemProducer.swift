import CanonicalJSON
import ConnectedProtocol
import Cryptography
import Foundation
import HMDCItem
import HealthData

/// Makes the items of days: reads a day, builds its record, writes the item to a private file (hmdcitem.md 6, 7).
///
/// Belongs to one thread. Memory is bounded by one day; the digest is taken while the bytes pass. A day that cannot be read becomes an
/// item that says so; only what goes wrong with the item's own file is an error.
final class ItemProducer {
    private let library: any DayLibrary
    private let store: ItemStore
    private let makeIdentity: () -> UUID
    private var opened: (number: Int, generation: any DaySource)?

    init(library: any DayLibrary, store: ItemStore, makeIdentity: @escaping () -> UUID = SecureRandom.uuid) {
        self.library = library
        self.store = store
        self.makeIdentity = makeIdentity
    }

    /// What became of a day.
    private enum Capture<Content> {
        case captured(Content)
        /// The day lies outside of what was imported.
        case missing
        case failed(code: String)
    }

    /// Makes the item of a day. The file is durable when this returns.
    func produce(_ order: ItemOrder) throws -> PendingItem {
        let itemID = makeIdentity()
        let generation = try generation(order.generation)
        guard let day = ZoneCalendar(zone: generation.zone).day(containing: order.sourceDate) else {
            throw SenderError.invalidDays("an instant lies outside the calendar")
        }
        let (byteCount, sha256) = try store.write(itemID) { sink in
            switch order.kind {
            case .macHealthDay: try ItemProducer.write(healthDay(day, order, generation), order, to: &sink)
            case .strictRawDay: try ItemProducer.write(rawDay(day, order, generation), order, to: &sink)
            }
        }
        return PendingItem(
            itemID: itemID, kind: order.kind, sourceDate: order.sourceDate, isRequestedDate: order.isRequestedDate,
            totalBytes: byteCount, sha256: sha256)
    }

    private func generation(_ number: Int) throws -> any DaySource {
        if let opened, opened.number == number { return opened.generation }
        let generation = try library.open(number)
        opened = (number, generation)
        return generation
    }

    private func capture<Content>(
        _ day: CivilDate, _ generation: any DaySource, _ read: () throws -> Content
    ) -> Capture<Content> {
        do {
            guard let coverage = try generation.coverage(), coverage.contains(day) else { return .missing }
            return .captured(try read())
        } catch {
            // The reason stays here; what leaves is the published code of a source that could not be read.
            return .failed(code: DayFailure.Reason.healthKitError.rawValue)
        }
    }

    private static func write(_ value: some Encodable, _ order: ItemOrder, to sink: inout ItemFileSink) throws {
        switch ItemForm(protocolVersion: order.protocolVersion) {
        case .binary: try ItemEncoder().encode(value, kind: order.kind.itemKind, to: &sink)
        case .json: try ItemJSON.encode(value, to: &sink)
        }
    }

    // MARK: Kind 1

    private func healthDay(
        _ day: CivilDate, _ order: ItemOrder, _ generation: any DaySource
    ) -> HealthDayEnvelope<DailyRecord> {
        let capture = capture(day, generation) {
            try generation.record(of: day, metricIDs: order.metricIDs, includesArchive: order.includesArchive)
        }
        let date = order.sourceDate.foundationDate
        var record: DailyRecord?
        var failure: DayFailure?
        switch capture {
        case .captured(let captured):
            let kept = order.needsSamples ? captured : captured.withoutSamples()
            // A day without anything is sent without a record: no data, and no failure (corpus-protocol.md 13.4).
            record = kept.isEmptyDay ? nil : kept
        case .missing:
            failure = DayFailure(
                date: date, reason: .noHealthData, errorDetails: "The day lies outside of the imported data.")
        case .failed:
            failure = DayFailure(date: date, reason: .healthKitError, errorDetails: "The imported day cannot be read.")
        }
        return HealthDayEnvelope(
            sourceDate: date, isRequestedDate: order.isRequestedDate, record: record, failure: failure)
    }

    // MARK: Kind 2

    private func rawDay(
        _ day: CivilDate, _ order: ItemOrder, _ generation: any DaySource
    ) -> StrictRawDayEnvelope {
        let raw: StrictRawDay
        switch capture(day, generation, { try document(of: day, order, generation) }) {
        case .captured(let document): raw = StrictRawDay(day, document)
        case .missing:
            raw = StrictRawDay(date: day.description, status: .missing, failureCode: "missing_day")
        case .failed(let code):
            raw = StrictRawDay(date: day.description, status: .failed, failureCode: code)
        }
        return StrictRawDayEnvelope(day: raw, sourceDate: order.sourceDate.foundationDate)
    }

    private func document(
        of day: CivilDate, _ order: ItemOrder, _ generation: any DaySource
    ) throws -> RawDayDocument {
        let version = DocumentVersion(rawValue: order.documentVersion) ?? .v8
        if order.includesArchive {
            let lossless = try generation.losslessDay(of: day, metricIDs: order.metricIDs, version: version)
            return RawDayDocument(lossless)
        }
        let record = try generation.record(of: day, metricIDs: order.metricIDs, includesArchive: false)
        return RawDayDocument(record, try DayDocument(record, detail: .summary, version: version))
    }
}

extension ConnectedProtocol.ItemKind {
    /// The same kind as the item room names it.
    var itemKind: HMDCItem.ItemKind {
        switch self {
        case .macHealthDay: .macHealthDay
        case .strictRawDay: .strictRawDay
        }
    }
}

extension ProtocolDate {
    /// The same instant as Foundation has it, exactly.
    var foundationDate: Date { Date(timeIntervalSinceReferenceDate: secondsSince2001) }
}
