import ConnectedProtocol
import Foundation
import Testing

@testable import Receiver

private func moment(_ seconds: Double) -> Moment {
    Moment(wall: 790_000_000 + seconds, monotonic: seconds)
}
private let phoneID = UUID()
private let root = DestinationBinding(path: "/data/Health", device: 1, inode: 2)

private func phone(_ id: UUID = phoneID, connected: Bool = true) -> PeerFacts {
    PeerFacts(
        installationID: id, name: "Phone", isConnected: connected, supportsExportRequests: true,
        supportsSelection: true, supportsAllAvailableHistory: true,
        rawProfiles: [.canonicalSourceRecords, .healthDataProjection], isDurable: true)
}

private func around(_ peers: [PeerFacts] = [phone()], _ destination: DestinationFacts = .ready(root))
    -> JobBook.Surroundings
{
    JobBook.Surroundings(peers: peers, destination: destination)
}

private func request(_ id: UUID = UUID(), _ change: (inout JobRequest) -> Void = { _ in }) -> JobRequest {
    let first = CalendarDay("2026-03-15")
    let last = CalendarDay("2026-03-16")
    guard let first, let last else { preconditionFailure("dates of the test") }
    var request = JobRequest(
        jobID: id, dateSelection: .explicitRange(first: first, last: last), waitTimeoutSeconds: 120)
    change(&request)
    return request
}

private func waiter(_ number: UInt64) -> WaiterID { WaiterID(rawValue: number) }

private func sentBook(_ id: UUID, at seconds: Double = 0) -> JobBook {
    var book = JobBook()
    _ = book.create(request(id), in: around(), waiter: waiter(1), now: moment(seconds))
    return book
}

@Suite struct JobAdmissionTests {
    @Test("an admitted request is stored before it is sent, and its waiter is registered")
    func admission() throws {
        var book = JobBook()
        let id = UUID()
        let (submission, actions) = book.create(request(id), in: around(), waiter: waiter(1), now: moment(0))
        #expect(submission == .waiting)
        let job = try #require(book.jobs[id])
        #expect(actions == [.store(job), .sendRequest(jobID: id)])
        #expect(job.state == .sent && job.totalDays == 2)
        #expect(job.expiresAt - job.createdAt == 604_800)
        #expect(job.response.httpStatus == 202)
    }

