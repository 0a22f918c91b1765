import ConnectedProtocol
import DurableStore
import Foundation
import Testing

@testable import Receiver

/// Bits of the stored journal are flipped, field by field. Whatever the receiver then believes: it refuses, or it ends with exactly the
/// files of an undisturbed job. Nothing wrong is ever applied and reported as done.
@Suite struct JournalBitsTests {
    /// When the bit flips.
    enum Stage: CaseIterable, Sendable {
        /// One partition is durable: a day is complete and an item half there.
        case open
        /// One of three days is written.
        case finalizing
    }

    /// One bit of a field of the only row of a table.
    struct Flip: Sendable, CustomStringConvertible {
        let table: String
        let column: String
        let byte: Int
        let bit: Int
        var description: String { "\(table).\(column), byte \(byte), bit \(bit)" }
    }

    /// A job that was brought to a stage, in a folder of its own.
    private struct Field {
        let rig: EngineRig
        let id: UUID
        let phone: FakePhone
        let partitions: [FakePhone.Partition]
        var session: UUID { phone.session.sessionID }

        init(_ stage: Stage) throws {
            rig = try EngineRig(sliceSeconds: 0)
            rig.connect()
            (id, _) = rig.createJob()
            phone = try rig.filePhone(id)
            partitions = try phone.partitions(payloadBytes: 900)
            try rig.transfer(partitions[0], of: phone)
            guard stage == .finalizing else { return }
            for partition in partitions[1...] { try rig.transfer(partition, of: phone) }
            rig.send(try phone.finalize(partitions))
            while rig.engine.session(session)?.frontier == 0 { rig.settle(steps: 1) }
        }

        /// The field's value, as bytes, integer or double; nil when it is NULL.
        func value(_ table: String, _ column: String) throws -> SQLValue? {
            try rig.engine.store.database.read { connection in
                try connection.first("SELECT \(column), typeof(\(column)) FROM \(table) LIMIT 1") { row in
                    switch try row.text(1) {
                    case "integer": .integer(try row.int64(0))
                    case "real": .real(try row.double(0))
                    case "text": .text(try row.text(0))
                    case "blob": .blob(try row.blob(0))
                    default: nil
                    }
                } ?? nil
            }
        }

        func byteCount(_ value: SQLValue) -> Int {
            switch value {
            case .null: 0
            case .integer, .real: 8
            case .text(let text): text.utf8.count
            case .blob(let bytes): bytes.count
            }
        }

        /// Flips the bit on the disk. False when the database itself refuses the value.
        func apply(_ flip: Flip) throws -> Bool {
            guard let value = try value(flip.table, flip.column) else { return false }
            func flipped(_ bytes: [UInt8]) -> [UInt8] {
                var bytes = bytes
                bytes[flip.byte] ^= 1 << UInt8(flip.bit)
                return bytes
            }
            let mask = UInt64(1) << UInt64(flip.byte * 8 + flip.bit)
            let changed: SQLValue
            var target = "?"
            switch value {
            case .null: return false
            case .integer(let number): changed = .integer(number ^ Int64(bitPattern: mask))
            case .real(let number): changed = .real(Double(bitPattern: number.bitPattern ^ mask))
            case .text(let text):
                changed = .blob(flipped(Array(text.utf8)))
                target = "CAST(? AS TEXT)"
            case .blob(let bytes): changed = .blob(flipped(bytes))
            }
            return try set(flip, target, changed)
        }

        func set(_ flip: Flip, _ target: String, _ value: SQLValue) throws -> Bool {
            do {
                try rig.engine.store.database.transaction { connection in
                    try connection.run("UPDATE \(flip.table) SET \(flip.column) = \(target)", value)
                }
                return true
            } catch is StoreError {
                return false
            }
        }

