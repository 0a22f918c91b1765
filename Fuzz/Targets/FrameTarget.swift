import ConnectedProtocol

/// Binary frames (corpus-protocol.md 11): a header that is accepted covers the frame and survives being written again.
func fuzzFrame(_ bytes: [UInt8]) {
    guard let frame = decoded({ try BinaryFrame(frame: bytes) }) else { return }
    hold(BinaryFrame.headerByteCount + frame.payloadByteCount == bytes.count, "header and payload are the frame")
    var header: [UInt8] = []
    frame.appendHeader(to: &header)
    let again = decoded { try BinaryFrame(frame: header + bytes.dropFirst(BinaryFrame.headerByteCount)) }
    hold(again == frame, "a header survives being written again")
}
