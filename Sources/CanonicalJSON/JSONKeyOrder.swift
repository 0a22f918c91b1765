/// The orders in which members are written.
public enum JSONKeyOrder {
    /// Whether `left` stands before `right` by plain UTF-8 bytes.
    public static func bytes(_ left: String, _ right: String) -> Bool {
        var left = left
        var right = right
        return left.withUTF8 { a in right.withUTF8 { b in compare(a, b) } } < 0
    }

    /// Whether `left` stands before `right` in a daily file: letters without case, digit runs as numbers, `_` by its
    /// code and so before letters; ties by plain bytes (health-data.md 4.1).
    public static func daily(_ left: String, _ right: String) -> Bool {
        var a = left
        var b = right
        let order: Int? = a.withUTF8 { a in b.withUTF8 { b in compareASCII(a, b) } }
        let decided = order ?? compareScalars(left, right)
        return decided == 0 ? bytes(left, right) : decided < 0
    }

    /// The members in an order; nothing is copied when they stand in it already.
    static func sorted(_ members: [JSONObject.Member], _ order: JSONStyle.MemberOrder) -> [JSONObject.Member] {
        let precedes: (String, String) -> Bool
        switch order {
        case .given: return members
        case .bytes: precedes = bytes
        case .daily: precedes = daily
        }
        var isSorted = true
        for index in members.indices.dropFirst() where precedes(members[index].key, members[index - 1].key) {
            isSorted = false
            break
        }
        return isSorted ? members : members.sorted { precedes($0.key, $1.key) }
    }

    /// Negative, zero or positive, as `memcmp` with the shorter one first.
    static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }

    /// Nil when a byte outside ASCII is met before the order is decided.
    private static func compareASCII(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int? {
        var i = 0
        var j = 0
        while i < a.count, j < b.count {
            if a[i] >= 0x80 || b[j] >= 0x80 { return nil }
            if isDigit(a[i]), isDigit(b[j]) {
                let order = compareDigitRuns(a, &i, b, &j)
                if order != 0 { return order }
                continue
            }
            let left = folded(a[i])
            let right = folded(b[j])
            if left != right { return Int(left) - Int(right) }
            i += 1
            j += 1
        }
        return (a.count - i) - (b.count - j)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    private static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// Compares two runs as numbers of any length and moves behind both.
    private static func compareDigitRuns<A: RandomAccessCollection, B: RandomAccessCollection>(
        _ a: A, _ i: inout Int, _ b: B, _ j: inout Int
    ) -> Int where A.Element == UInt8, B.Element == UInt8, A.Index == Int, B.Index == Int {
        while i < a.count, a[i] == 0x30 { i += 1 }
        while j < b.count, b[j] == 0x30 { j += 1 }
        var order = 0
        while true {
            let left = i < a.count && isDigit(a[i])
            let right = j < b.count && isDigit(b[j])
            switch (left, right) {
            case (true, true):
                if order == 0 { order = Int(a[i]) - Int(b[j]) }
                i += 1
                j += 1
            case (true, false): return 1
            case (false, true): return -1
            case (false, false): return order
            }
        }
    }

    /// The same rule over Unicode scalars, for keys that people chose.
    private static func compareScalars(_ left: String, _ right: String) -> Int {
        let a = Array(left.lowercased().unicodeScalars)
        let b = Array(right.lowercased().unicodeScalars)
        // Digits keep their code, any other scalar becomes a stand-in that is no digit.
        let aDigits = a.map { $0.isASCII ? UInt8($0.value) : 0 }
        let bDigits = b.map { $0.isASCII ? UInt8($0.value) : 0 }
        var i = 0
        var j = 0
        while i < a.count, j < b.count {
            if isDigit(aDigits[i]), isDigit(bDigits[j]) {
                let order = compareDigitRuns(aDigits, &i, bDigits, &j)
                if order != 0 { return order }
                continue
            }
            if a[i] != b[j] { return Int(a[i].value) - Int(b[j].value) }
            i += 1
            j += 1
        }
        return (a.count - i) - (b.count - j)
    }
}
