import CanonicalJSON
import DurableStore
import HealthRecords

extension DayGeneration {
    /// The types whose newest value is carried into later days (health-data.md 8).
    public static let carriedForwardTypes = ["HKQuantityTypeIdentifierVO2Max"]
    /// The types that count by the night, from noon to noon (health-data.md 7).
    public static let sleepTypes: Set<String> = ["HKCategoryTypeIdentifierSleepAnalysis"]

    /// Everything that the document of one day needs (``SourceDay``).
    ///
    /// - Parameters:
    ///   - digests: whether each record gets its ``ContentDigest``; summaries need none.
    ///   - documents: whether tests, prescriptions, recordings and clinical records come along: only archives hold them.
    public func sourceDay(_ date: CivilDate, digests: Bool = true, documents: Bool = true) throws -> SourceDay {
        let day = date.daysSince1970
        let overlay = try overlayRecords(around: day)
        do {
            return try database.read { connection in
                var result = SourceDay()
                try readWorkouts(day, connection, into: &result)
                try readCorrelations(day, connection, into: &result)
                if documents { try readDocuments(day, connection, into: &result) }
                try readRecords(date, overlay, connection, into: &result)
                try readCarried(date, connection, into: &result)
                result.activitySummary = try connection.first(
                    "SELECT bytes FROM summary WHERE date = ?", .text(date.description)
                ) { row in
                    try row.withBytes(0) { try StructureCoding.unpack($0) { try $0.activitySummary() } }
                }
                result.failures = try connection.all(
                    "SELECT data_type, code FROM failure WHERE day = ? ORDER BY data_type, code", .integer(day)
                ) { SourceDay.Failure(dataType: try $0.text(0), code: try $0.text(1)) }
                if digests { Self.addDigests(&result) }
                return result
            }
        } catch {
            throw damaged(error, "day \(date)")
        }
    }

    private static func addDigests(_ day: inout SourceDay) {
        for index in day.records.indices { day.records[index].contentDigest = ContentDigest.of(day.records[index]) }
        for index in day.carriedForward.indices {
            day.carriedForward[index].contentDigest = ContentDigest.of(day.carriedForward[index])
        }
        for index in day.correlations.indices {
            for member in day.correlations[index].members.indices {
                day.correlations[index].members[member].contentDigest = ContentDigest.of(
                    day.correlations[index].members[member])
            }
            day.correlations[index].contentDigest = ContentDigest.of(day.correlations[index])
        }
        for index in day.workouts.indices { day.workouts[index].contentDigest = ContentDigest.of(day.workouts[index]) }
        addDocumentDigests(&day)
    }

    // MARK: Records

    /// A half-open span of seconds that records are wanted for.
    private struct Window {
        var start: Int64
        var end: Int64

        /// Whether a record touches the window: it overlaps it, or it starts in it (which an instant at its start does
        /// without overlapping).
        func holds(_ from: Int64, _ to: Int64) -> Bool { from < end && (to > start || from >= start) }
    }