    @Test("the preflight names the first rule that fails, in the order of the specification")
    func preflightOrder() {
        func refusal(_ request: JobRequest, _ surroundings: JobBook.Surroundings) -> JobRefusal? {
            var book = JobBook()
            let (submission, actions) = book.create(request, in: surroundings, waiter: waiter(1), now: moment(0))
            guard case .refused(let refusal) = submission else { return nil }
            #expect(actions.isEmpty && book.jobs.isEmpty)
            return refusal
        }
        var bare = phone()
        bare.supportsExportRequests = false
        bare.supportsAllAvailableHistory = false
        bare.rawProfiles = []
        let everything = request {
            $0.dateSelection = .allAvailable
            $0.responseMode = .rawJSON
            $0.rawProfile = .canonicalSourceRecords
        }
        #expect(refusal(everything, around([], .notSelected)) == .notPaired)
        #expect(refusal(everything, around([phone(connected: false)], .notSelected)) == .phoneNotConnected)
        #expect(refusal(everything, around([bare], .notSelected)) == .unsupportedPhone)
        bare.supportsExportRequests = true
        #expect(refusal(everything, around([bare], .notSelected)) == .unsupportedAllAvailableHistory)
        bare.supportsAllAvailableHistory = true
        #expect(refusal(everything, around([bare], .notSelected)) == .unsupportedRawProfile)
        #expect(refusal(request(), around([bare], .notSelected)) == .destinationUnavailable)
        #expect(refusal(request(), around([bare], .unavailable)) == .destinationUnavailable)
        bare.supportsSelection = false
        let selecting = request { $0.canonicalSelection = .init(metricIDs: ["steps"]) }
        #expect(refusal(selecting, around([bare])) == .unsupportedCanonicalSelection)
        let other = UUID()
        #expect(
            refusal(request(), around([phone(), phone(other)]))
                == .deviceSelectionRequired([phoneID, other].sorted { $0.uuidString < $1.uuidString }))
        #expect(refusal(request { $0.deviceID = UUID() }, around()) == .deviceNotPaired)
        #expect(refusal(request { $0.deviceID = UUID() }, around([])) == .notPaired)
    }

    @Test("a raw job needs no destination and binds none")
    func rawNeedsNoDestination() {
        var book = JobBook()
        let id = UUID()
        let raw = request(id) {
            $0.responseMode = .rawJSON
            $0.rawProfile = .canonicalSourceRecords
        }
        #expect(book.create(raw, in: around([phone()], .notSelected), waiter: waiter(1), now: moment(0)).0 == .waiting)
        #expect(book.jobs[id]?.destination == nil)
    }

    @Test("the same job id with an equal request resumes, with another one it is refused")
    func repeatedID() {
        let id = UUID()
        var book = sentBook(id)
        book.detach(waiter(1))
        let same = request(id) { $0.waitTimeoutSeconds = 7 }
        let (submission, actions) = book.create(same, in: around(), waiter: waiter(2), now: moment(1))
        #expect(submission == .waiting && actions.isEmpty)
        let other = request(id) { $0.settingsPolicy = .currentIPhoneSettings }
        #expect(
            book.create(other, in: around(), waiter: waiter(3), now: moment(1)).0 == .refused(.requestMismatch))
    }

    @Test("live jobs are serial, a paused one blocks too, a phone's own job blocks only that phone")
    func serial() throws {
        let id = UUID()
        var book = sentBook(id)
        #expect(
            book.create(request(), in: around(), waiter: waiter(2), now: moment(1)).0
                == .refused(.exportInProgress(active: id)))
        _ = book.disconnected(from: phoneID, now: moment(2))
        #expect(book.jobs[id]?.state == .paused)
        #expect(
            book.create(request(), in: around(), waiter: waiter(2), now: moment(3)).0
                == .refused(.exportInProgress(active: id)))

        var pushed = JobBook()
        let own = Job(
            id: UUID(), origin: .sourceInitiated, request: nil, peerInstallationID: phoneID, peerName: "Phone",
            isDurable: true, destination: root, createdAt: moment(0).unixSeconds, state: .transferring, message: "")
        _ = pushed.admitSourceInitiated(own, now: moment(0))
        let other = UUID()
        let peers = [phone(), phone(other)]
        #expect(
            pushed.create(request { $0.deviceID = phoneID }, in: around(peers), waiter: waiter(1), now: moment(1)).0
                == .refused(.exportInProgress(active: own.id)))
        #expect(
            pushed.create(request { $0.deviceID = other }, in: around(peers), waiter: waiter(1), now: moment(1)).0
                == .waiting)
    }

    @Test("a request may be queued for a phone that is away, and hello sends it once")
    func queueing() throws {
        var book = JobBook()
        let id = UUID()
        let queued = request(id) { $0.queueIfOffline = true }
        let away = around([phone(connected: false)])
        let (submission, actions) = book.create(queued, in: away, waiter: waiter(1), now: moment(0))
        guard case .answered(let response) = submission else {
            Issue.record("not answered")
            return
        }
        #expect(response.status == .accepted && response.durable?.state == .queued)
        #expect(actions.count == 1)
        let sent = book.hello(from: phone(), isUsable: { $0 == root }, now: moment(9))
        #expect(sent.last == .sendRequest(jobID: id) && book.jobs[id]?.state == .sent)
        #expect(book.hello(from: phone(), isUsable: { _ in true }, now: moment(9)).isEmpty)
    }

    @Test("a damaged stored job is refused by its id")
    func corrupt() {
        let id = UUID()
        var book = JobBook(corruptJobIDs: [id])
        #expect(book.create(request(id), in: around(), waiter: waiter(1), now: moment(0)).0 == .refused(.stateCorrupt))
    }
}

@Suite struct JobProgressTests {
    @Test("acknowledgement, preparation and session lead through the states; counters never go down")
    func states() {
        let id = UUID()
        var book = sentBook(id)
        _ = book.acknowledged(id, resolvedDates: nil, now: moment(1))
        #expect(book.jobs[id]?.state == .accepted)
        _ = book.prepared(id, processedDays: 1, totalDays: 2, now: moment(2))
        #expect(book.jobs[id]?.state == .preparing)
        let session = UUID()
        let born = moment(3).unixSeconds + 100
        _ = book.sessionOpened(id, sessionID: session, sessionCreatedAt: born, totalDays: 2, now: moment(3))
        #expect(book.jobs[id]?.state == .transferring)
        #expect(book.jobs[id]?.expiresAt == born + 604_800)
        _ = book.advanced(id, committedPartitions: 2, committedBytes: 90, processedDays: 2, message: "", now: moment(4))
        _ = book.advanced(id, committedPartitions: 1, committedBytes: 40, processedDays: 1, message: "", now: moment(5))
        #expect(book.jobs[id]?.committedPartitions == 2 && book.jobs[id]?.committedBytes == 90)
        #expect(book.jobs[id]?.processedDays == 2)
        _ = book.acknowledged(id, resolvedDates: nil, now: moment(6))
        #expect(book.jobs[id]?.state == .transferring)
    }

