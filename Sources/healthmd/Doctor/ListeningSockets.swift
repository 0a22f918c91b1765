import Foundation

/// Which TCP ports this computer listens on, from the tables of the kernel. Nobody is contacted.
enum ListeningSockets {
    /// How far a listening port can be reached.
    enum Reach: Equatable {
        /// From other computers.
        case network
        /// From this computer only.
        case loopback
    }

    private static let listening = "0A"

    /// How a port is listened on; nil when it is not, or when the tables cannot be read.
    static func reach(ofPort port: Int) -> Reach? {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map { path in
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
        return reach(ofPort: port, tables: tables)
    }

    /// The same for given tables (proc(5)).
    static func reach(ofPort port: Int, tables: [String]) -> Reach? {
        var found: Reach?
        for line in tables.flatMap({ $0.split(separator: "\n").dropFirst() }) {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 3, fields[3] == listening else { continue }
            let parts = fields[1].split(separator: ":")
            guard parts.count == 2, Int(parts[1], radix: 16) == port else { continue }
            if !isLoopback(parts[0]) { return .network }
            found = .loopback
        }
        return found
    }

    /// Addresses are words of the machine's byte order: 127.0.0.1 is `0100007F`.
    private static func isLoopback(_ address: Substring) -> Bool {
        if address.count == 8 { return address.hasSuffix("7F") }
        let mapped = address.dropLast(8) == "0000000000000000FFFF0000" && address.hasSuffix("7F")
        return mapped || address == "00000000000000000000000001000000"
    }
}
