import Glibc

/// Lines of a descriptor, for questions that a person answers.
final class LineInput {
    /// Bytes of one line; the rest of a longer one is dropped.
    static let lineLimit = 1_024

    private let descriptor: Int32

    /// Reads from a descriptor, byte by byte: nothing that belongs to another reader is taken.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The next line without its end and without blanks around it; nil at the end of the input. A line that the end cuts off is
    /// none: half an answer must not decide.
    func next() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == 0x0A { return Self.text(line) }
            if line.count < Self.lineLimit { line.append(byte) }
        }
    }

    private static func text(_ line: [UInt8]) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        let start = line.drop(while: isBlank)
        return String(
            decoding: start.prefix(start.count - start.reversed().prefix(while: isBlank).count), as: UTF8.self)
    }
}
