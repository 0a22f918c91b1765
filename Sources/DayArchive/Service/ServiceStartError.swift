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
    /// The credentials file of the object store lacks a key.
    case badS3Credentials
    /// Bucket, prefix, region or endpoint of the object store cannot be used.
    case badS3Location
    /// The object store does not let us in; its status and its own word.
    case objectStoreRefused(status: Int, word: String)
    /// The address or port cannot be used; code and sentence of the server.
    case cannotListen(code: String, sentence: String)

    /// The stable word for programs.
    public var code: String {
        switch self {
        case .badLimits: "bad_limits"
        case .openClaimsOffLoopback: "open_claims_off_loopback"
        case .badBasePath: "bad_base_path"
        case .badClaimToken: "bad_claim_token"
        case .badS3Credentials: "bad_s3_credentials"
        case .badS3Location: "bad_s3_location"
        case .objectStoreRefused: "object_store_refused"
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
        case .badS3Credentials:
            "The credentials file needs aws_access_key_id and aws_secret_access_key. Correct it."
        case .badS3Location:
            "An object store is s3://bucket/prefix of plain characters, with an http or https endpoint. Correct it."
        case .objectStoreRefused(let status, let word):
            "The object store answered \(status) \(word). Check bucket, region, endpoint and credentials file."
        case .cannotListen(_, let sentence): sentence
        }
    }
}
