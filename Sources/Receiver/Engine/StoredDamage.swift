import ConnectedProtocol
import DurableStore
import Foundation
import HMDCItem

/// Failures that say that something is wrong with what the receiver itself has stored. They do not pass: the job fails with their code.
enum StoredDamage {
    /// The code that the job fails with; nil when the failure may pass, or is not about stored state.
    static func code(of error: any Error, mode: CorpusMode) -> String? {
        switch error {
        case let error as ReceiverError:
            switch error {
            case .itemFileDamaged, .itemDigest, .sessionFolderChanged, .jsonItemTooLarge: return error.code
            case .destinationUnusable, .destinationNotOpened, .destinationInUse, .interrupted: return nil
            }
        // A raw result is made within our own folders alone, so what cannot be read or is in the way is ours. Where files are made,
        // errors of the store may be about the destination, which a person can mend.
        case let error as StoreError where mode == .strictRaw && !error.mayPass:
            return ReceiverError.sessionFolderChanged.code
        case is ItemError where mode == .strictRaw, is DecodingError where mode == .strictRaw:
            return ReceiverError.itemFileDamaged.code
        default: return nil
        }
    }

    /// The code of damage that the application of a partition met; nil when the partition was at fault.
    static func code(ofApplication error: any Error) -> String? {
        switch error {
        case ReceiverError.itemFileDamaged: ReceiverError.itemFileDamaged.code
        case is StoreError: ReceiverError.sessionFolderChanged.code
        default: nil
        }
    }

    /// The code of a session whose stored state cannot be believed at all.
    static func code(ofUnreadable error: any Error) -> String {
        (error as? ReceiverError)?.code ?? OpenRefusal.unreadableState.code
    }

    /// What the person is told.
    static func message(_ code: String) -> String {
        "What the receiver had stored of this job is damaged (\(code)), so it cannot be finished. Check the disk, then start the export again under a new job."
    }

    /// Reads what the receiver itself stored. What is not there, or not as it was left, is damage.
    static func reading<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StoreError where !error.mayPass {
            throw ReceiverError.itemFileDamaged
        }
    }
}
