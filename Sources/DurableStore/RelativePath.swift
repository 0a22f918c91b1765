/// A path below a folder that is already open: one or more plain names.
///
/// Cannot hold an absolute path, `.`, `..`, an empty name or a zero byte, so that whoever has one can only go down.
/// (Links on the way are refused when it is opened, see ``Disk/open(_:in:_:)``.)
public struct RelativePath: Hashable, Sendable, CustomStringConvertible {
    /// `NAME_MAX` of Linux, in bytes of UTF-8.
    public static let maximumNameByteCount = 255
    /// `PATH_MAX` of Linux without the closing zero, in bytes of UTF-8.
    public static let maximumByteCount = 4095

    /// The names, at least one.
    public let components: [String]

    /// Parses `a/b/c`.
    ///
    /// - Throws: `path_escapes_root` for absolute paths and `..`, `invalid_path` for names that cannot exist.
    public init(_ text: String) throws(StoreError) {
        guard !text.isEmpty else { throw .invalidPath(path: "", reason: "it is empty") }
        guard text.utf8.first != UInt8(ascii: "/") else { throw .pathEscapesRoot(path: text) }
        guard text.utf8.count <= Self.maximumByteCount else {
            throw .invalidPath(
                path: String(text.prefix(64)) + "…", reason: "longer than \(Self.maximumByteCount) bytes")
        }
        // Split by bytes: a "/" followed by a combining mark is no Character "/", but the kernel splits there.
        var names: [String] = []
        for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            let name = String(Substring(part))
            switch name {
            case "": throw .invalidPath(path: text, reason: "it has an empty name")
            case ".": throw .invalidPath(path: text, reason: "it has the name \".\"")
            case "..": throw .pathEscapesRoot(path: text)
            default: break
            }
            guard !name.utf8.contains(0) else { throw .invalidPath(path: text, reason: "it has a zero byte") }
            guard name.utf8.count <= Self.maximumNameByteCount else {
                throw .invalidPath(path: text, reason: "a name is longer than \(Self.maximumNameByteCount) bytes")
            }
            names.append(name)
        }
        components = names
    }

    private init(components: [String]) {
        self.components = components
    }

    /// The last name.
    public var name: String { components[components.count - 1] }

    /// Everything before the last name; nil when there is only one.
    public var parent: RelativePath? {
        components.count == 1 ? nil : RelativePath(components: Array(components.dropLast()))
    }

    /// The path as text, names joined with `/`.
    public var description: String { components.joined(separator: "/") }

    /// Equal means equal bytes; the equality of `String` would take canonically equivalent names for one.
    public static func == (left: RelativePath, right: RelativePath) -> Bool {
        left.components.count == right.components.count
            && zip(left.components, right.components).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        for component in components { hasher.combine(Array(component.utf8)) }
    }
}
