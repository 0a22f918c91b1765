/// A decoder and what must hold of it whatever the bytes are.
///
/// A target never throws: a refusal is an answer. It ends the process when a rule is broken, which the fuzzer takes for
/// a finding, as it does a trap, a hang, and memory that a length field alone can claim.
struct FuzzTarget: Sendable {
    /// The word on the command line, and the folder below `Fixtures/fuzz`.
    let name: String
    /// The longest input.
    let maximumByteCount: Int
    /// The largest piece of memory in MiB that it may ask for: just above the decoder's own buffers and far above an
    /// input, so that a length that is believed shows.
    var allocationMebibytes = 4
    /// Decodes one input.
    let run: @Sendable ([UInt8]) -> Void

    /// All of them.
    static let all = [
        FuzzTarget(name: "item", maximumByteCount: 4_096, run: fuzzItem),
        FuzzTarget(name: "partition", maximumByteCount: 8_192, run: fuzzPartition),
        FuzzTarget(name: "frame", maximumByteCount: 512, run: fuzzFrame),
        FuzzTarget(name: "packet", maximumByteCount: 4_096, run: fuzzPacket),
        FuzzTarget(name: "record", maximumByteCount: 4_096, run: fuzzRecord),
        FuzzTarget(name: "message", maximumByteCount: 8_192, run: fuzzMessage),
        FuzzTarget(name: "request", maximumByteCount: 4_096, run: fuzzRequest),
        FuzzTarget(name: "manifest", maximumByteCount: 8_192, run: fuzzManifest),
        FuzzTarget(name: "zip", maximumByteCount: 8_192, run: fuzzZip),
        FuzzTarget(name: "xml", maximumByteCount: 8_192, allocationMebibytes: 17, run: fuzzExport),
        FuzzTarget(name: "gpx", maximumByteCount: 4_096, run: fuzzRoute),
        FuzzTarget(name: "ecg", maximumByteCount: 4_096, run: fuzzElectrocardiogram),
        FuzzTarget(name: "fhir", maximumByteCount: 8_192, run: fuzzClinicalFile),
    ]
}

/// Ends the process when a rule does not hold.
func hold(_ rule: Bool, _ name: StaticString) {
    guard !rule else { return }
    fatalError("broken rule: \(name)")
}

/// What decoding gave; nil when the bytes were refused. A refusal is what most inputs are for.
func decoded<Value>(_ body: () throws -> Value) -> Value? {
    // The error itself is of no interest here: that it is a coded one is what the tests hold.
    try? body()
}

/// An input whose first byte chooses how the rest is fed.
struct KnobbedInput {
    let knob: UInt8
    let bytes: [UInt8]

    init?(_ input: [UInt8]) {
        guard let knob = input.first else { return nil }
        self.knob = knob
        bytes = Array(input.dropFirst())
    }

    /// The bytes in pieces of one to sixteen, or as one.
    var pieces: [[UInt8]] {
        let size = knob & 0x80 == 0 ? max(1, bytes.count) : Int(knob & 0x0F) + 1
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
