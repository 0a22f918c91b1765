import ConnectedProtocol
import Foundation
import Glibc

@testable import DurableStore
@testable import Receiver

/// The weather: what goes wrong, and when it is over.
extension Simulation {
    private static let faultStepLimit = 8_000

    /// Lets something go wrong now and then.
    func brew() throws {
        for (machine, end) in fullUntil where end <= time.now {
            fullUntil[machine] = nil
            for full in [receiverMachine, phoneMachine] where ObjectIdentifier(full) == machine {
                note(full.name, "has room again")
                full.disk.setCapacity(1 << 40)
            }
        }
        client.maybeCancel()
        guard calmSince == nil else { return }
        if faultCount >= weather.faultLimit || steps > Simulation.faultStepLimit { return heal() }
        guard random.chance(weather.faultsPerStep) else { return }
        faultCount += 1
        strike(random.pick(weather.kinds))
    }

    /// From now on nothing goes wrong.
    func heal() {
        note("weather", "nothing goes wrong any more")
        calmSince = time.now
        receiver?.disk.heal()
        phone?.disk.heal()
        fullUntil = [:]
        receiverMachine.disk.setCapacity(1 << 40)
        phoneMachine.disk.setCapacity(1 << 40)
    }

    private func strike(_ kind: FaultKind) {
        switch kind {
        case .cut:
            if let wire = wires.last { cut(wire, phoneLearnsAfter: 0...0.3, receiverLearnsAfter: 0...0.3) }
        case .silence:
            if let wire = wires.last { cut(wire, phoneLearnsAfter: 10...40, receiverLearnsAfter: 10...40) }
        case .killReceiver:
            if let receiver {
                random.chance(0.7) ? receiver.disk.die(atCall: random.number(1...40)) : killReceiver(hasPower: true)
            }
        case .killPhone:
            if let phone {
                random.chance(0.7) ? phone.disk.die(atCall: random.number(1...40)) : killPhone(hasPower: true)
            }
        case .receiverPower: losePower(of: receiver?.disk) { killReceiver(hasPower: false) }
        case .phonePower: losePower(of: phone?.disk) { killPhone(hasPower: false) }
        case .receiverDisk: strike(receiver?.disk, "receiver")
        case .phoneDisk: strike(phone?.disk, "phone")
        case .receiverFull: fill(receiverMachine)
        case .phoneFull: fill(phoneMachine)
        case .shortTransfers:
            let disk = random.chance(0.5) ? receiver?.disk : phone?.disk
            disk?.isShort = true
        case .clockStep:
            let machine = random.chance(0.5) ? receiverMachine : phoneMachine
            machine.wallOffset += random.seconds(-20...20)
            note(machine.name, "clock is set")
        }
    }

    /// The power goes between two steps, or in the middle of one: then the process stands still first.
    private func losePower(of disk: ProcessDisk?, _ kill: () -> Void) {
        guard let disk, !disk.isFrozen else { return }
        kill()
    }

    private func strike(_ disk: ProcessDisk?, _ name: String) {
        guard let disk else { return }
        let kinds: Set<DiskFault.Kind> = random.pick([
            [.write], [.sync], [.names], [.read], [.look], [.write, .names, .sync],
        ])
        let number = random.pick([EIO, ENOSPC, EDQUOT, EMFILE, EIO])
        let count = random.pick([1, 1, 2, 30])
        note(name, "disk: \(count) faults \(number)")
        disk.fail(DiskFault(firstCall: random.number(1...25), count: count, kinds: kinds, number: number))
    }

    private func fill(_ machine: Machine) {
        let used = machine.disk.state.withLock { $0.usedByteCount }
        machine.disk.setCapacity(used + UInt64(random.number(0...6_000)))
        fullUntil[ObjectIdentifier(machine)] = time.now + random.seconds(1...120)
        note(machine.name, "disk is full")
    }
}