    private func readRecords(
        _ date: CivilDate, _ overlay: [HealthRecord], _ connection: DatabaseConnection, into result: inout SourceDay
    ) throws {
        let day = date.daysSince1970
        let start = Int64(zone.startSecond(ofDay: day))
        let end = Int64(zone.startSecond(ofDay: day + 1))
        // The samples of a workout belong to it also behind midnight.
        let workoutEnd = result.workouts.map { Int64($0.end.secondsSince1970.rounded(.up)) }.max() ?? end
        let noon = date.adding(days: 1).map { Int64(zone.noon($0).secondsSince1970) } ?? end
        let night = Window(start: start, end: max(end, noon))
        let withTail = Window(start: start, end: max(end, min(workoutEnd, end + 86_400)))
        func window(_ type: String) -> Window { Self.sleepTypes.contains(type) ? night : withTail }

        let lastDay = zone.dayNumber(atSecond: Int(max(night.end, withTail.end) - 1))
        var groups: [String: [HealthRecord]] = [:]
        // What starts in the day or shortly before or behind it, by the clustered key.
        try readBlocks(
            """
            SELECT type, first_start, bytes FROM block
            WHERE day BETWEEN ? AND ? AND (day >= ? OR last_day >= ?) ORDER BY day, type, part
            """, [.integer(day - 2), .integer(max(day, lastDay)), .integer(day), .integer(day)], connection, window,
            &groups)
        // What lasts for days, by its own small index.
        try readBlocks(
            """
            SELECT type, first_start, bytes FROM block INDEXED BY block_long
            WHERE last_day > day + 2 AND last_day >= ? AND day < ?
            """, [.integer(day), .integer(day - 2)], connection, window, &groups)
        for record in overlay {
            let (start, end) = (Int64(record.start.secondsSince1970), Int64(record.end.secondsSince1970))
            if window(record.type).holds(start, end) { groups[record.type, default: []].append(record) }
        }
        // Sorted within each type: comparing type names for every pair would cost more than all the rest.
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            let isOrdered = zip(group, group.dropFirst()).allSatisfy { !Self.isBefore($1, $0) }
            result.records.append(contentsOf: isOrdered ? group : group.sorted(by: Self.isBefore))
        }
    }

    private func readBlocks(
        _ sql: String, _ values: [SQLValue], _ connection: DatabaseConnection, _ window: (String) -> Window,
        _ groups: inout [String: [HealthRecord]]
    ) throws {
        try connection.forEach(sql, values: values) { row in
            let type = try names.text(try row.int(0))
            let window = window(type)
            let first = try row.int64(1)
            try row.withBytes(2) { bytes in
                try readBlock(bytes, type: type, firstStart: first, isWanted: window.holds) {
                    groups[type, default: []].append($0)
                }
            }
        }
    }

    /// Passes the wanted records of one block.
    func readBlock(
        _ bytes: UnsafeRawBufferPointer, type: String, firstStart: Int64, isWanted: (Int64, Int64) -> Bool,
        body: (HealthRecord) throws -> Void
    ) throws {
        var reader = ByteReader(bytes)
        var start = firstStart
        while !reader.isAtEnd {
            start = start &+ Int64(bitPattern: try reader.unsigned())
            let begin = start
            let record = try RecordCoding.read(&reader, type: type, start: begin, names: names) {
                isWanted(begin, $0)
            }
            if let record { try body(record) }
        }
    }

    /// By start, end, source: the order within a type.
    static func isBefore(_ left: HealthRecord, _ right: HealthRecord) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.end != right.end { return left.end < right.end }
        return left.source.name < right.source.name
    }

    private func readCarried(
        _ date: CivilDate, _ connection: DatabaseConnection, into result: inout SourceDay
    ) throws {
        let end = Int64(zone.startSecond(ofDay: date.daysSince1970 + 1))
        for type in Self.carriedForwardTypes {
            var newest: HealthRecord?
            func consider(_ record: HealthRecord) {
                if let held = newest, (record.start, record.end) < (held.start, held.end) { return }
                newest = record
            }
            try forEachOnNewestDay(of: type, upTo: date.daysSince1970, before: end, connection, body: consider)
            for record in try overlayRecords(ofType: type) where record.start.secondsSince1970 < Double(end) {
                consider(record)
            }
            if let newest { result.carriedForward.append(newest) }
        }
    }

    /// The records of a type that start before `end`, on the newest day that has any.
    private func forEachOnNewestDay(
        of type: String, upTo day: Int, before end: Int64, _ connection: DatabaseConnection,
        body: (HealthRecord) -> Void
    ) throws {
        guard let number = typeNumbers[type] else { return }
        let newestDay = try connection.first(
            "SELECT day FROM block WHERE type = ? AND day <= ? ORDER BY day DESC LIMIT 1", .integer(number),
            .integer(day)
        ) { try $0.int(0) }
        guard let newestDay else { return }
        try connection.forEach(
            "SELECT first_start, bytes FROM block WHERE type = ? AND day = ? ORDER BY part", .integer(number),
            .integer(newestDay)
        ) { row in
            let first = try row.int64(0)
            try row.withBytes(1) { bytes in
                try readBlock(
                    bytes, type: type, firstStart: first, isWanted: { start, _ in start < end }, body: body)
            }
        }
    }

    // MARK: Structures

    private func readWorkouts(_ day: Int, _ connection: DatabaseConnection, into result: inout SourceDay) throws {
        var seen: [[UInt8]: Int] = [:]
        // The elements that each workout was read from: the route stands under one of them.
        var numbers: [[Int]] = []
        try connection.forEach(
            "SELECT number, bytes FROM structure WHERE kind = ? AND day = ? ORDER BY number",
            .integer(DayStoreSchema.Kind.workout.rawValue), .integer(day)
        ) { row in
            let workout = try row.withBytes(1) { try StructureCoding.unpack($0) { try $0.workout() } }
            // The same element twice is one workout, also when only one of two exports knows zones or routes.
            let digest = ContentDigest.of(workout)
            if let known = seen[digest] {
                numbers[known].append(try row.int(0))
                if result.workouts[known].zoneGroups.isEmpty { result.workouts[known].zoneGroups = workout.zoneGroups }
                if result.workouts[known].routes.isEmpty { result.workouts[known].routes = workout.routes }
                return
            }
            seen[digest] = result.workouts.count
            numbers.append([try row.int(0)])
            result.workouts.append(workout)
        }
        for (index, elements) in numbers.enumerated() {
            for number in elements where result.workouts[index].route.isEmpty {
                try readRoute(number, connection) { result.workouts[index].route.append($0) }
            }
            // Joined over all files, in time order; a stable sort keeps equal times in the order of the file.
            let ordered = zip(result.workouts[index].route.dropFirst(), result.workouts[index].route)
                .allSatisfy { $0.time >= $1.time }
            if !ordered { result.workouts[index].route.sort { $0.time < $1.time } }
        }
        result.workouts.sort { ($0.start, $0.end, $0.activityType) < ($1.start, $1.end, $1.activityType) }
    }

    private func readRoute(_ workout: Int, _ connection: DatabaseConnection, body: (RoutePoint) -> Void) throws {
        try connection.forEach("SELECT bytes FROM route WHERE workout = ? ORDER BY part", .integer(workout)) { row in
            let bytes = try row.withBytes(0) { try ZlibBytes.unpack($0) }
            let points = try bytes.withUnsafeBytes { bytes in
                try StructureCoding.unpack(bytes) { try $0.list { try $0.routePoint() } }
            }
            for point in points { body(point) }
        }
    }

    private func readCorrelations(_ day: Int, _ connection: DatabaseConnection, into result: inout SourceDay) throws {
        result.correlations = try structures(.correlation, day, overlapping: true, connection) {
            try $0.correlation()
        }
        result.correlations.sort { ($0.start, $0.end, $0.type) < ($1.start, $1.end, $1.type) }
    }

    func structures<Value: Equatable>(
        _ kind: DayStoreSchema.Kind, _ day: Int, overlapping: Bool, _ connection: DatabaseConnection,
        _ read: (inout ByteReader) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        func add(_ row: Row) throws {
            let value = try row.withBytes(0) { try StructureCoding.unpack($0, read) }
            if !values.contains(value) { values.append(value) }
        }
        if overlapping {
            try connection.forEach(
                """
                SELECT bytes FROM structure WHERE kind = ? AND day BETWEEN ? AND ? AND last_day >= ?
                UNION ALL SELECT bytes FROM structure INDEXED BY structure_long
                WHERE kind = ? AND last_day > day + 2 AND last_day >= ? AND day < ?
                """, .integer(kind.rawValue), .integer(day - 2), .integer(day), .integer(day),
                .integer(kind.rawValue), .integer(day), .integer(day - 2), body: add)
        } else {
            try connection.forEach(
                "SELECT bytes FROM structure WHERE kind = ? AND day = ? ORDER BY number", .integer(kind.rawValue),
                .integer(day), body: add)
        }
        return values
    }
}