    @Test("while paused, acknowledgements and progress are ignored and status snapshots are not")
    func paused() {
        let id = UUID()
        var book = sentBook(id)
        let actions = book.disconnected(from: phoneID, now: moment(1))
        #expect(
            actions.contains {
                guard case .answer(_, let response) = $0 else { return false }
                return response.status == .accepted && response.durable?.isPaused == true
            })
        #expect(book.acknowledged(id, resolvedDates: nil, now: moment(2)).isEmpty)
        #expect(book.prepared(id, processedDays: 1, totalDays: 2, now: moment(2)).isEmpty)
        let status = PeerJobStatus(state: .transferring, processedDays: 1, totalDays: 2, updatedAt: 10)
        _ = book.peerStatus(id, status, now: moment(3))
        #expect(book.jobs[id]?.state == .transferring)
        let old = PeerJobStatus(state: .failed, processedDays: 0, totalDays: 2, updatedAt: 9)
        #expect(book.peerStatus(id, old, now: moment(4)).isEmpty)
    }

    @Test("all_available pins the phone's list once and fails without one")
    func pinning() {
        let id = UUID()
        var book = JobBook()
        let all = request(id) { $0.dateSelection = .allAvailable }
        _ = book.create(all, in: around(), waiter: waiter(1), now: moment(0))
        var failing = book
        _ = failing.acknowledged(id, resolvedDates: ["2026-03-16", "2026-03-15"], now: moment(1))
        #expect(failing.jobs[id]?.result?.failureReason == "missing_resolved_date_set")
        _ = book.acknowledged(id, resolvedDates: ["2026-03-15", "2026-03-18"], now: moment(1))
        #expect(book.jobs[id]?.pinnedDates == ["2026-03-15", "2026-03-18"] && book.jobs[id]?.totalDays == 2)
        _ = book.acknowledged(id, resolvedDates: ["2026-03-15"], now: moment(2))
        #expect(book.jobs[id]?.pinnedDates == ["2026-03-15", "2026-03-18"])
    }

    @Test("a terminal job never changes again and its response is stored")
    func terminal() {
        let id = UUID()
        var book = sentBook(id)
        let done = ControlResponse(status: .success, message: "Done.", jobID: id)
        let actions = book.finish(id, done, now: moment(1))
        #expect(actions.count == 2)
        #expect(book.finish(id, ControlResponse(status: .failure, message: "", jobID: id), now: moment(2)).isEmpty)
        #expect(book.disconnected(from: phoneID, now: moment(3)).isEmpty)
        let failed = PeerJobStatus(state: .failed, processedDays: 0, totalDays: 2, updatedAt: 99)
        #expect(book.peerStatus(id, failed, now: moment(4)).isEmpty)
        #expect(book.jobs[id]?.response.status == .success)
        guard
            case .answered(let response) = book.resume(
                id, waitTimeoutSeconds: 5, in: around([]), waiter: waiter(9), now: moment(5)
            ).0
        else {
            Issue.record("a terminal job is answered at once")
            return
        }
        #expect(response.message == "Done.")
    }

    @Test("after a restart everything under way is paused")
    func restart() {
        let id = UUID()
        let book = sentBook(id)
        let restored = JobBook(restoring: Array(book.jobs.values))
        #expect(restored.jobs[id]?.state == .paused)
        #expect(restored.jobs[id]?.expiresAt == book.jobs[id]?.expiresAt)
    }
}

@Suite struct JobWaitingTests {
    @Test("progress restarts the time-out; silence ends the wait and not the job")
    func inactivity() {
        let id = UUID()
        var book = sentBook(id)
        for second in stride(from: 119.0, through: 1_190, by: 119) {
            #expect(book.expire(now: moment(second)).isEmpty)
            book.noteProgress(of: id, now: moment(second))
        }
        let actions = book.expire(now: moment(1_190 + 120))
        guard case .answer(waiter(1), let response) = actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(response.status == .timedOut && response.httpStatus == 408 && response.failureReason == "timedOut")
        #expect(book.jobs[id]?.state == .sent)
    }

    @Test("one waiter per job; a detached one is never answered")
    func oneWaiter() {
        let id = UUID()
        var book = sentBook(id)
        let second = { (book: inout JobBook) in
            book.resume(id, waitTimeoutSeconds: 5, in: around(), waiter: waiter(2), now: moment(1)).0
        }
        #expect(second(&book) == .refused(.waiterExists))
        book.detach(waiter(1))
        #expect(book.finish(id, ControlResponse(status: .success, message: "", jobID: id), now: moment(2)).count == 1)
    }

