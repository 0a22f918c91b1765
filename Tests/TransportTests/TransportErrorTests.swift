import Testing

@testable import Transport

@Suite("Transport errors")
struct TransportErrorTests {
    @Test(
        "every error has a code in snake case and a sentence that names the next step",
        arguments: [
            TransportError.invalidAddress(text: "x"), .portInUse(address: "a", port: 1), .portNotPermitted(port: 1),
            .addressUnavailable(address: "a"), .nameNotFound(host: "h"), .refused(host: "h", port: 1),
            .unreachable(host: "h", port: 1), .connectTimedOut(host: "h", port: 1), .cancelled, .receiveTimedOut,
            .sendTimedOut,
            .endOfStream(expected: 2, received: 1), .connectionReset, .closed, .sendQueueFull(limit: 1),
            .tooManyOpenFiles,
            .system(operation: "poll", number: 9),
        ])
    func shape(_ error: TransportError) {
        #expect(error.code.allSatisfy { $0.isLowercase || $0 == "_" })
        #expect("\(error)".hasSuffix(".") || "\(error)".hasSuffix(")."))
    }
}
