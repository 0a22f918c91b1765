import Cryptography

@testable import ConnectedProtocol

/// Secure records (extensions.md 3.2): bytes that were not sealed for this place are refused, and what was sealed comes
/// out as it went in, is told apart by its first bytes, and is safe to read as message or frame.
func fuzzRecord(_ input: [UInt8]) {
    guard let input = KnobbedInput(input) else { return }
    let keys = ManualIPKeys.RecordKeys(
        clientToServer: SecretBytes(copying: [UInt8](repeating: 1, count: 32)),
        serverToClient: SecretBytes(copying: [UInt8](repeating: 2, count: 32)))
    var server = RecordChannel(keys: keys, role: .server)
    if input.knob & 1 == 0 {
        var body = input.bytes
        hold(decoded { try server.open(&body) } == nil, "bytes that nobody sealed are no record")
        return
    }
    var client = RecordChannel(keys: keys, role: .client)
    // The sealing side traps on what it must never send.
    guard let first = input.bytes.first, first == UInt8(ascii: "{") || input.bytes.count <= 4_096 else { return }
    guard let packet = decoded({ try client.seal(document: input.bytes) }) else {
        return hold(false, "a record of the first sequence can be sealed")
    }
    var body = Array(packet.dropFirst(SecureTransportLimits.packetPrefixByteCount))
    var bent = body
    bent[Int(input.knob) % bent.count] ^= 1 << (input.knob >> 1 & 7)
    hold(decoded { try server.open(&bent) } == nil, "a record with one bit changed is refused")
    guard let (content, range) = decoded({ try server.open(&body) }) else {
        let isContent = first == UInt8(ascii: "{") || input.bytes.starts(with: BinaryFrame.magic)
        return hold(!isContent, "a sealed document or frame can be opened")
    }
    hold(Array(body[range]) == input.bytes, "what was sealed comes out as it went in")
    switch content {
    case .document: _ = InterpretedMessage<SyncMessage>(body[range])
    case .frame: _ = decoded { try BinaryFrame(frame: body[range]) }
    }
}
