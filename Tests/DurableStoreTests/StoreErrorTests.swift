import Testing

@testable import DurableStore

@Suite("Store errors")
struct StoreErrorTests {
    static let all: [StoreError] = [
        .diskFull(path: "p"), .permissionDenied(path: "p"), .readOnly(path: "p"), .notFound(path: "p"),
        .alreadyExists(path: "p"), .pathEscapesRoot(path: "p"), .invalidPath(path: "p", reason: "r"),
        .isSymbolicLink(path: "p"), .wrongType(path: "p", expected: "folder"), .notPrivate(path: "p", reason: "r"),
        .notEmpty(path: "p"), .lockedBy(path: "p", pid: 7), .lockedBy(path: "p", pid: nil), .databaseBusy(path: "p"),
        .corrupt(path: "p", detail: "d"), .newerSchema(path: "p", found: 2, supported: 1),
        .olderSchema(path: "p", found: 1, supported: 2), .lengthMismatch(path: "p", expected: 1, found: 2),
        .contentDiffers(path: "p"), .replaced(path: "p"), .crossDevice(path: "p"), .tooManyOpenFiles(path: "p"),
        .databaseRefused(path: "p", resultCode: 19, detail: "d"), .inputOutput(path: "p", operation: "read", number: 5),
    ]

    @Test("every error has a code in snake case, names its path, and ends with what to do", arguments: all)
    func shape(_ error: StoreError) {
        #expect(error.code.allSatisfy { $0.isLowercase || $0 == "_" })
        #expect(error.path == "p")
        #expect("\(error)".contains("p") && "\(error)".hasSuffix("."))
    }

    @Test("a name with control or direction characters cannot reach the terminal")
    func escaping() {
        let text = "\(StoreError.notFound(path: "a\u{1b}[2Jb\n\u{202e}c"))"
        #expect(text.contains("a\\u{1b}[2Jb\\u{a}\\u{202e}c"))
    }
}
