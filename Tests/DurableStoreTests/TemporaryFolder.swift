import DurableStore
import Foundation

/// A fresh folder of the real disk, removed with this object.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/healthmd-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // A left-over folder in the temporary place harms nobody.
        try? FileManager.default.removeItem(atPath: path)
    }

    func open(on disk: any Disk = PosixDisk()) throws -> Directory {
        try Directory.openRoot(path, on: disk)
    }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return (attributes[.posixPermissions] as? Int) ?? -1
    }
}

extension File {
    func text() throws -> String {
        String(decoding: try contents(maximumByteCount: 1 << 20), as: UTF8.self)
    }
}

/// The code of the error that the body throws; nil when it throws none.
func storeCode(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as StoreError {
        return error.code
    } catch {
        return "\(error)"
    }
}
