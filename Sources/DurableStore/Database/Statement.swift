import CSQLite

/// A prepared statement, for loops that bind and run it many times. Lives inside one access to its database.
///
/// Parameters and columns are numbered as SQLite does: parameters from 1, columns from 0.
public final class Statement {
    /// SQLite copies what it is given (`SQLITE_TRANSIENT`).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    let pointer: OpaquePointer
    private unowned let connection: DatabaseConnection

    init(pointer: OpaquePointer, connection: DatabaseConnection) {
        self.pointer = pointer
        self.connection = connection
    }

    // MARK: Binding

    /// Binds a value.
    public func bind(_ index: Int, _ value: SQLValue) throws(StoreError) {
        switch value {
        case .null: try check(sqlite3_bind_null(pointer, Int32(index)))
        case .integer(let value): try bind(index, value)
        case .real(let value): try bind(index, value)
        case .text(let value): try bind(index, value)
        case .blob(let value):
            let code = value.withUnsafeBytes { bindBytes(index, $0) }
            try check(code)
        }
    }

    /// Binds an integer.
    public func bind(_ index: Int, _ value: Int64) throws(StoreError) {
        try check(sqlite3_bind_int64(pointer, Int32(index), value))
    }

    /// Binds a binary64.
    public func bind(_ index: Int, _ value: Double) throws(StoreError) {
        try check(sqlite3_bind_double(pointer, Int32(index), value))
    }

    /// Binds a text.
    public func bind(_ index: Int, _ value: String) throws(StoreError) {
        var value = value
        let code = value.withUTF8 { bytes in
            // An empty buffer may have no address, and SQLite takes that for NULL.
            guard let base = bytes.baseAddress else {
                return sqlite3_bind_text(pointer, Int32(index), "", 0, Self.copied)
            }
            return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                sqlite3_bind_text64(
                    pointer, Int32(index), $0, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    /// Binds bytes.
    public func bind(_ index: Int, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try check(bindBytes(index, bytes))
    }

    /// Binds UTF-8 bytes as a text.
    public func bindText(_ index: Int, utf8 bytes: UnsafeBufferPointer<UInt8>) throws(StoreError) {
        guard let base = bytes.baseAddress else {
            return try check(sqlite3_bind_text(pointer, Int32(index), "", 0, Self.copied))
        }
        let code = base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            sqlite3_bind_text64(pointer, Int32(index), $0, UInt64(bytes.count), Self.copied, UInt8(SQLITE_UTF8))
        }
        try check(code)
    }

    private func bindBytes(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let base = bytes.baseAddress else { return sqlite3_bind_zeroblob(pointer, Int32(index), 0) }
        return sqlite3_bind_blob64(pointer, Int32(index), base, UInt64(bytes.count), Self.copied)
    }

    func bindAll(_ values: [SQLValue]) throws(StoreError) {
        precondition(
            values.count == Int(sqlite3_bind_parameter_count(pointer)), "parameters of the statement and values differ")
        for (index, value) in values.enumerated() { try bind(index + 1, value) }
    }

    // MARK: Running

    /// Runs the statement to its end and makes it ready for the next binding.
    public func run() throws(StoreError) {
        while try step() {}
        reset()
    }

    /// Passes each row, then makes the statement ready for the next binding.
    public func forEachRow(_ body: (Row) throws -> Void) throws {
        defer { reset() }
        let row = Row(pointer: pointer, path: connection.displayPath)
        while try step() { try body(row) }
    }

    func step() throws(StoreError) -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            reset()
            throw connection.failure(code)
        }
    }

    func reset() {
        // The result repeats the error of the last step, which was reported there.
        _ = sqlite3_reset(pointer)
        _ = sqlite3_clear_bindings(pointer)
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw connection.failure(code) }
    }
}
