import ConnectedProtocol

/// Messages (corpus-protocol.md 2 to 5): a message that was understood says the same after it was written again.
func fuzzMessage(_ bytes: [UInt8]) {
    guard let message = decoded({ try SyncMessage.decode(bytes) }) else { return }
    switch message {
    case .legacy, .unknown, .malformed: return
    default: break
    }
    let again = decoded { try SyncMessage.decode(message.encode()) }
    hold(again == message, "a message says the same after it was written again")
}
