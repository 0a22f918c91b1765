import CanonicalJSON
import TestSupport
import Testing

@testable import DayArchive

@Suite("Analysis rules", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
struct AnalysisTests {
    private let day = ArchiveDay(utcSecond: 0)

    private func events(_ list: [JSONValue]) throws -> [ReadEvent] {
        let day = try #require(day)
        return try list.map { ReadEvent(day: day, object: try #require($0.object)) }
    }

    @Test("nights are unions of stretches, noon to noon UTC")
    func nights() throws {
        for entry in try ArchiveFixtures.read("analysis").list("nights") {
            let nights = Night.all(try events(entry.list("events")))
            #expect(JSONValue.array(nights.map { .object($0.row) }).canonical == (try entry.at("nights")).canonical)
        }
    }

    @Test("distributions interpolate, sum with compensation, and are rounded to three decimals")
    func distributions() throws {
        for entry in try ArchiveFixtures.read("analysis").list("distribution") {
            let distribution = Distribution(try entry.list("values").map { try #require($0.number?.double) })
            let answer: JSONValue = distribution.map { .object($0.members) } ?? .null
            #expect(answer.canonical == (try entry.at("answer")).canonical)
        }
    }

    @Test("rounding is that of the exact binary value, ties to even")
    func rounding() throws {
        for entry in try ArchiveFixtures.read("analysis").list("round3") {
            let bits = try #require(UInt64(try entry.text("value_hex_be"), radix: 16))
            #expect(Rounding.thousandths(Double(bitPattern: bits)) == (try entry.at("answer")).number?.double)
        }
    }

    @Test("groups are named by day, Monday, month and year")
    func groups() throws {
        for entry in try ArchiveFixtures.read("analysis").list("group") {
            let group = try #require(DayGroup(rawValue: try entry.text("by")))
            #expect(group.label(try ArchiveDay(text: entry.text("day"))) == (try entry.text("label")))
        }
    }

    @Test("tables say once what every row agrees on")
    func tables() throws {
        for entry in try ArchiveFixtures.read("analysis").list("table") {
            let rows = try entry.list("rows").map { try #require($0.object) }
            let dropped = Set(try entry.list("drop").compactMap(\.string))
            var answer = JSONObject()
            AnswerTable(rows, dropping: dropped).append(to: &answer)
            #expect(JSONValue.object(answer).canonical == (try entry.at("answer")).canonical)
        }
    }

    @Test("filters compare dates, and a night counts for the day it ends on")
    func filters() throws {
        for entry in try ArchiveFixtures.read("analysis").list("filter") {
            let wanted = try entry.at("filter")
            let filter = EventFilter(
                metric: wanted["metric"]?.string, bucket: wanted["bucket"]?.string,
                since: try wanted["since"]?.string.map { try ArchiveDay(text: $0) },
                until: try wanted["until"]?.string.map { try ArchiveDay(text: $0) })
            let all = try events(entry.list("events"))
            let kept = all.indices.filter { filter.matches(all[$0]) }
            #expect(kept == (try entry.list("kept").compactMap { $0.number?.int }))
        }
    }

    @Test("wanted days are grouped into ranges")
    func spans() throws {
        for entry in try ArchiveFixtures.read("analysis").list("spans") {
            let days = try entry.list("days").map { try ArchiveDay(text: try #require($0.string)) }
            let ranges = WantedRange.group(days.reversed() + days)
            let expected = try entry.list("ranges")
            #expect(ranges.count == expected.count)
            for (range, entry) in zip(ranges, expected) {
                #expect(range.first.description == (try entry.text("first")))
                #expect(range.last.description == (try entry.text("last")))
                #expect(range.wanted.map(\.description) == (try entry.list("inside").compactMap(\.string)))
            }
        }
    }

    @Test("activities have names")
    func activities() throws {
        let fixture = try ArchiveFixtures.read("analysis")
        for member in try fixture.at("activities").object?.members ?? [] {
            #expect(Workout.name(member.key) == member.value.string)
        }
        for entry in try fixture.list("activity_unknown") {
            #expect(Workout.name(entry["raw"]?.string) == (try entry.text("name")))
        }
    }

    @Test("the tools take the published arguments")
    func surface() throws {
        let fixture = try ArchiveFixtures.read("mcp-surface")
        let expected = try fixture.list("tools")
        #expect(ToolCatalog.names == (try expected.map { try $0.text("name") }))
        for (tool, entry) in zip(ToolCatalog.list, expected) {
            #expect((try tool.at("inputSchema")).canonical == (try entry.at("inputSchema")).canonical)
        }
        #expect(RPCMessage.protocolVersions == (try fixture.list("protocol_versions").compactMap(\.string)))
        #expect(MetricCatalog.totalNames == (try fixture.list("totals").compactMap(\.string)))
    }
}
