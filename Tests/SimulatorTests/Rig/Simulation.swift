import Cryptography
import DurableStore
import Foundation

@testable import ConnectedProtocol
@testable import Receiver
@testable import Sender

/// A receiver and a phone, each on a machine of its own, with a network between them, a client and the weather: all on one thread and
/// from one seed.
///
/// What the product does on threads (engine, disk worker, connections) are queues here. Each step lets one of those that have something
/// to do go on by one piece, chosen by the seed; when none has, the clock goes to the next deadline. After each step the invariants
/// are checked; what a side tells the other is checked when it is told, against what its disk would hold if the power went at that moment.
final class Simulation: @unchecked Sendable {
    /// Why a run is not right.
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    let seed: UInt64
    let scenario: Scenario
    let weather: Weather
    let time = SimulatedTime()
    let jobID: UUID
    let receiverID = Simulation.receiverID
    let phoneID = Simulation.phoneID
    var random: SimulationRandom
    private var identities: SimulationRandom
    let receiverMachine: Machine
    let phoneMachine: Machine
    var receiver: ReceiverProcess?
    var phone: PhoneProcess?
    var receiverStartsAt: Double? = 0
    var phoneStartsAt: Double? = 0
    private var incarnations = 0
    var wires: [Wire] = []
    /// The connection that the phone believes in.
    var phoneWire: Wire?
    private var wireCount: UInt64 = 0
    var dialsAt: Double? = 0
    lazy var client = SimulatedClient(self)
    lazy var invariants = Invariants(self)
    var trace = Trace()
    var violation: Violation?
    var steps = 0
    var faultCount = 0
    /// When the last fault is over.
    var calmSince: Double?
    var fullUntil: [ObjectIdentifier: Double] = [:]

    init(seed: UInt64, scenario: Scenario, weather: Weather) throws {
        self.seed = seed
        self.scenario = scenario
        self.weather = weather
        random = SimulationRandom(seed: seed ^ 0x5EED)
        identities = SimulationRandom(seed: seed ^ 0x1D)
        jobID = identities.uuid()
        receiverMachine = Machine("receiver", time: time, disk: try Simulation.preparedDisks.receiver.get())
        phoneMachine = Machine("phone", time: time, disk: try Simulation.preparedDisks.phone.get())
        if weather.faultLimit == 0 { calmSince = 0 }
    }

    private static let receiverID = UUID(uuidString: "D0000000-0000-4000-8000-000000000001").unsafelyUnwrapped
    private static let phoneID = UUID(uuidString: "F0000000-0000-4000-8000-000000000002").unsafelyUnwrapped

    /// What every run begins with: made once.
    private static let preparedDisks = (
        receiver: Result { try ReceiverProcess.prepared(receiverID: receiverID, phoneID: phoneID) },
        phone: Result { try PhoneProcess.prepared() }
    )

    /// What a run came to.
    struct Outcome {
        let result: SimulatedResult
        let steps: Int
        let faults: Int
        let digest: UInt64
    }

    /// Most steps of a run.
    private static let stepLimit = 60_000
    /// Steps after which nothing goes wrong any more.
    private static let faultStepLimit = 8_000
    /// Seconds from the last fault until everything must be over.
    private static let patience = 6 * 3_600.0

    /// Runs to the end; throws the violation.
    func run() throws -> Outcome {
        while !isOver() {
            try step()
            if steps > Simulation.stepLimit { throw Violation(description: "more than \(Simulation.stepLimit) steps") }
            if let calmSince, time.now - calmSince > Simulation.patience {
                throw Violation(
                    description: "not finished \(Int(Simulation.patience)) s after the last fault: \(describeEnds())")
            }
        }
        if calmSince == nil { heal() }
        try settle()
        // Everything must also be there for the processes after these.
        stopBoth()
        startReceiver()
        startPhone()
        dialsAt = nil
        try settle()
        if let violation { throw violation }
        let result = try invariants.checkEnd()
        return Outcome(result: result, steps: steps, faults: faultCount, digest: trace.digest)
    }

    private func step() throws {
        steps += 1
        try brew()
        let actors = readyActors()
        if actors.isEmpty {
            passTime()
        } else {
            time.now += random.seconds(0.000_1...0.001)
            try act(random.pick(actors))
        }
        if let violation { throw violation }
    }

