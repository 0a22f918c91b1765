import Glibc

/// The distinct texts of an export: source names, versions, devices, units, metadata keys. A text is found by its raw
/// bytes, so a repeated one costs a hash and a comparison and no `String`.
///
/// The room is reserved at once and bounded, so a file with a new name in every record cannot make it grow: beyond the
/// limits `number` gives nil and the caller reports a text that was not kept.
final class TextTable {
    /// Distinct texts; the richest export seen has a few thousand.
    static let entryLimit = 1 << 17
    /// Their raw bytes together.
    static let byteLimit = 16 << 20

    private struct Entry {
        var start: Int32
        var count: Int32
        var hash: UInt32
        var isMended: Bool
    }

    private static let slotCount = entryLimit * 2
    private let slots: UnsafeMutablePointer<Int32>
    private let entries: UnsafeMutablePointer<Entry>
    private let bytes: UnsafeMutablePointer<UInt8>
    private var byteCount = 0
    private(set) var texts: [String] = []
    private var mendings: [Int32: ExportText.Mending] = [:]
    private var scratch: [UInt8] = []

    init() {
        // calloc and malloc hand out pages that cost nothing until they are touched.
        slots = calloc(Self.slotCount, MemoryLayout<Int32>.stride).bindMemory(to: Int32.self, capacity: Self.slotCount)
        entries = malloc(Self.entryLimit * MemoryLayout<Entry>.stride)
            .bindMemory(to: Entry.self, capacity: Self.entryLimit)
        bytes = malloc(Self.byteLimit).bindMemory(to: UInt8.self, capacity: Self.byteLimit)
    }

    deinit {
        free(slots)
        free(entries)
        free(bytes)
    }

    /// The text of a number.
    func text(_ number: Int32) -> String { texts[Int(number)] }

    /// Whether `raw` is the text of `number`: the cheap test for "the same as last time".
    @inline(__always)
    func matches(_ number: Int32, _ raw: UnsafeBufferPointer<UInt8>) -> Bool {
        guard number >= 0 else { return false }
        let entry = entries[Int(number)]
        return Int(entry.count) == raw.count
            && (raw.count == 0 || memcmp(bytes + Int(entry.start), raw.baseAddress!, raw.count) == 0)
    }

    /// What was mended in a text, if anything: counted at every occurrence.
    @inline(__always)
    func mending(_ number: Int32) -> ExportText.Mending? {
        entries[Int(number)].isMended ? mendings[number] : nil
    }

    /// The number of a text, new or known; nil when the table is full.
    func number(_ raw: UnsafeBufferPointer<UInt8>) -> Int32? {
        let hash = Self.hash(raw)
        var slot = Int(hash) & (Self.slotCount - 1)
        while slots[slot] != 0 {
            let number = slots[slot] - 1
            if entries[Int(number)].hash == hash, matches(number, raw) { return number }
            slot = (slot + 1) & (Self.slotCount - 1)
        }
        guard texts.count < Self.entryLimit, byteCount + raw.count <= Self.byteLimit else { return nil }
        let number = Int32(texts.count)
        if raw.count > 0 { memcpy(bytes + byteCount, raw.baseAddress!, raw.count) }
        scratch.removeAll(keepingCapacity: true)
        let mending = ExportText.decode(raw, into: &scratch)
        if !mending.isNone { mendings[number] = mending }
        entries.advanced(by: Int(number)).initialize(
            to: Entry(start: Int32(byteCount), count: Int32(raw.count), hash: hash, isMended: !mending.isNone))
        texts.append(String(decoding: scratch, as: UTF8.self))
        byteCount += raw.count
        slots[slot] = number + 1
        return number
    }

    private static func hash(_ raw: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var mixed = UInt64(truncatingIfNeeded: raw.count) &* 0x9E37_79B9_7F4A_7C15
        guard let base = raw.baseAddress else { return 1 }
        var index = 0
        while index + 8 <= raw.count {
            let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
            mixed = (mixed ^ word) &* 0xC2B2_AE3D_27D4_EB4F
            mixed ^= mixed >> 29
            index += 8
        }
        var tail: UInt64 = 0
        while index < raw.count {
            tail = tail << 8 | UInt64(base[index])
            index += 1
        }
        mixed = (mixed ^ tail) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: mixed >> 32)
    }
}
