import CanonicalJSON
import Foundation

/// A further member of a failure document.
typealias JSONDetail = JSONValue

/// Where a command prints: results on standard output, everything else on standard error.
struct Console: Sendable {
    let standardOutput: Int32
    let standardError: Int32
    let standardInput: Int32
    /// Whether standard error is a terminal: only then there is a progress line.
    let errorIsTerminal: Bool
    let outputIsTerminal: Bool
    /// What the commands that a note names have to repeat.
    var advice = Advice.none

    /// The process's own three descriptors.
    static let process = Console(
        standardOutput: STDOUT_FILENO, standardError: STDERR_FILENO, standardInput: STDIN_FILENO,
        errorIsTerminal: isatty(STDERR_FILENO) == 1, outputIsTerminal: isatty(STDOUT_FILENO) == 1)

    /// One document: pretty, members sorted, `/` not escaped, a newline (cli.md 2).
    func print(_ document: JSONValue) {
        var bytes: [UInt8] = []
        ControlStyle.append(document, to: &bytes)
        bytes.append(0x0A)
        write(bytes, to: standardOutput)
    }

    /// Bytes that are a result themselves.
    func write(_ bytes: [UInt8]) { write(bytes, to: standardOutput) }

    /// Bytes that are a result themselves.
    func write(_ bytes: UnsafeRawBufferPointer) { write(bytes, to: standardOutput) }

    /// Text as a result: help, version, completion scripts.
    func print(text: String) { write(Array(text.utf8), to: standardOutput) }

    /// A line for people.
    func note(_ line: String) { write(Array((advice.carrying(line) + "\n").utf8), to: standardError) }

    /// A document as one line of standard error: progress, receipts.
    func note(document: JSONValue) {
        write(JSONWriter.encode(document, style: .compactSorted) + [0x0A], to: standardError)
    }

    /// Text for people without a line end: prompts, the progress line.
    func noteWithoutLineEnd(_ text: String) { write(Array(text.utf8), to: standardError) }

    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                // A result that cannot be delivered is a failure. A pipe whose reader has seen enough needs no words;
                // a closed output or a full disk behind a redirection does, or the result seems to be empty.
                if descriptor == standardOutput, errno != EPIPE {
                    let reason = String(cString: strerror(errno))
                    note("standard output cannot be written (\(reason)); give it a place that can, or use --output")
                }
                exit(ExitCode.failure.rawValue)
            }
            rest = rest.dropFirst(count)
        }
    }
}

extension Slice where Base == UnsafeRawBufferPointer {
    /// Where the slice starts in memory.
    fileprivate var baseAddress: UnsafeRawPointer? { base.baseAddress.map { $0 + startIndex } }
}
