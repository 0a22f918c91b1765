import Cryptography
import Foundation
import Testing

@testable import ConnectedProtocol

/// Every bit of what travels is flipped, and everything is cut at every offset: the answer is always a refusal, and nothing is used.
@Suite("Every bit and every cut")
struct EveryBitTests {
    /// All copies with one flipped bit, with the place of the bit.
    private func flips(_ bytes: [UInt8], _ range: Range<Int>? = nil) -> [(place: String, bytes: [UInt8])] {
        (range ?? bytes.indices).flatMap { index in
            (0..<8).map { bit in
                var copy = bytes
                copy[index] ^= 1 << UInt8(bit)
                return ("byte \(index), bit \(bit)", copy)
            }
        }
    }

    private func cuts(_ bytes: [UInt8]) -> [(place: String, bytes: [UInt8])] {
        bytes.indices.map { ("cut at \($0)", Array(bytes[..<$0])) }
    }

    // MARK: - Partition file

    private func check(_ bytes: [UInt8], _ descriptor: PartitionDescriptor, _ sha256: Digest) throws {
        let count = try PartitionFile.manifestByteCount(prefix: Array(bytes.prefix(PartitionFile.prefixByteCount)))
        guard PartitionFile.prefixByteCount + count <= bytes.count else {
            throw PartitionFileError.byteCount(
                expected: Int64(PartitionFile.prefixByteCount + count), found: Int64(bytes.count))
        }
        let text = Array(bytes[PartitionFile.prefixByteCount..<PartitionFile.prefixByteCount + count])
        try PartitionFile(manifestText: text, fileByteCount: Int64(bytes.count)).check(
            against: descriptor, sha256: sha256)
    }

    @Test("a partition file with any bit flipped, or cut anywhere, is not the one that was described")
    func partition() throws {
        let fixture = try DestinationFixture()
        let file = try fixture.file(0, fixture.items.map { ($0, 100) })
        let bytes = file.header + [UInt8](repeating: 7, count: 200)
        let honest = try PartitionDescriptor(
            sessionID: fixture.session.sessionID, jobID: fixture.session.jobID, index: 0,
            sourceDates: file.manifest.sourceDates, byteCount: Int64(bytes.count), sha256: SHA256.hash(bytes),
            previousSHA256: nil)
        try check(bytes, honest, SHA256.hash(bytes))
        for (place, changed) in flips(bytes) + cuts(bytes) {
            #expect(throws: PartitionFileError.self, "\(place)") {
                try check(changed, honest, SHA256.hash(changed))
            }
        }
    }

    @Test("a header with any bit flipped says something else, or nothing, even to a receiver that believes its digest")
    func partitionHeader() throws {
        let fixture = try DestinationFixture()
        let file = try fixture.file(0, fixture.items.map { ($0, 100) })
        let bytes = file.header + [UInt8](repeating: 7, count: 200)
        for (place, changed) in flips(bytes, 0..<file.header.count) {
            let count: Int
            do {
                count = try PartitionFile.manifestByteCount(
                    prefix: Array(changed.prefix(PartitionFile.prefixByteCount)))
            } catch { continue }
            let end = min(PartitionFile.prefixByteCount + count, changed.count)
            do {
                let read = try PartitionFile(
                    manifestText: Array(changed[PartitionFile.prefixByteCount..<end]),
                    fileByteCount: Int64(changed.count))
                // Identifiers are read with letters in either case, and Foundation takes a space for a leading zero of a byte: the
                // same identifier, so that nothing else is said.
                let isSameIdentifier = place.hasSuffix("bit 5") || place.hasSuffix("bit 4")
                #expect(read.manifest != file.manifest || isSameIdentifier, "\(place)")
            } catch {
                #expect(!error.code.isEmpty)
            }
        }
    }

    // MARK: - Frame

    @Test("a frame with any bit flipped, or cut anywhere, is refused, aborts its transfer, or belongs to none")
    func frame() throws {
        let sample = try TransferCase(byteCount: 24, chunkBytes: 12)
        let payload = sample.data(1)
        let header = BinaryFrame(
            transferID: sample.start.transferID, sequence: 1, payloadByteCount: payload.count,
            payloadSHA256: SHA256.hash(payload))
        var bytes: [UInt8] = []
        header.appendHeader(to: &bytes)
        bytes += payload
        var rig = ReceiverRig()
        #expect(rig.feed(.start(sample.start, .partitioned)).ackSequences == [0])
        for (place, changed) in flips(bytes) + cuts(bytes) {
            let read: BinaryFrame
            do {
                read = try BinaryFrame(frame: changed)
            } catch {
                continue
            }
            let data = Array(changed[BinaryFrame.headerByteCount...])
            if read == header, data == payload { continue }
            var copy = rig
            let answer = copy.chunk(read.transferID, Int(read.sequence), data, stated: read.payloadSHA256)
            #expect(answer.ackSequences.isEmpty && answer.abortReasons.count == 1, "\(place)")
            #expect(copy.spools[sample.start.transferID]?.isEmpty ?? true, "\(place)")
        }
    }

    // MARK: - Packets

    private enum Mode: CaseIterable { case plain, records }

    @Test(
        "a packet with any bit flipped closes the connection, in both modes, or stays without its end until silence does"
    )
    func packet() throws {
        for mode in Mode.allCases {
            let rig = TransportRig()
            try rig.openPairing()
            let offer = mode == .records ? TransportRig.offer : nil
            let connection = rig.dial(TransportRig.code(), extensions: offer, listenerExtensions: offer)
            #expect(connection.listenerSession != nil)
            rig.dialler(connection, .send(Array(#"{"text":"hi"}"#.utf8)))
            let packet = try #require(connection.toListener.last)
            for (place, changed) in flips(packet) {
                // A value: each attempt begins anew.
                var machine = connection.listener
                let actions = machine.handle(.received(changed), at: rig.now)
                #expect(!delivers(actions), "\(mode), \(place)")
                guard !closes(actions) else { continue }
                // The length grew: the rest of the packet never comes, and nothing valid keeps the connection alive.
                let late = Moment(wall: rig.now.wall + 31, monotonic: rig.now.monotonic + 31)
                #expect(closes(machine.handle(.timer, at: late)), "\(mode), \(place)")
            }
            for (place, cut) in cuts(packet) {
                var machine = connection.listener
                let actions = machine.handle(.received(cut), at: rig.now) + machine.handle(.peerClosed, at: rig.now)
                #expect(!delivers(actions) && closes(actions), "\(mode), \(place)")
            }
            var machine = connection.listener
            #expect(delivers(machine.handle(.received(packet), at: rig.now)))
        }
    }

    private func delivers(_ actions: [ListenerConnection<RigMessage>.Action]) -> Bool {
        actions.contains { action in
            switch action {
            case .deliver, .deliverFrame, .opened: true
            case .send, .authenticate, .confirm, .dropped, .close: false
            }
        }
    }

    private func closes(_ actions: [ListenerConnection<RigMessage>.Action]) -> Bool {
        actions.contains { if case .close = $0 { true } else { false } }
    }
}
