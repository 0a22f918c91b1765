import Cryptography
import DurableStore
import Foundation
import HMDCItem

/// A file that a person names for inspection: regular, no link, with one name (hmdcitem.md 4, rule 1).
///
/// It is read in bounded pieces only; nothing here holds a whole file.
final class InspectedFile: ItemSource {
    /// The length when it was opened.
    let byteCount: UInt64
    private let file: File

    /// Opens a file.
    ///
    /// - Throws: `ItemError` with `not_private_regular_file` for links, folders, devices and files with a second name;
    ///   `StoreError` when it is not there or cannot be read.
    init(_ path: String) throws {
        let target = URL(fileURLWithPath: try AbsolutePath.of(path))
        let folder = try Directory.openRoot(target.deletingLastPathComponent().resolvingSymlinksInPath().path)
        do {
            file = try folder.file(target.lastPathComponent)
        } catch StoreError.isSymbolicLink {
            throw ItemError.rejected(.notPrivateRegularFile, offset: 0)
        } catch StoreError.wrongType {
            throw ItemError.rejected(.notPrivateRegularFile, offset: 0)
        }
        let status = try file.status()
        guard status.linkCount == 1 else { throw ItemError.rejected(.notPrivateRegularFile, offset: 0) }
        byteCount = status.size
    }

    /// Reads bytes from `offset` on.
    func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        try buffer.withUnsafeMutableBytes { bytes in try read(into: bytes, at: offset) }
    }

    /// Reads bytes from `offset` on.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) throws -> Int {
        try file.read(into: bytes, at: offset)
    }

    /// Exactly these bytes, for small things. Fewer when the file ends before.
    func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
        guard offset < byteCount else { return [] }
        return try file.bytes(at: offset, count: Int(min(UInt64(count), byteCount - offset)))
    }

    /// Passes every byte in order, in bounded pieces.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try file.forEachPiece(body)
    }

    /// The whole file, when it is at most this long.
    ///
    /// - Throws: `corrupt` when it is longer.
    func contents(maximumByteCount: Int) throws -> [UInt8] {
        try file.contents(maximumByteCount: maximumByteCount)
    }
}

/// What a file is, by its first bytes: said when a command was given another kind than it reads.
enum FileKind: String {
    case item
    case partition
    case json
    case zip
    case xml
    case gzip
    case database

    /// Bytes that are looked at.
    static let prefixByteCount = 16

    init?(prefix: [UInt8]) {
        let text = String(decoding: prefix, as: UTF8.self)
        if text.hasPrefix("HMDCITEM") {
            self = .item
        } else if text.hasPrefix("HMDCORP1") {
            self = .partition
        } else if text.hasPrefix("SQLite format 3") {
            self = .database
        } else if prefix.starts(with: [0x50, 0x4B, 3, 4]) {
            self = .zip
        } else if prefix.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else {
            switch text.first(where: { !$0.isWhitespace }) {
            case "{", "[": self = .json
            case "<": self = .xml
            default: return nil
            }
        }
    }

    /// What such a file is, and the command that reads it.
    var sentence: String {
        switch self {
        case .item: "This is an item: healthmd item inspect FILE."
        case .partition: "This is a partition: healthmd partition inspect FILE."
        case .json:
            "This is JSON: an export manifest (healthmd manifest fingerprint), a day document (healthmd render) or a tree "
                + "(healthmd item encode)."
        case .zip: "This is a zip: healthmd health-export inspect FILE, if the Health app made it."
        case .xml: "This is XML: healthmd health-export inspect FILE, if the Health app made it."
        case .gzip: "This is compressed: unpack it first."
        case .database: "This is a database of SQLite: nothing to be inspected here."
        }
    }

    /// Runs an inspection; when it refuses a file of another kind, the refusal says of which.
    @discardableResult
    static func explaining<Result>(
        _ path: String, expected: FileKind, _ body: (InspectedFile) throws -> Result
    ) throws -> Result {
        let file = try open(path, expected: expected)
        do {
            return try body(file)
        } catch {
            let prefix = try file.bytes(at: 0, count: prefixByteCount)
            let kind = FileKind(prefix: prefix)
            let failure = FailureText.failure(of: error)
            // What an item says of itself ends with the advice to inspect it: no help to whoever does just that.
            var message = (error as? ItemError).map { "Expected: \($0.expectation)." } ?? failure.message
            while message.last == "." { message.removeLast() }
            guard let kind, kind != expected else {
                guard error is ItemError else { throw error }
                throw CommandFailure(
                    failure.code,
                    "\(message). \(kind == nil ? "This file is no item." : "Copy it again from where it came.") A day is made "
                        + "again with healthmd export or healthmd extract.", status: failure.status,
                    details: failure.details)
            }
            throw CommandFailure(
                failure.code, "\(message). \(kind.sentence)", status: failure.status,
                details: failure.details + [("found", .string(kind.rawValue))])
        }
    }

    /// Opens a file for a command that reads this kind; the refusal is in its words.
    static func open(_ path: String, expected: FileKind) throws -> InspectedFile {
        do {
            return try InspectedFile(path)
        } catch StoreError.notFound {
            throw StoreError.notFound(path: path)
        } catch let error as ItemError where expected != .item {
            let failure = FailureText.failure(of: error)
            throw CommandFailure(
                failure.code,
                "A plain file with one name is read here, no folder and no link. Copy it to a file of its own.",
                status: failure.status, details: failure.details)
        }
    }
}

/// A part of an inspected file, as an item of its own.
final class InspectedRange: ItemSource {
    let byteCount: UInt64
    private let file: InspectedFile
    private let start: UInt64

    init(_ file: InspectedFile, _ range: Range<Int64>) {
        self.file = file
        start = UInt64(range.lowerBound)
        byteCount = UInt64(range.count)
    }

    /// Reads bytes of the part.
    func read(at offset: UInt64, into buffer: inout MutableSpan<UInt8>) throws -> Int {
        guard offset < byteCount else { return 0 }
        let count = Int(min(UInt64(buffer.count), byteCount - offset))
        return try buffer.withUnsafeMutableBytes { bytes in
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: start + offset)
        }
    }
}

/// SHA-256 as items want it.
struct ItemSHA256: ItemDigest {
    private var hasher = SHA256()

    mutating func update(_ bytes: Span<UInt8>) { hasher.update(bytes.bytes) }

    mutating func finish() -> [UInt8] { hasher.finalize().bytes }
}
