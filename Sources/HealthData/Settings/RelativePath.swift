import Foundation

/// Paths below a chosen root (export-formats.md 2).
public enum RelativePath {
    /// Longest path in UTF-8 bytes (export-formats.md 2).
    public static let maximumByteCount = 4_096

    /// Why a path or template may not be used; nil when it is safe.
    static func fault(in path: String) -> String? {
        if path.isEmpty { return "must not be empty" }
        if path.utf8.count > maximumByteCount { return "is longer than \(maximumByteCount) bytes" }
        if path.hasPrefix("/") || path.hasPrefix("\\") { return "must be relative" }
        let head = Array(path.utf8.prefix(2))
        if head.count == 2, head[1] == UInt8(ascii: ":"), (head[0] | 0x20) &- 0x61 < 26 {
            return "must not name a drive"
        }
        if path.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "must not hold control characters"
        }
        let components = path.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
        if components.contains(where: { $0 == "." || $0 == ".." }) { return "must not have . or .. components" }
        return nil
    }

    /// Joins components that may be empty or hold several folders; empty folders in between are dropped.
    static func join(_ parts: [String]) -> String {
        parts.flatMap { $0.split(separator: "/") }.joined(separator: "/")
    }

    /// Two paths with equal keys are one file on some file system: compatibility form, without case and width.
    public static func collisionKey(_ path: String) -> String {
        path.precomposedStringWithCompatibilityMapping
            .folding(options: [.caseInsensitive, .widthInsensitive], locale: nil)
    }
}