    /// Lets everything that is on the way come to rest.
    private func settle() throws {
        for _ in 0..<2_000 {
            let actors = readyActors()
            guard !actors.isEmpty else { return }
            time.now += 0.001
            try act(random.pick(actors))
            if let violation { throw violation }
        }
    }

    func note(_ who: String, _ what: String) { trace.add(time.now, who, what) }

    func fail(_ text: String) {
        if violation == nil { violation = Violation(description: text) }
        note("!!!", text)
    }

    func makeIdentity() -> UUID { identities.uuid() }

    private func describeEnds() -> String {
        let receiverState = receiver?.engine.book.jobs[jobID]
        let phoneState = phone?.engine.jobs[jobID]?.session
        return
            "receiver \(receiverState?.state.rawValue ?? "without the job") (\(receiverState?.message ?? "-")), phone "
            + "\(phoneState?.journal.progress.state.rawValue ?? "without the job at work") "
            + "(\(phoneState?.journal.progress.statusMessage ?? "-")), client \(client.state), connected "
            + "\(receiver?.engine.peers.isEmpty == false)/\(phone?.engine.link != nil)"
    }

    // MARK: - Who may go on

    private enum Actor {
        case receiverEngine, receiverWorker, receiverTick
        case phoneEngine, phoneWorker, phoneTimer
        case toReceiver(Wire), toPhone(Wire)
        case client, dial, startReceiver, startPhone
    }

    private func readyActors() -> [Actor] {
        var actors: [Actor] = []
        if let receiver {
            if !receiver.worker.isEmpty { actors.append(.receiverWorker) }
            if !receiver.queue.isEmpty {
                actors.append(.receiverEngine)
            } else if receiver.engine.secondsUntilTick() <= 0 {
                actors.append(.receiverTick)
            }
        } else if let receiverStartsAt, receiverStartsAt <= time.now {
            actors.append(.startReceiver)
        }
        if let phone {
            if phone.hasWork { actors.append(.phoneWorker) }
            if !phone.mailbox.isEmpty {
                actors.append(.phoneEngine)
            } else if let deadline = phone.engine.nextDeadline, phoneMachine.simulated(deadline) <= time.now {
                actors.append(.phoneTimer)
            }
            if let dialsAt, dialsAt <= time.now, phoneWire == nil { actors.append(.dial) }
        } else if let phoneStartsAt, phoneStartsAt <= time.now {
            actors.append(.startPhone)
        }
        for wire in wires {
            if let first = wire.toReceiver.first, first.time <= time.now { actors.append(.toReceiver(wire)) }
            if let first = wire.toPhone.first, first.time <= time.now { actors.append(.toPhone(wire)) }
        }
        if let wakesAt = client.wakesAt, wakesAt <= time.now, receiver != nil { actors.append(.client) }
        return actors
    }

    /// Nobody has anything to do: the clock goes to the next deadline.
    private func passTime() {
        var times: [Double] = []
        if let receiver {
            times.append(time.now + receiver.engine.secondsUntilTick())
        } else if let receiverStartsAt {
            times.append(receiverStartsAt)
        }
        if let phone {
            if let deadline = phone.engine.nextDeadline { times.append(phoneMachine.simulated(deadline)) }
            if let dialsAt, phoneWire == nil { times.append(dialsAt) }
        } else if let phoneStartsAt {
            times.append(phoneStartsAt)
        }
        for wire in wires { times += [wire.toReceiver.first?.time, wire.toPhone.first?.time].compactMap(\.self) }
        if let wakesAt = client.wakesAt, receiver != nil { times.append(wakesAt) }
        times += fullUntil.values
        // A little more, so that rounding does not leave a deadline in the future.
        time.now = max(time.now, (times.min() ?? time.now) + 0.000_001)
    }

    private func act(_ actor: Actor) throws {
        switch actor {
        case .receiverEngine: withReceiver { $0.queue.runOne() }
        case .receiverWorker: withReceiver { $0.worker.runOne() }
        case .receiverTick: withReceiver { $0.engine.tick() }
        case .phoneEngine: withPhone { $0.takeOne() }
        case .phoneWorker: withPhone { $0.workOnce() }
        case .phoneTimer: withPhone { $0.engine.handle(.timer) }
        case .toReceiver(let wire): deliver(toReceiver: wire)
        case .toPhone(let wire): deliver(toPhone: wire)
        case .client: client.act()
        case .dial: dial()
        case .startReceiver: startReceiver()
        case .startPhone: startPhone()
        }
    }

