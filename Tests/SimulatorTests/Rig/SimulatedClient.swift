import ConnectedProtocol
import Foundation

@testable import Receiver
@testable import Sender

/// A client of the control API that wants its export, and perhaps a person who cancels it.
final class SimulatedClient: @unchecked Sendable {
    /// What it is doing.
    enum State {
        /// It asks, or asks again, at a time.
        case creating(at: Double)
        /// Its question is with the receiver.
        case asked
        /// It waits for the answer of the job.
        case waiting(WaiterID)
        /// It looks at the job at a time.
        case polling(at: Double)
        /// It has its answer.
        case done
    }

    private unowned let simulation: Simulation
    private(set) var state: State
    /// What it was told in the end.
    private(set) var answer: ControlResponse?
    /// The step at which someone cancels, and who.
    private var cancelStep: Int?
    private var cancelsAtPhone = false
    /// Whether a cancel was said anywhere.
    private(set) var hasCancelled = false
    var hasCancelledAtPhone: Bool { hasCancelled && cancelsAtPhone }
    private let queuesIfOffline: Bool

    init(_ simulation: Simulation) {
        self.simulation = simulation
        queuesIfOffline = simulation.random.chance(0.5)
        // Of a push the client only sees that there is one.
        state = simulation.scenario.kind == .push ? .polling(at: 1) : .creating(at: 0)
        guard simulation.weather.cancels else { return }
        cancelStep = simulation.random.number(5...700)
        cancelsAtPhone = simulation.random.chance(0.5)
    }

    var isDone: Bool { if case .done = state { true } else { false } }

    var wakesAt: Double? {
        switch state {
        case .creating(let time), .polling(let time): time
        case .asked, .waiting, .done: nil
        }
    }

    func act() {
        guard let receiver = simulation.receiver else { return }
        let engine = receiver.engine
        let jobID = simulation.jobID
        switch state {
        case .creating:
            let request = simulation.scenario.request(jobID: jobID, queueIfOffline: queuesIfOffline)
            state = .asked
            receiver.queue.post { [unowned self] in
                let submission = engine.create(request, waiter: { [unowned self] in hear($0.response) })
                switch submission {
                case .answered(let answer): hear(answer.response)
                case .waiting(let id): if case .asked = state { state = .waiting(id) }
                }
            }
        case .polling:
            state = .asked
            receiver.queue.post { [unowned self] in hear(engine.job(jobID, stateOnly: true).response) }
        case .asked, .waiting, .done: break
        }
    }

    private func hear(_ response: ControlResponse) {
        guard simulation.receiver?.disk.isFrozen == false else { return }
        simulation.note("client", "hears \(response.status.rawValue) \(response.failureReason ?? "")")
        let soon = simulation.time.now + simulation.random.seconds(1...20)
        switch response.status {
        case .success, .partialSuccess, .cancelled:
            answer = response
            state = .done
            simulation.invariants.clientHears(response)
        case .failure:
            if response.failureReason == "job_not_found" {
                // A push that has not come yet.
                state = .polling(at: soon)
            } else {
                answer = response
                state = .done
            }
        case .unavailable:
            state = simulation.scenario.kind == .push ? .polling(at: soon) : .creating(at: soon)
        case .accepted, .preparing, .timedOut: state = .polling(at: soon)
        }
    }

    /// The connection to the receiver broke: the client asks again.
    func receiverDied() {
        let soon = simulation.time.now + simulation.random.seconds(0.5...5)
        switch state {
        case .asked, .waiting:
            state = simulation.scenario.kind == .push ? .polling(at: soon) : .creating(at: soon)
        case .creating, .polling, .done: break
        }
    }

    // MARK: - Cancelling

    /// Cancels when it is time and there is something to cancel.
    func maybeCancel() {
        guard let cancelStep, simulation.steps >= cancelStep, let receiver = simulation.receiver,
            let phone = simulation.phone
        else { return }
        let jobID = simulation.jobID
        if cancelsAtPhone {
            guard phone.engine.jobs[jobID] != nil else { return }
            simulation.note("person", "cancels at the phone")
            phone.mailbox.append(.cancel(jobID: jobID))
        } else {
            guard receiver.engine.book.jobs[jobID] != nil else { return }
            simulation.note("person", "cancels at the receiver")
            receiver.queue.post { [engine = receiver.engine] in _ = engine.cancel(jobID) }
        }
        self.cancelStep = nil
        hasCancelled = true
    }
}
