import Foundation

/// Does pieces of blocking work on a few threads and hands their results on in order, on the caller's thread.
///
/// At most `workerCount` pieces are done ahead of the one that is handed on, so that memory stays bounded.
enum OrderedWork {
    /// Guarded by the condition.
    private final class State<Input: Sendable, Output: Sendable>: @unchecked Sendable {
        let condition = NSCondition()
        let inputs: [Input]
        var nextInput = 0
        var consumed = 0
        var results: [Int: Result<Output, any Error>] = [:]
        var isStopped = false
        var runningCount = 0

        init(inputs: [Input]) { self.inputs = inputs }
    }

    /// - Throws: the first error in the order of the inputs, or that of `consume`; no further piece is begun then.
    static func run<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], workerCount: Int, work: @escaping @Sendable (Input) throws -> Output,
        consume: (Output) throws -> Void
    ) throws {
        guard inputs.count > 1 else {
            for input in inputs { try consume(try work(input)) }
            return
        }
        let state = State<Input, Output>(inputs: inputs)
        let count = min(workerCount, inputs.count)
        state.condition.withLock { state.runningCount = count }
        for _ in 0..<count {
            let thread = Thread { runWorker(state, ahead: workerCount, work) }
            thread.name = "archive-range"
            thread.start()
        }
        defer {
            state.condition.withLock {
                state.isStopped = true
                state.condition.broadcast()
                // Nothing of this call may go on behind its caller's back.
                while state.runningCount > 0 { state.condition.wait() }
            }
        }
        for index in inputs.indices {
            let result = state.condition.withLock {
                while true {
                    if let result = state.results.removeValue(forKey: index) { return result }
                    state.condition.wait()
                }
            }
            try consume(try result.get())
            state.condition.withLock {
                state.consumed = index + 1
                state.condition.broadcast()
            }
        }
    }

    private static func runWorker<Input: Sendable, Output: Sendable>(
        _ state: State<Input, Output>, ahead: Int, _ work: (Input) throws -> Output
    ) {
        while true {
            let index: Int? = state.condition.withLock {
                while !state.isStopped, state.nextInput < state.inputs.count,
                    state.nextInput >= state.consumed + ahead
                {
                    state.condition.wait()
                }
                guard !state.isStopped, state.nextInput < state.inputs.count else { return nil }
                defer { state.nextInput += 1 }
                return state.nextInput
            }
            guard let index else {
                return state.condition.withLock {
                    state.runningCount -= 1
                    state.condition.broadcast()
                }
            }
            let result = Result { try work(state.inputs[index]) }
            state.condition.withLock {
                state.results[index] = result
                state.condition.broadcast()
            }
        }
    }
}
