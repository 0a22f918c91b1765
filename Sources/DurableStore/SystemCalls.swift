import Glibc

/// Repeats one attempt while it is interrupted, and names the path when it is refused. Not for `sync`.
func attempt<Result>(
    _ operation: String, _ path: String, _ body: () throws(SystemError) -> Result
) throws(StoreError) -> Result {
    while true {
        do {
            return try body()
        } catch {
            if error.number != EINTR { throw StoreError(error, operation, path) }
        }
    }
}

extension StoreError {
    /// The meaning of an `errno` at a path.
    init(_ error: SystemError, _ operation: String, _ path: String) {
        self =
            switch error.number {
            case ENOSPC, EDQUOT: .diskFull(path: path)
            case EACCES, EPERM: .permissionDenied(path: path)
            case EROFS: .readOnly(path: path)
            case ENOENT: .notFound(path: path)
            case EEXIST: .alreadyExists(path: path)
            case ELOOP: .isSymbolicLink(path: path)
            case EXDEV: operation == "rename" ? .crossDevice(path: path) : .pathEscapesRoot(path: path)
            case ENOTDIR: .wrongType(path: path, expected: "folder")
            case EISDIR, ENXIO: .wrongType(path: path, expected: "plain file")
            case ENOTEMPTY: .notEmpty(path: path)
            case ENAMETOOLONG: .invalidPath(path: path, reason: "it is too long for this disk")
            case EILSEQ: .invalidPath(path: path, reason: "this disk refuses it")
            case EMFILE, ENFILE: .tooManyOpenFiles(path: path)
            default: .inputOutput(path: path, operation: operation, number: error.number)
            }
    }
}
