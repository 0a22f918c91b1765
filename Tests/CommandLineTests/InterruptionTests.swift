import Glibc
import Testing

@testable import healthmd

@Suite("Interruption")
struct InterruptionTests {
    @Test("when watching has begun, a signal is no longer ignored", arguments: [SIGINT, SIGTERM])
    func handlersAreThere(number: Int32) {
        for _ in 0..<20 {
            let interruption = Interruption.watch()
            var action = sigaction()
            #expect(sigaction(number, nil, &action) == 0)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            // 0 is the default action, 1 ignores.
            #expect(handler != 0 && handler != 1)
            #expect(interruption.signal == nil)
        }
    }
}
