import ConnectedProtocol

/// Partition files (corpus-protocol.md 8): a layout that is accepted covers the file exactly, and its manifest says the
/// same after it was written again.
func fuzzPartition(_ bytes: [UInt8]) {
    let prefix = Array(bytes.prefix(PartitionFile.prefixByteCount))
    guard let count = decoded({ try PartitionFile.manifestByteCount(prefix: prefix) }) else { return }
    let text = Array(bytes.dropFirst(PartitionFile.prefixByteCount).prefix(count))
    guard let file = decoded({ try PartitionFile(manifestText: text, fileByteCount: Int64(bytes.count)) }) else {
        // The manifest alone, for files whose length does not fit it.
        return checkManifest(text)
    }
    var end = Int64(PartitionFile.prefixByteCount + file.manifestByteCount)
    for placed in file.segments {
        hold(placed.fileRange.lowerBound == end, "segments follow each other")
        hold(placed.segment.itemRange.count == placed.fileRange.count, "a segment is as long as its part of the item")
        end = placed.fileRange.upperBound
    }
    hold(end == Int64(bytes.count), "segments end with the file")
    checkManifest(text)
}

private func checkManifest(_ text: [UInt8]) {
    guard let manifest = decoded({ try PartitionManifest(text: text) }) else { return }
    let again = decoded { try PartitionManifest(text: manifest.text) }
    hold(again == manifest, "a manifest says the same after it was written again")
    hold(!manifest.sourceDates.isEmpty, "a partition has a day")
}
