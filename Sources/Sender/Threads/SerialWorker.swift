import Foundation

/// One thread that does heavy work in the order in which it was asked: reading days, writing items, hashing partitions.
final class SerialWorker: @unchecked Sendable {
    typealias Work = @Sendable () -> Void

    private let mailbox = Mailbox<Work>()
    private let done = DispatchSemaphore(value: 0)

    /// Starts the thread.
    init(name: String) {
        let thread = Thread { [mailbox, done] in
            while true {
                let works = mailbox.take(waitingFor: nil)
                if works.isEmpty { break }
                for work in works { work() }
            }
            done.signal()
        }
        thread.name = name
        // Documents are built by recursion over their depth; the default of 512 KiB is small for that.
        thread.stackSize = 4 * 1_024 * 1_024
        thread.start()
    }

    /// Appends work.
    func submit(_ work: @escaping Work) {
        mailbox.post(work)
    }

    /// Ends the thread after the work at hand and waits for that; what was not begun is dropped.
    func stop() {
        mailbox.close()
        done.wait()
    }
}
