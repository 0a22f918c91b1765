import DurableStore

/// A part of a file that can be read at any place: a whole file, or an archive that is stored inside another one.
final class FileRange {
    /// What stands for it in messages.
    let name: String
    /// Its length in bytes.
    let count: Int
    private let file: File
    private let base: Int

    /// A whole file.
    init(_ file: File, name: String) throws {
        self.file = file
        self.name = name
        base = 0
        count = Int(clamping: try file.size())
    }

    private init(file: File, name: String, base: Int, count: Int) {
        self.file = file
        self.name = name
        self.base = base
        self.count = count
    }

    /// A part of this part. The bounds must lie inside.
    func part(_ range: Range<Int>, name: String) -> FileRange {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a part lies inside its whole")
        return FileRange(file: file, name: name, base: base + range.lowerBound, count: range.count)
    }

    /// Reads at an offset; fewer bytes than asked only at the end, 0 behind it.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        let wanted = min(buffer.count, max(0, count - offset))
        var done = 0
        while done < wanted {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<wanted])
            let got: Int
            do {
                got = try file.read(into: rest, at: UInt64(base + offset + done))
            } catch {
                throw ExportError.readFailed(ExportPlace(entry: name, offset: offset + done), reason: error.code)
            }
            if got == 0 { break }
            done += got
        }
        return done
    }

    /// Reads `count` bytes at an offset, or as many as are there.
    func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        let available = min(count, max(0, self.count - offset))
        return try [UInt8](unsafeUninitializedCapacity: available) { buffer, filled in
            filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
        }
    }

    /// The bytes from the start on, as a stream.
    func stream() -> any ByteSource { Stream(self) }

    private final class Stream: ByteSource {
        private let range: FileRange
        private var position = 0

        init(_ range: FileRange) { self.range = range }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = try range.read(into: buffer, at: position)
            position += count
            return count
        }
    }
}
