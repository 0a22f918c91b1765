import ConnectedProtocol
import Foundation
import Sender

/// Where a pairing code comes from: a prompt, standard input, or a file; never an argument (extensions.md 2.1).
enum PairingCodeInput {
    /// More than any way of grouping twenty digits needs.
    static let maximumByteCount = 256

    /// The twenty digits.
    ///
    /// - Throws: `pairing_code_invalid` for anything else, before anything is sent.
    static func read(codeFile: String?, _ console: Console) throws -> String {
        let text: String
        if let codeFile, codeFile != "-" {
            text = try file(codeFile)
        } else {
            if codeFile == nil, isatty(console.standardInput) == 1 {
                console.noteWithoutLineEnd("code (20 digits, from healthmd pair on the workstation): ")
            }
            text = line(console.standardInput)
        }
        guard let digits = PairingCode.digits(in: text, strength: .strong) else {
            throw SenderError.pairingCodeInvalid
        }
        return digits
    }

    private static func file(_ path: String) throws -> String {
        let descriptor = open(try AbsolutePath.of(path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("code_file_unreadable", "the file of --code-file cannot be read; check the path")
        }
        defer { close(descriptor) }
        return line(descriptor)
    }

    /// The first line, or all that comes before the end. Read byte by byte: what follows belongs to others.
    private static func line(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count <= maximumByteCount {
            let count = Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// `HOST`, `HOST:PORT`, `[::1]:PORT` or a bare IPv6 address.
struct HostAndPort: Equatable {
    static let defaultPort: UInt16 = 17_646

    let host: String
    let port: UInt16

    /// Nil for what names no host, or a port outside 1…65535.
    init?(_ text: String) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            self.init(host: text[text.index(after: text.startIndex)..<end], portText: rest)
            return
        }
        // More than one colon: an IPv6 address without a port.
        if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            self.init(host: text[..<colon], portText: text[colon...])
        } else {
            self.init(host: text[...], portText: "")
        }
    }

    private init?(host: Substring, portText: Substring) {
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }) else {
            return nil
        }
        self.host = String(host)
        if portText.isEmpty {
            port = Self.defaultPort
            return
        }
        let digits = portText.dropFirst()
        guard portText.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(digits), number > 0
        else { return nil }
        port = number
    }
}
