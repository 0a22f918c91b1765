import CSQLite

/// The current row of a statement; valid inside the closure that gets it.
///
/// Columns are read as the type that they must have. Another type means that the file was not written by this program: `corrupt`.
public struct Row {
    let pointer: OpaquePointer
    let path: String

    /// Whether the column is NULL.
    public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(pointer, Int32(column)) == SQLITE_NULL
    }

    /// An integer.
    public func int64(_ column: Int) throws(StoreError) -> Int64 {
        try require(SQLITE_INTEGER, column)
        return sqlite3_column_int64(pointer, Int32(column))
    }

    /// An integer that fits `Int`.
    public func int(_ column: Int) throws(StoreError) -> Int {
        Int(try int64(column))
    }

    /// A size or an offset: an integer that is not negative.
    public func uint64(_ column: Int) throws(StoreError) -> UInt64 {
        guard let value = UInt64(exactly: try int64(column)) else { throw corrupt(column) }
        return value
    }

    /// 0 or 1.
    public func boolean(_ column: Int) throws(StoreError) -> Bool {
        switch try int64(column) {
        case 0: false
        case 1: true
        default: throw corrupt(column)
        }
    }

    /// A binary64; an integer column that holds a whole number counts.
    public func double(_ column: Int) throws(StoreError) -> Double {
        let type = sqlite3_column_type(pointer, Int32(column))
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw corrupt(column) }
        return sqlite3_column_double(pointer, Int32(column))
    }

    /// A text, copied.
    public func text(_ column: Int) throws(StoreError) -> String {
        try require(SQLITE_TEXT, column)
        guard let bytes = sqlite3_column_text(pointer, Int32(column)) else { throw corrupt(column) }
        let count = Int(sqlite3_column_bytes(pointer, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Bytes, copied.
    public func blob(_ column: Int) throws(StoreError) -> [UInt8] {
        try require(SQLITE_BLOB, column)
        guard let bytes = sqlite3_column_blob(pointer, Int32(column)) else { return [] }
        return Array(
            UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, Int32(column)))))
    }

    /// The bytes of a blob or a text in SQLite's own memory, for the time of the closure.
    public func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        let type = sqlite3_column_type(pointer, Int32(column))
        guard type == SQLITE_BLOB || type == SQLITE_TEXT else { throw corrupt(column) }
        let bytes = sqlite3_column_blob(pointer, Int32(column))
        let count = Int(sqlite3_column_bytes(pointer, Int32(column)))
        return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    }

    /// An integer, or nil for NULL.
    public func int64IfPresent(_ column: Int) throws(StoreError) -> Int64? {
        isNull(column) ? nil : try int64(column)
    }

    /// A size, or nil for NULL.
    public func uint64IfPresent(_ column: Int) throws(StoreError) -> UInt64? {
        isNull(column) ? nil : try uint64(column)
    }

    /// A binary64, or nil for NULL.
    public func doubleIfPresent(_ column: Int) throws(StoreError) -> Double? {
        isNull(column) ? nil : try double(column)
    }

    /// A text, or nil for NULL.
    public func textIfPresent(_ column: Int) throws(StoreError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// Bytes, or nil for NULL.
    public func blobIfPresent(_ column: Int) throws(StoreError) -> [UInt8]? {
        isNull(column) ? nil : try blob(column)
    }

    /// What a row reader throws when a column holds a value that this program never writes.
    public func corrupt(_ column: Int) -> StoreError {
        let name = sqlite3_column_name(pointer, Int32(column)).map { String(cString: $0) } ?? String(column)
        return .corrupt(path: path, detail: "column \(name) holds an unexpected value")
    }

    private func require(_ type: Int32, _ column: Int) throws(StoreError) {
        guard sqlite3_column_type(pointer, Int32(column)) == type else { throw corrupt(column) }
    }
}