    private func withReceiver(_ body: (ReceiverProcess) -> Void) {
        guard let receiver else { return }
        body(receiver)
        if receiver.disk.isFrozen { return killReceiver(hasPower: true) }
        invariants.checkReceiver(receiver)
        if receiver.engine.store.database.hasFailedForGood {
            note("receiver", "exits: its database failed for good")
            killReceiver(hasPower: true)
        }
    }

    private func withPhone(_ body: (PhoneProcess) -> Void) {
        guard let phone else { return }
        body(phone)
        if phone.disk.isFrozen { return killPhone(hasPower: true) }
        invariants.checkPhone(phone)
        if phone.store.database.hasFailedForGood {
            note("phone", "exits: its database failed for good")
            killPhone(hasPower: true)
        }
    }

    // MARK: - Lives of processes

    private func startReceiver() {
        incarnations += 1
        do {
            receiver = try ReceiverProcess(on: receiverMachine, incarnation: incarnations) { [unowned self] line in
                // Without the time: the trace has its own.
                note("receiver", String(line.drop { $0 != " " }.dropFirst()))
            }
            receiverStartsAt = nil
            note("receiver", "started")
        } catch {
            note("receiver", "cannot start: \(stableCode(of: error))")
            receiverStartsAt = time.now + random.seconds(1...5)
            if calmSince != nil { fail("the receiver cannot start although nothing is wrong any more: \(error)") }
        }
    }

    private func startPhone() {
        incarnations += 1
        do {
            phone = try PhoneProcess(
                on: phoneMachine, incarnation: incarnations, installationID: phoneID, library: scenario.library,
                packing: scenario.packing, makeIdentity: { [unowned self] in makeIdentity() },
                report: { [unowned self] event in note("phone", event.summary) })
            phoneStartsAt = nil
            dialsAt = time.now
            if scenario.kind == .push { try queuePush() }
            note("phone", "started")
        } catch {
            phone?.disk.freeze()
            phone = nil
            note("phone", "cannot start: \(StoreFailure.code(of: error))")
            phoneStartsAt = time.now + random.seconds(1...5)
            if calmSince != nil { fail("the phone cannot start although nothing is wrong any more: \(error)") }
        }
    }

    private func stopBoth() {
        receiver?.disk.freeze()
        phone?.disk.freeze()
        (receiver, phone, phoneWire, wires) = (nil, nil, nil, [])
    }

    private var isPushQueued = false

    private func queuePush() throws {
        guard !isPushQueued, let phone else { return }
        let library = scenario.library
        try phone.store.queuePush(
            QueuedPush(
                jobID: jobID, firstDay: library.first.description,
                lastDay: library.day(scenario.dayCount - 1).description, queuedAt: phoneMachine.now.date))
        isPushQueued = true
    }

    func killReceiver(hasPower: Bool) {
        guard let receiver else { return }
        note("receiver", hasPower ? "died" : "lost its power")
        receiver.disk.freeze()
        if !hasPower { receiverMachine.losePower(seed: random.next()) }
        self.receiver = nil
        receiverStartsAt = time.now + random.seconds(0.1...6)
        for wire in wires where wire.receiverChannel?.incarnation == receiver.incarnation {
            wire.toReceiver = []
            cut(wire, phoneLearnsAfter: hasPower ? 0...0.2 : 5...35, receiverLearnsAfter: nil)
        }
        client.receiverDied()
        invariants.receiverDied()
    }

    func killPhone(hasPower: Bool) {
        guard let phone else { return }
        note("phone", hasPower ? "died" : "lost its power")
        phone.disk.freeze()
        if !hasPower { phoneMachine.losePower(seed: random.next()) }
        self.phone = nil
        phoneWire = nil
        phoneStartsAt = time.now + random.seconds(0.1...6)
        for wire in wires where wire.phoneChannel?.incarnation == phone.incarnation {
            wire.toPhone = []
            cut(wire, phoneLearnsAfter: nil, receiverLearnsAfter: hasPower ? 0...0.2 : 5...35)
        }
        invariants.phoneDied()
    }

    // MARK: - The network

