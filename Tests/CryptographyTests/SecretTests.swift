import Cryptography
import Foundation
import Testing

@Suite("Secrets")
struct SecretTests {
    @Test("a secret never shows its bytes when printed, interpolated, reflected or dumped")
    func redaction() {
        let secret = SecretBytes(copying: Array("hunter2hunter2".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
            #expect(text.contains("redacted"))
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"))
        }
    }

    @Test("ordinary and guarded memory hold the same bytes", arguments: [SecretBytes.Placement.ordinary, .guarded])
    func placement(placement: SecretBytes.Placement) {
        let bytes = SecureRandom.bytes(32)
        let secret = SecretBytes(copying: bytes, placement: placement)
        #expect(secret.count == 32)
        #expect(secret.copyBytes() == bytes)
        #expect(constantTimeEquals(secret, bytes))
    }

    @Test("consuming an array leaves nothing in it")
    func consuming() {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(consuming: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret.copyBytes() == [1, 2, 3])
    }

    @Test("a closure that throws makes no secret")
    func throwing() {
        #expect(throws: CancellationError.self) {
            try SecretBytes(count: 8) { _ in throw CancellationError() }
        }
    }

    @Test("erasing overwrites the memory itself")
    func erasing() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 7)
        eraseMemory(memory)
        #expect(memory.allSatisfy { $0 == 0 })
    }

    @Test("constant-time equality holds for equal bytes only")
    func equality() {
        #expect(constantTimeEquals([1, 2, 3] as [UInt8], [1, 2, 3] as [UInt8]))
        #expect(!constantTimeEquals([1, 2, 3] as [UInt8], [1, 2, 4] as [UInt8]))
        #expect(!constantTimeEquals([1, 2, 3] as [UInt8], [1, 2] as [UInt8]))
        #expect(constantTimeEquals([UInt8](), [UInt8]()))
    }
}

@Suite("Randomness")
struct SecureRandomTests {
    @Test("a code has the wanted number of ASCII digits, each about equally often")
    func digits() {
        let code = SecureRandom.digits(20_000)
        #expect(code.utf8.count == 20_000)
        var counts = [Int](repeating: 0, count: 10)
        for character in code.utf8 {
            guard (48...57).contains(character) else {
                Issue.record("not a digit")
                return
            }
            counts[Int(character) - 48] += 1
        }
        // 2,000 expected, standard deviation 42: eight of them never happen.
        #expect(counts.allSatisfy { (1_660...2_340).contains($0) })
    }

    @Test("UUIDs are of version 4 and the RFC's variant, and differ")
    func uuids() {
        let ids = (0..<100).map { _ in SecureRandom.uuid() }
        #expect(Set(ids).count == 100)
        for id in ids {
            #expect(id.uuid.6 >> 4 == 4)
            #expect(id.uuid.8 >> 6 == 2)
        }
    }

    @Test("two draws differ")
    func draws() {
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
        #expect(!constantTimeEquals(SecretBytes.random(count: 32), SecretBytes.random(count: 32)))
    }
}
