/// What can go wrong inside the receiver besides the errors of the rooms below.
enum ReceiverError: Error, Hashable, Sendable {
    /// A session's folder is another one than the journal remembers.
    case sessionFolderChanged
    /// An item file is shorter than its journal says, or its prefix has another digest.
    case itemFileDamaged
    /// A complete item has another digest than its segments announced.
    case itemDigest
    /// The destination is gone, replaced, or not ours to write.
    case destinationUnusable(String)
    /// The destination could not be opened, for a reason that may pass, by its code.
    case destinationNotOpened(String)
    /// Another receiver writes into the destination now.
    case destinationInUse
    /// The work was interrupted on purpose.
    case interrupted
    /// An item of an old protocol version is too large to be read in one piece.
    case jsonItemTooLarge(limit: Int)

    /// The stable code.
    var code: String {
        switch self {
        case .sessionFolderChanged: "session_folder_changed"
        case .itemFileDamaged: "item_file_damaged"
        case .itemDigest: "item_digest_mismatch"
        case .destinationUnusable: "destination_unusable"
        case .destinationNotOpened: "destination_not_opened"
        case .destinationInUse: "destination_in_use"
        case .interrupted: "interrupted"
        case .jsonItemTooLarge: "json_item_too_large"
        }
    }
}
