import Foundation
import Glibc

@testable import HealthExport

/// Archives (apple-health-export.md 1, 2): whatever the directory says, opening gives files with names inside the export
/// or a coded error, and reading each of them ends.
func fuzzZip(_ input: [UInt8]) {
    guard let input = KnobbedInput(input) else { return }
    let path = scratch.write(input.bytes)
    var options = ExportOptions()
    options.rescue = input.knob & 1 == 1
    options.temporaryFolder = scratch.folder
    do {
        let archive = try ExportArchive.open(path: path, options: options)
        for file in archive.files {
            if case .zip = archive.container {
                hold(ExportArchive.safeName(file.name) != nil, "names of an archive stay inside it")
            }
            read(file, of: archive)
        }
        _ = try archive.mainFile()
    } catch is ExportError {
        return
    } catch {
        fatalError("an archive is refused with a code: \(type(of: error))")
    }
}

/// Reads up to a megabyte: more is the business of who asks for it.
private func read(_ file: ExportFile, of archive: ExportArchive) {
    do {
        let source = try archive.stream(file)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        var rest = 16
        while rest > 0, case let count = try source.read(into: buffer), count > 0 { rest -= 1 }
    } catch is ExportError {
        return
    } catch {
        fatalError("a file of an archive is refused with a code: \(type(of: error))")
    }
}

/// One file that is written anew for each input: an archive is opened by its path.
private final class Scratch {
    let folder: String
    private let path: String

    init() {
        var template = Array(
            ((access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path)
                + "/healthmd-fuzz-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("no temporary folder: \(errno)") }
        folder = String(cString: made)
        path = folder + "/export.zip"
        atexit { scratch.remove() }
    }

    func write(_ bytes: [UInt8]) -> String {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { fatalError("no temporary file: \(errno)") }
        defer { close(descriptor) }
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { fatalError("the temporary file is short: \(errno)") }
        return path
    }

    func remove() {
        unlink(path)
        rmdir(folder)
    }
}

nonisolated(unsafe) private let scratch = Scratch()
