import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

@Suite struct ApplicationTests {
    private func refusalOfPlan(
        _ session: ReceiverSession, _ file: PartitionFile, _ descriptor: PartitionDescriptor
    ) throws -> String? {
        var session = session
        _ = try session.beginApplication(of: descriptor)
        do {
            _ = try session.plan(file, sha256: descriptor.sha256)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a whole partition is planned, committed and counted")
    func wholePartition() throws {
        let fixture = try DestinationFixture()
        let session = try fixture.filled()
        #expect(session.nextPartitionIndex == 1 && session.journal.days.count == 2)
        #expect(session.journal.partialItems.isEmpty && session.application == nil)
        #expect(session.journal.processedRequestedDayCount == 2)
        #expect(session.journal.totalPartitionBytes == session.journal.committedPartitions[0].byteCount)
    }

    @Test("a committed partition is applied without work; another digest breaks the chain")
    func replay() throws {
        let fixture = try DestinationFixture()
        var session = try fixture.filled()
        let descriptor = try fixture.opened().descriptor
        #expect(try session.beginApplication(of: descriptor) == false)
        let file = try fixture.file(0, fixture.items.map { ($0, 1_000) })
        let other = try fixture.descriptor(file, seed: "other")
        #expect(throws: PartitionRefusal.chain) { try session.beginApplication(of: other) }
    }

    @Test("one application at a time")
    func oneAtATime() throws {
        var (session, _, descriptor) = try DestinationFixture().opened()
        #expect(try session.beginApplication(of: descriptor) == true)
        #expect(throws: PartitionRefusal.applicationRunning) { try session.beginApplication(of: descriptor) }
        session.abandonApplication()
        #expect(try session.beginApplication(of: descriptor) == true)
    }

    @Test("an item goes on where its durable prefix ends, with the same identity")
    func continuity() throws {
        let fixture = try DestinationFixture()
        var (session, _, _) = try fixture.opened()
        let firstFile = try fixture.file(0, [(fixture.items[0], 600)])
        let first = try fixture.descriptor(firstFile)
        #expect(try session.beginApplication(of: first) == true)
        let prefix = SHA256.hash([7])
        let commit = try session.commit(
            session.plan(firstFile, sha256: first.sha256), [.partial(prefixSHA256: prefix)])
        #expect(commit.partialItems.map(\.nextOffset) == [600] && commit.days.isEmpty)

        func item(
            _ offset: Int64, total: Int64 = 1_000, sha256: Digest? = nil, date: ProtocolDate? = nil, id: UUID? = nil
        ) -> PendingItem {
            PendingItem(
                itemID: id ?? fixture.items[0].itemID, kind: .strictRawDay,
                sourceDate: date ?? fixture.dates[0], isRequestedDate: true, totalBytes: total,
                sha256: sha256 ?? fixture.items[0].sha256, nextOffset: offset)
        }
        func outcome(_ item: PendingItem) throws -> String? {
            let file = try fixture.file(1, [(item, item.remainingBytes)], previous: first.sha256)
            return try refusalOfPlan(session, file, fixture.descriptor(file))
        }
        #expect(try outcome(item(600)) == nil)
        #expect(try outcome(item(599)) == "segment_invalid")
        #expect(try outcome(item(0)) == "segment_invalid")
        #expect(try outcome(item(600, total: 1_001)) == "segment_invalid")
        #expect(try outcome(item(600, sha256: SHA256.hash([1]))) == "segment_invalid")
        #expect(try outcome(item(600, date: fixture.dates[1])) == "segment_invalid")
        #expect(try outcome(item(1, id: UUID())) == "segment_invalid")
        #expect(try outcome(item(0, id: UUID())) == "segment_invalid")

        let rest = try fixture.file(1, [(item(600), 400)], previous: first.sha256)
        let second = try fixture.descriptor(rest)
        #expect(try session.beginApplication(of: second) == true)
        let plans = try session.plan(rest, sha256: second.sha256)
        #expect(plans.map(\.prefixSHA256) == [prefix])
        _ = try session.commit(plans, [.complete(fixture.content(fixture.items[0]))])
        #expect(session.journal.partialItems.isEmpty && session.journal.days.count == 1)
    }

    @Test("a completed item or day never comes again")
    func completedNeverAgain() throws {
        let fixture = try DestinationFixture()
        var (session, _, _) = try fixture.opened()
        let firstFile = try fixture.file(0, [(fixture.items[0], 1_000)])
        let first = try fixture.descriptor(firstFile)
        #expect(try session.beginApplication(of: first) == true)
        _ = try session.commit(
            session.plan(firstFile, sha256: first.sha256), [.complete(fixture.content(fixture.items[0]))])
        var again = fixture.items[0]
        for id in [again.itemID, UUID()] {
            again = PendingItem(
                itemID: id, kind: again.kind, sourceDate: again.sourceDate, isRequestedDate: true, totalBytes: 1_000,
                sha256: again.sha256)
            let file = try fixture.file(1, [(again, 1_000)], previous: first.sha256)
            #expect(try refusalOfPlan(session, file, fixture.descriptor(file)) == "segment_invalid")
        }
    }

    @Test("kind and flag of a segment follow from the manifest")
    func kindAndFlag() throws {
        let fixture = try DestinationFixture()
        let session = try fixture.opened().session
        let item = fixture.items[0]
        for (kind, isRequested) in [(ItemKind.macHealthDay, true), (.strictRawDay, false)] {
            let wrong = PendingItem(
                itemID: item.itemID, kind: kind, sourceDate: item.sourceDate, isRequestedDate: isRequested,
                totalBytes: 1_000, sha256: item.sha256)
            let file = try fixture.file(0, [(wrong, 1_000)])
            #expect(try refusalOfPlan(session, file, fixture.descriptor(file)) == "segment_invalid")
        }
    }

    @Test("the file must be the partition that was described")
    func wrongFile() throws {
        let fixture = try DestinationFixture()
        var (session, file, descriptor) = try fixture.opened()
        #expect(try session.beginApplication(of: descriptor) == true)
        #expect(throws: PartitionRefusal.self) { try session.plan(file, sha256: SHA256.hash([0])) }
        let other = try fixture.file(0, [(fixture.items[0], 1_000)])
        #expect(throws: PartitionRefusal.self) { try session.plan(other, sha256: descriptor.sha256) }
    }

    @Test("a completed raw day must be the day that its segment announced")
    func rawDayRules() throws {
        let fixture = try DestinationFixture()
        func refused(_ change: (inout ItemFacts.RawDay) -> Void) throws -> Bool {
            var (session, file, descriptor) = try fixture.opened()
            let before = session.journal
            _ = try session.beginApplication(of: descriptor)
            let plans = try session.plan(file, sha256: descriptor.sha256)
            let results: [SegmentResult] = fixture.items.map { item in
                guard case .rawDay(var day) = fixture.content(item) else { return .complete(fixture.content(item)) }
                if item == fixture.items[1] { change(&day) }
                return .complete(.rawDay(day))
            }
            do {
                _ = try session.commit(plans, results)
                return false
            } catch {
                #expect(session.journal == before)
                return error.code == "item_invalid"
            }
        }
        #expect(try !refused { _ in })
        #expect(try refused { $0.sourceDate = fixture.dates[0] })
        #expect(try refused { $0.label = "2026-01-09" })
    }

    @Test("a completed health day must be the day that its segment announced; no data counts as complete")
    func healthDayRules() throws {
        let fixture = try DestinationFixture(mode: .writeFiles)
        func content(_ change: (inout ItemFacts.HealthDay) -> Void) throws -> DestinationJournal.DayContent? {
            var (session, file, descriptor) = try fixture.opened()
            _ = try session.beginApplication(of: descriptor)
            let plans = try session.plan(file, sha256: descriptor.sha256)
            let results: [SegmentResult] = fixture.items.map { item in
                guard case .healthDay(var day) = fixture.content(item) else { return .complete(fixture.content(item)) }
                if item == fixture.items[0] { change(&day) }
                return .complete(.healthDay(day))
            }
            do {
                return try session.commit(plans, results).days[0].content
            } catch {
                #expect(error.code == "item_invalid")
                return nil
            }
        }
        let date = fixture.dates[0]
        #expect(try content { _ in } == .record)
        #expect(try content { $0.record = .absent } == .noData)
        #expect(
            try content {
                $0.record = .absent
                $0.failure = .init(date: date, reason: "device_locked")
            } == .failed(reason: "device_locked"))
        #expect(try content { $0.failure = .init(date: fixture.dates[1], reason: "unknown") } == nil)
        #expect(try content { $0.record = .present(isOnSourceDay: false) } == nil)
        #expect(try content { $0.sourceDate = fixture.dates[1] } == nil)
        #expect(try content { $0.isRequestedDate = false } == nil)
    }
}
