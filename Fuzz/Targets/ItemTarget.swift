import Cryptography
import HMDCItem
import HealthData

/// Items (hmdcitem.md 4): what the reader accepts can be shown as a tree and written again byte for byte, and decoding
/// a payload never gives more than the tree has.
func fuzzItem(_ bytes: [UInt8]) {
    if let summary = decoded({ try ItemReader.validate(ItemBytes(bytes)) }) {
        var text = ItemByteBuffer()
        let shown: Void? = decoded {
            try ItemTree.inspect(ItemBytes(bytes), detail: .full, makeDigest: { TargetSHA256() }, to: &text)
        }
        hold(shown != nil, "a valid item can be inspected")
        guard let tree = decoded({ try ItemTree.parse(text.bytes) }) else {
            return hold(false, "an inspection can be read back")
        }
        let again = decoded { try ItemWriter.bytes(of: tree.root, kind: summary.kind) }
        hold(again == bytes, "a valid item is written again byte for byte")
    }
    if let day = decoded({ try ItemDecoder().decode(StrictRawDayEnvelope.self, from: bytes, kind: .strictRawDay) }) {
        hold(decoded { try RawDayExtraction(ItemBytes(bytes)) } != nil, "a raw day can be read without its document")
        _ = day
    }
    var document = ItemByteBuffer()
    _ = decoded { try RawDayExtraction(ItemBytes(bytes)).copyDocument(to: &document) }
    _ = decoded {
        try ItemDecoder().decode(HealthDayEnvelope<DailyRecord>.self, from: bytes, kind: .macHealthDay)
    }
    // The form of protocol versions 1 to 3 (hmdcitem.md 8).
    _ = decoded { try ItemJSON.decode(StrictRawDayEnvelope.self, from: bytes) }
    _ = decoded { try ItemJSON.decode(HealthDayEnvelope<DailyRecord>.self, from: bytes) }
}

private struct TargetSHA256: ItemDigest {
    private var hasher = SHA256()

    mutating func update(_ bytes: Span<UInt8>) { hasher.update(bytes.bytes) }
    mutating func finish() -> [UInt8] { hasher.finalize().bytes }
}