    private func dial() {
        guard let phone else { return }
        guard let receiver else {
            dialsAt = time.now + random.seconds(0.5...4)
            return
        }
        wireCount += 1
        let wire = Wire(number: wireCount)
        wire.receiverChannel = ReceiverEnd(wire, self, incarnation: receiver.incarnation)
        wire.phoneChannel = PhoneEnd(wire, self, incarnation: phone.incarnation)
        let delay = random.seconds(0...weather.latency)
        wire.toReceiver.append((time.now + delay, .opened))
        wire.toPhone.append((time.now + delay, .opened))
        wires.append(wire)
        phoneWire = wire
        dialsAt = nil
        note("phone", "dials, connection \(wire.number)")
    }

    /// Breaks a connection: of what is on the way, some arrives and the rest does not. An end with nil never learns it.
    func cut(
        _ wire: Wire, phoneLearnsAfter phoneDelay: ClosedRange<Double>?,
        receiverLearnsAfter receiverDelay: ClosedRange<Double>?
    ) {
        guard !wire.isCut else { return }
        wire.isCut = true
        wire.toReceiver.removeLast(random.number(0...wire.toReceiver.count))
        wire.toPhone.removeLast(random.number(0...wire.toPhone.count))
        if let receiverDelay {
            let last = wire.toReceiver.last?.time ?? time.now
            wire.toReceiver.append((max(last, time.now + random.seconds(receiverDelay)), .closed))
        }
        if let phoneDelay {
            let last = wire.toPhone.last?.time ?? time.now
            wire.toPhone.append((max(last, time.now + random.seconds(phoneDelay)), .closed))
        }
        note("network", "connection \(wire.number) is cut")
    }

    private func arrival(after queue: [(time: Double, parcel: Parcel)]) -> Double {
        max(queue.last?.time ?? 0, time.now + random.seconds(0...weather.latency))
    }

    func receiverSends(_ document: [UInt8], on end: ReceiverEnd) {
        guard let receiver, receiver.incarnation == end.incarnation, !receiver.disk.isFrozen else { return }
        invariants.receiverSays(document, receiver)
        guard !end.wire.isCut else { return }
        end.wire.toPhone.append((arrival(after: end.wire.toPhone), .document(document)))
    }

    func phoneSends(_ parcel: Parcel, _ message: SyncMessage?, on end: PhoneEnd) {
        guard let phone, phone.incarnation == end.incarnation, !phone.disk.isFrozen else { return }
        if let message { invariants.phoneSays(message) }
        guard !end.wire.isCut else { return }
        end.wire.toReceiver.append((arrival(after: end.wire.toReceiver), parcel))
    }

    func receiverCloses(_ end: ReceiverEnd, _ reason: ConnectionEnd) {
        note("receiver", "closes connection \(end.wire.number): \(reason.code)")
        cut(end.wire, phoneLearnsAfter: 0...0.2, receiverLearnsAfter: 0...0)
    }

    func phoneCloses(_ end: PhoneEnd, _ reason: ConnectionEnd) {
        note("phone", "closes connection \(end.wire.number): \(reason.code)")
        cut(end.wire, phoneLearnsAfter: 0...0, receiverLearnsAfter: 0...0.2)
    }

    private func deliver(toReceiver wire: Wire) {
        let parcel = wire.toReceiver.removeFirst().parcel
        defer { forget(wire) }
        guard let receiver, let end = wire.receiverChannel, end.incarnation == receiver.incarnation else { return }
        let id = ConnectionID(wire.number)
        let engine = receiver.engine
        func post(_ event: PeerEvent) { receiver.queue.post { engine.handle(event, from: id) } }
        switch parcel {
        case .opened:
            guard let phone else { return }
            let opening = PeerOpening(
                installationID: phoneID, displayName: "Phone", capabilities: phone.engine.configuration.capabilities,
                usesSecureRecords: true, channel: end)
            post(.opened(opening))
        case .closed: post(.closed)
        case .document(let bytes):
            guard let message = decoded(bytes) else { return }
            note("net→receiver", message.name?.rawValue ?? "unknown")
            if case .transferChunk(let chunk) = message {
                post(chunkEvent(chunk.transferID, chunk.sequence, chunk.sha256, chunk.data))
            } else {
                post(.message(message))
            }
        case .frame(let frame, let payload):
            note("net→receiver", "frame \(frame.sequence)")
            post(chunkEvent(frame.transferID, Int(frame.sequence), frame.payloadSHA256, payload))
        }
    }

