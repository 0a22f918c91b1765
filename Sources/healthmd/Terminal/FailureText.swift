import CanonicalJSON
import DurableStore

/// Codes and sentences of errors that come from the rooms below.
enum FailureText {
    static func code(of error: any Error) -> String {
        if let error = error as? JSONError { return error.code.rawValue }
        if let error = error as? StoreError { return error.code }
        return "internal_error"
    }

    static func message(of error: any Error) -> String {
        if let error = error as? JSONError { return error.description }
        if let error = error as? StoreError { return error.description }
        return "an unexpected error of type \(type(of: error)); please report it"
    }
}
