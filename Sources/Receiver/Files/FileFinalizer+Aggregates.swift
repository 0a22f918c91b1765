import CanonicalJSON
import ConnectedProtocol
import DurableStore
import HealthData

/// What is made of all days together: roll-ups, dictionary, archive. Its failure fails no day: it is told beside them.
extension FileFinalizer {
    // MARK: - Roll-ups

    /// Feeds one day, or writes the roll-up when its days have passed; true then.
    mutating func continueRollup(_ index: Int) throws -> Bool {
        let period = plan.periods[index]
        var pass = memory.rollups ?? RollupPass(plan, from: index)
        memory.rollups = nil
        defer { memory.rollups = pass }
        if let day = pass.takeDay(of: period, plan) {
            if let document = try document(of: day) { pass.add(document, day, plan, from: index) }
            return false
        }
        if let rollup = pass.finish(period, plan) { try write(rollup, of: period) }
        return true
    }

    /// The summary of a day for roll-ups; nil when it has none. A requested day that cannot be read was told before.
    private mutating func document(of planned: FilePlan.Day) throws -> DayDocument? {
        guard let day = journal.days[planned.date] else { throw ReceiverError.itemFileDamaged }
        guard case .record = day.content else { return nil }
        do {
            guard let record = try envelope(of: day).record else { return nil }
            let document = try DayDocument(record, detail: .summary)
            guard document.date == planned.day else {
                throw HealthDataError.invalidMember(path: "date", expected: "the day of the item")
            }
            return document
        } catch {
            guard FileFinalizer.lastingCode(of: error) != nil else { throw error }
            if !planned.isRequested { add(planned.date, "rollup_day", "A day of a roll-up cannot be read.") }
            return nil
        }
    }

    /// Writes a roll-up in every format. It is made anew each time, so in the mode Append it is merged as in Update: a
    /// second copy with another time of making would follow at every repetition, and what a person added stays either way.
    private mutating func write(_ rollup: Rollup, of period: RollupPeriod) throws {
        let mode: WriteMode = settings.writeMode == .overwrite ? .overwrite : .update
        for format in settings.formats {
            let bytes = try rollup.bytes(as: format)
            do {
                try put(
                    .rollup, plan.planner.path(of: period, as: format), as: format, mode: mode, date: period.end
                ) { try $0(bytes) }
            } catch {
                try noteAggregateFailure(error, "rollup_\(period.kind.rawValue)")
            }
        }
    }

    // MARK: - Dictionary and archive

    private var hasSucceededDay: Bool {
        let requested = journal.manifest.requestedDates
        return !output.succeededDates(among: requested, frontier: requested.count).isEmpty
    }

    mutating func writeDictionary() throws {
        guard let path = plan.dictionaryPath, hasSucceededDay, let last = plan.requested.last else {
            return
        }
        let bytes = DataDictionary(settings: settings).bytes()
        do {
            // Written with every export, whatever the mode: nobody's words are in it.
            try put(.dictionary, path, as: .json, mode: .overwrite, date: last.day) { try $0(bytes) }
        } catch {
            try noteAggregateFailure(error, "data_dictionary")
        }
    }

    /// Puts the archive in its place. Without entries there is none.
    mutating func publishArchive() throws {
        guard let archive = memory.archive, archive.checkpoint.entryCount > 0, let path = plan.archivePath else {
            return
        }
        do {
            try writer.install(path) { [interruption] in try archive.write(to: $0, interruption) }
            output.breakdown.zipArchiveFileCount += 1
        } catch {
            guard let code = FileFinalizer.lastingCode(of: error) else { throw error }
            // Every day is in the archive: without it nothing was exported.
            throw Unplannable(message: "The archive cannot be put into the destination (\(code)).")
        }
    }

    // MARK: - Failures

    mutating func noteAggregateFailure(_ error: any Error, _ kind: String) throws {
        guard let code = FileFinalizer.lastingCode(of: error) else { throw error }
        output.hasFailedAggregate = true
        guard let date = journal.manifest.requestedDates.last else { return }
        add(date, kind, "The file could not be written (\(code)).")
    }

    private mutating func add(_ date: ProtocolDate, _ kind: String, _ description: String) {
        output.add(
            ConnectedProtocol.PartialFailure(
                date: date, dataType: kind, dateRangeDescription: "", errorDescription: description))
    }
}