    @Test("seven days after its birth a job is gone and its waiter hears it")
    func expiry() {
        let id = UUID()
        var book = sentBook(id)
        #expect(book.expire(now: moment(119)).isEmpty)
        book.noteProgress(of: id, now: Moment(wall: 0, monotonic: 9e9))
        let actions = book.expire(now: moment(604_800))
        #expect(actions.count == 2 && book.jobs.isEmpty)
        #expect(
            book.resume(id, waitTimeoutSeconds: 5, in: around(), waiter: waiter(2), now: moment(604_801)).0
                == .refused(.jobNotFound))
    }

    @Test("a job lives 604,800 seconds, resumed or not, and not one longer")
    func lifetime() throws {
        let id = UUID()
        var book = sentBook(id)
        let born = try #require(book.jobs[id])
        #expect(born.expiresAt - born.createdAt == 604_800)
        _ = book.disconnected(from: phoneID, now: moment(300_000))
        let (submission, _) = book.resume(
            id, waitTimeoutSeconds: 5, in: around(), waiter: waiter(2), now: moment(604_000))
        #expect(submission == .waiting)
        let resumed = try #require(book.jobs[id])
        #expect(resumed.createdAt == born.createdAt && resumed.expiresAt == born.expiresAt)
        _ = book.expire(now: moment(604_799))
        #expect(book.jobs[id] != nil)
        let actions = book.expire(now: moment(604_800))
        #expect(book.jobs[id] == nil && !actions.isEmpty)
    }

    @Test("resume resends a paused job, and only with its own phone and destination")
    func resume() {
        let id = UUID()
        var book = sentBook(id)
        _ = book.disconnected(from: phoneID, now: moment(1))
        func attempt(_ surroundings: JobBook.Surroundings) -> JobSubmission {
            var copy = book
            return copy.resume(id, waitTimeoutSeconds: 5, in: surroundings, waiter: waiter(2), now: moment(2)).0
        }
        #expect(attempt(around([phone(connected: false), phone(UUID())])) == .refused(.peerChanged))
        #expect(attempt(around([phone(connected: false)])) == .refused(.phoneNotConnected))
        let moved = DestinationBinding(path: "/data/Health", device: 1, inode: 3)
        #expect(attempt(around([phone()], .ready(moved))) == .refused(.destinationUnavailable))
        let (submission, actions) = book.resume(
            id, waitTimeoutSeconds: 5, in: around(), waiter: waiter(2), now: moment(2))
        #expect(submission == .waiting && actions.last == .sendRequest(jobID: id))
        #expect(book.jobs[id]?.state == .sent)
    }
}

@Suite struct JobCancellationTests {
    private func cancelled(_ id: UUID) -> ControlResponse {
        ControlResponse(status: .cancelled, message: "Export cancelled.", jobID: id, failureReason: "cancelled")
    }

    @Test("a cancel is stored, answers the waiter, and is told to the phone at every hello until expiry")
    func tombstone() {
        let id = UUID()
        var book = sentBook(id)
        let (outcome, actions) = book.cancel(id, result: cancelled(id), isStepInFlight: false, now: moment(1))
        guard case .cancelled(let response) = outcome else {
            Issue.record("not cancelled")
            return
        }
        #expect(response.httpStatus == 409 && actions.last == .sendCancel(jobID: id) && actions.count == 3)
        var restored = JobBook(restoring: Array(book.jobs.values))
        for second in [5.0, 6.0] {
            #expect(
                restored.hello(from: phone(), isUsable: { _ in true }, now: moment(second))
                    == [.sendCancel(jobID: id)])
        }
        #expect(restored.hello(from: phone(UUID()), isUsable: { _ in true }, now: moment(7)).isEmpty)
    }

    @Test("a cancel inside a file step is remembered and answered as preparing")
    func deferred() {
        let id = UUID()
        var book = sentBook(id)
        let (outcome, actions) = book.cancel(id, result: cancelled(id), isStepInFlight: true, now: moment(1))
        guard case .deferred(let response) = outcome else {
            Issue.record("not deferred")
            return
        }
        #expect(response.status == .preparing && response.failureReason == "cancellation_deferred")
        #expect(actions.count == 1 && book.jobs[id]?.isCancellationWanted == true)
    }

    @Test("cancelling a terminal or unknown job changes nothing")
    func unchanged() {
        let id = UUID()
        var book = sentBook(id)
        _ = book.finish(id, ControlResponse(status: .success, message: "Done.", jobID: id), now: moment(1))
        let (outcome, actions) = book.cancel(id, result: cancelled(id), isStepInFlight: false, now: moment(2))
        guard case .alreadyTerminal(let response) = outcome else {
            Issue.record("changed")
            return
        }
        #expect(response.status == .success && actions.isEmpty)
        let unknown = UUID()
        #expect(
            book.cancel(unknown, result: cancelled(unknown), isStepInFlight: false, now: moment(2)).0 == .notFound)
    }
}
