import DurableStore

/// What a running service tells its operator: codes and counts alone.
public enum ServiceReport: Equatable, Sendable {
    /// Something could not be read or stored; a request that needed it was answered 502, or without the days in question.
    case storageFailed(code: String)
    /// So many days are no longer where they were stored. They are not listed any more, so their writers send them again.
    case daysLost(count: Int)

    static func storageFailed(_ error: any Error) -> ServiceReport {
        let code =
            switch error {
            case let error as StoreError: error.code
            case let error as S3Error: error.code
            default: "storage_failed"
            }
        return .storageFailed(code: code)
    }
}

extension S3Error {
    /// For the operator: what happened, and the object store's own word for it.
    var code: String {
        switch self {
        case .unreachable: "object_store_unreachable"
        case .refused(let status, let word): "object_store_refused \(status) \(word)"
        case .badListing: "object_store_bad_listing"
        }
    }
}
