import ConnectedProtocol
import HMDCItem

/// The raw days of a partition file, in order.
func rawDays(in partition: [UInt8]) throws -> [StrictRawDayEnvelope] {
    try items(in: partition).map { try RawDayDecoding.decode($0) }
}

/// The items of a partition file that holds whole items.
func items(in partition: [UInt8]) throws -> [[UInt8]] {
    let manifestCount = try PartitionFile.manifestByteCount(prefix: Array(partition.prefix(12)))
    let file = try PartitionFile(
        manifestText: Array(partition[12..<12 + manifestCount]), fileByteCount: Int64(partition.count))
    return file.segments.map { Array(partition[Int($0.fileRange.lowerBound)..<Int($0.fileRange.upperBound)]) }
}

enum RawDayDecoding {
    static func decode(_ item: [UInt8]) throws -> StrictRawDayEnvelope {
        try ItemDecoder().decode(StrictRawDayEnvelope.self, from: ItemBytes(item), kind: .strictRawDay)
    }
}
