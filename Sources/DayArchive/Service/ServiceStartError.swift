/// Why a service does not start.
public enum ServiceStartError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A name or number of the limits file.
    case badLimits(name: String)
    /// `open` would let everyone on the network create archives.
    case openClaimsOffLoopback
    /// A base path that is none.
    case badBasePath
    /// The claim token file is not usable.
    case badClaimToken
    /// The address or port cannot be used; code and sentence of the server.
    case cannotListen(code: String, sentence: String)

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .badLimits: "bad_limits"
        case .openClaimsOffLoopback: "open_claims_off_loopback"
        case .badBasePath: "bad_base_path"
        case .badClaimToken: "bad_claim_token"
        case .cannotListen(let code, _): code
        }
    }

    /// A sentence for a person.
    public var description: String {
        switch self {
        case .badLimits(let name):
            "\(name) is not a known limit with a whole number of at least 1. Correct the limits file."
        case .openClaimsOffLoopback:
            "With open claims everyone who reaches this address can create archives. Use another --claim, listen on 127.0.0.1, or give --allow-open-claims."
        case .badBasePath: "A base path begins with / and has no ?, # or white space."
        case .badClaimToken: "The claim token file is empty or longer than 1 KiB. Remove it to have a new one made."
        case .cannotListen(_, let sentence): sentence
        }
    }
}