        /// What the receiver would believe after a restart, in one comparable text; nil when it refuses.
        func belief() -> String? {
            do {
                guard let stored = try rig.engine.store.session(session) else { return nil }
                let machine = try ReceiverSession(restoring: stored.journal)
                _ = try SessionFolder.open(session, identity: stored.directory, in: rig.engine.store.sessions)
                let journal = machine.journal
                return "\(journal.session)\(journal.manifest.text)\(journal.state)\(journal.committedPartitions)"
                    + "\(journal.partialItems)\(journal.days.sorted { $0.key < $1.key })"
                    + "\(String(describing: journal.terminalAcknowledgement))\(stored.peerInstallationID)"
                    + "\(stored.frontier)\(String(describing: stored.output))"
            } catch {
                return nil
            }
        }

        /// The receiver starts again and the phone goes on to the end; gives the files when the job says that it succeeded.
        func end() throws -> [String: Data]? {
            try rig.restart()
            rig.settle()
            rig.connect()
            for _ in 0..<2 {
                for partition in partitions { try rig.transfer(partition, of: phone) }
                rig.send(try phone.finalize(partitions))
                rig.settle()
            }
            guard let job = rig.engine.book.jobs[id], job.result?.status == .success else { return nil }
            return try files()
        }

        func files() throws -> [String: Data] {
            try Dictionary(
                uniqueKeysWithValues: rig.destinationFiles().map {
                    ($0, try Data(contentsOf: URL(fileURLWithPath: rig.destinationPath + "/" + $0)))
                })
        }
    }

    private static let columns: [(table: String, columns: [String])] = [
        (
            "sessions",
            [
                "session_id", "job_id", "peer_installation_id", "session", "manifest", "state", "directory_device",
                "directory_inode", "expires_at", "frontier", "output",
            ]
        ), ("partitions", ["position", "byte_count", "sha256"]),
        (
            "partial_items",
            [
                "item_id", "kind", "source_date", "is_requested", "total_bytes", "sha256", "next_offset",
                "prefix_sha256",
            ]
        ),
        (
            "days",
            ["source_date", "item_id", "byte_count", "sha256", "content", "word", "document_offset", "document_bytes"]
        ),
    ]

    @Test("a flipped bit of any journal field is refused, or changes nothing of the result", arguments: Stage.allCases)
    func flips(_ stage: Stage) throws {
        let field = try Field(stage)
        let genuine = try #require(field.belief())
        var believed: [Flip] = []
        var tried = 0
        for (table, columns) in JournalBitsTests.columns {
            let rows = try rowCount(field, table)
            for column in columns {
                guard let value = try field.value(table, column) else { continue }
                let size = field.byteCount(value)
                for byte in 0..<size {
                    // Long documents: every bit position comes up, at every eighth byte and on.
                    for bit in size > 256 ? [byte % 8] : Array(0..<8) {
                        let flip = Flip(table: table, column: column, byte: byte, bit: bit)
                        tried += 1
                        // Where a table has several rows none stands for all.
                        guard rows == 1 else { continue }
                        guard try field.apply(flip) else { continue }
                        if let belief = field.belief(), belief != genuine { believed.append(flip) }
                        #expect(try field.set(flip, "?", value), "\(flip)")
                    }
                }
            }
        }
        #expect(field.belief() == genuine && tried > 1_000)
        let other = try Field(stage)
        let whole = try #require(try other.end())
        #expect(whole.count >= 3)
        // Of those that are believed, as many as the time allows, spread over all fields.
        let step = max(1, believed.count / 16)
        for flip in stride(from: 0, to: believed.count, by: step).map({ believed[$0] }) {
            let field = try Field(stage)
            guard try field.apply(flip) else { continue }
            if let files = try field.end() { #expect(files == whole, "\(flip)") }
        }
    }

    private func rowCount(_ field: Field, _ table: String) throws -> Int {
        try field.rig.engine.store.database.read { connection in
            try connection.first("SELECT count(*) FROM \(table)") { try $0.int(0) } ?? 0
        }
    }
}
