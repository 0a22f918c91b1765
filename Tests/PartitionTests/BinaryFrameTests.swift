import Cryptography
import Foundation
import TestSupport
import Testing

@testable import ConnectedProtocol

@Suite("Binary chunk frame")
struct BinaryFrameTests {
    private let payload = Array("hello".utf8)

    private func frame() throws -> [UInt8] {
        let id = try #require(UUID(uuidString: "7FA45FE2-0000-4000-8000-000000000001"))
        let header = BinaryFrame(
            transferID: id, sequence: 1, payloadByteCount: payload.count, payloadSHA256: SHA256.hash(payload))
        var bytes: [UInt8] = []
        header.appendHeader(to: &bytes)
        #expect(bytes.count == BinaryFrame.headerByteCount)
        return bytes + payload
    }

    @Test("the frame of the worked example", .enabled(if: SharedFixtures.arePresent, SharedFixtures.absence))
    func workedExample() throws {
        #expect(try frame() == SharedFixtures.bytes("derived/binary-frame-hello.bin"))
    }

    @Test("a frame reads back, the identifier in any case")
    func roundTrip() throws {
        var bytes = try frame()
        let header = try BinaryFrame(frame: bytes)
        #expect(header.sequence == 1 && header.payloadByteCount == 5)
        #expect(header.payloadSHA256 == SHA256.hash(payload))
        bytes.replaceSubrange(10..<46, with: "7FA45FE2-0000-4000-8000-000000000001".utf8)
        #expect(try BinaryFrame(frame: bytes) == header)
    }

    @Test("every refusal of the page")
    func refusals() throws {
        let good = try frame()
        func error(_ change: (inout [UInt8]) -> Void) -> BinaryFrameError? {
            var bytes = good
            change(&bytes)
            do {
                _ = try BinaryFrame(frame: bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(error { $0 = Array($0[..<85]) } == .tooShort)
        #expect(error { $0 = [] } == .tooShort)
        #expect(error { $0[0] = 0x49 } == .wrongMagic)
        #expect(error { $0[9] = 2 } == .wrongVersion)
        #expect(error { $0[8] = 1 } == .wrongVersion)
        #expect(error { $0[10] = 0x7A } == .invalidTransferID)
        #expect(error { $0[10] = 0xFF } == .invalidTransferID)
        #expect(error { $0[49] = 0 } == .sequenceZero)
        #expect(
            error {
                $0[51] = 8; $0[53] = 1
            } == .payloadTooLarge)
        #expect(error { $0[50] = 0xFF } == .payloadTooLarge)
        #expect(error { $0.append(0) } == .lengthMismatch)
        #expect(error { $0.removeLast() } == .lengthMismatch)
        #expect(error { $0[53] = 0 } == .lengthMismatch)
        #expect(
            error {
                $0[53] = 0; $0.removeLast(5)
            } == nil)
    }
}
