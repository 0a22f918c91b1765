import CSodium

/// The one place where libsodium is started.
enum Sodium {
    /// Touch it before any call into libsodium; the first touch runs `sodium_init`, from whichever thread.
    static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium found no usable source of randomness")
    }()
}