    private func chunkEvent(_ transferID: UUID, _ sequence: Int, _ stated: Digest, _ data: [UInt8]) -> PeerEvent {
        .chunk(
            transferID: transferID, sequence: sequence, stated: stated,
            payload: ChunkPayload(
                buffer: data, range: 0..<data.count, actualSHA256: SHA256.hash(data), release: { _ in }))
    }

    private func deliver(toPhone wire: Wire) {
        let parcel = wire.toPhone.removeFirst().parcel
        defer { forget(wire) }
        guard let phone, let end = wire.phoneChannel, end.incarnation == phone.incarnation else { return }
        switch parcel {
        case .opened:
            guard let receiver else { return }
            let capabilities = receiver.engine.ownCapabilities()
            phone.mailbox.append(
                .opened(
                    end,
                    PeerSession<SyncMessage>(
                        installationID: receiverID, displayName: "Desk",
                        hello: PeerHello(
                            installationID: receiverID, platform: capabilities.platform, extensions: nil),
                        message: .hello(capabilities), secureRecordVersion: 1)))
        case .closed:
            phone.mailbox.append(.closed(end, .peerClosed))
            guard phoneWire === wire else { return }
            phoneWire = nil
            dialsAt = time.now + random.seconds(0.05...3)
        case .document(let bytes):
            guard let message = decoded(bytes) else { return }
            note("net→phone", message.name?.rawValue ?? "unknown")
            phone.mailbox.append(.message(end, message))
        case .frame: fail("a receiver sends no frames")
        }
    }

    private func decoded(_ bytes: [UInt8]) -> SyncMessage? {
        do {
            let message = try SyncMessage.decode(bytes)
            if case .malformed(let malformed) = message {
                fail("a message breaks its rule: \(malformed.name) \(malformed.error.code)")
            }
            return message
        } catch {
            fail("a message cannot be read: \(error)")
            return nil
        }
    }

    /// Connections that are over and empty are forgotten.
    private func forget(_ wire: Wire) {
        guard wire.isCut, wire.toReceiver.isEmpty, wire.toPhone.isEmpty else { return }
        wires.removeAll { $0 === wire }
    }

    // MARK: - The end

    /// Whether a push was cancelled at the phone before the receiver had stored anything of it: there it never was.
    func isUnknownPush() -> Bool {
        guard scenario.kind == .push, client.hasCancelledAtPhone, let receiver, let phone else { return false }
        guard receiver.engine.book.jobs[jobID] == nil, phone.engine.jobs[jobID] == nil else { return false }
        do {
            return try phone.store.job(jobID)?.journal.progress.state == .cancelled
        } catch {
            return false  // Its disk fails at this moment.
        }
    }

    private func isOver() -> Bool {
        guard let receiver, let phone, phone.mailbox.isEmpty, receiver.queue.isEmpty,
            wires.allSatisfy({ $0.toReceiver.isEmpty && $0.toPhone.isEmpty })
        else { return false }
        if isUnknownPush() { return true }
        guard client.isDone else { return false }
        guard let job = receiver.engine.book.jobs[jobID], job.state.isTerminal else { return false }
        guard phone.engine.jobs[jobID] == nil else { return false }
        do {
            return try phone.store.job(jobID)?.journal.progress.state.isTerminal ?? (job.state == .cancelled)
        } catch {
            return false  // Its disk fails at this moment.
        }
    }
}

extension SenderEvent {
    /// One line of the trace.
    var summary: String {
        switch self {
        case .connected: "connected"
        case .pairAgain: "pair again"
        case .disconnected(let code, _): "disconnected \(code)"
        case .jobAccepted(_, let mode, let days): "job accepted, \(mode), \(days) days"
        case .jobResumed(_, let partitions): "job resumed, \(partitions) partitions committed"
        case .requestRejected(_, let reason): "request rejected, \(reason)"
        case .dayPrepared(_, let processed, let total, let bytes): "day \(processed) of \(total) made, \(bytes) bytes"
        case .partitionCommitted(_, let index, let bytes): "partition \(index) committed, \(bytes) bytes"
        case .jobPaused(_, let message): "job paused: \(message)"
        case .jobEnded(_, let state, let message): "job ended \(state): \(message ?? "-")"
        case .pushDropped(_, let code): "push dropped, \(code)"
        case .storeFailed(let code): "store failed, \(code)"
        }
    }
}
