import CanonicalJSON

/// The file of ranges that the owner of the record calls optimal: `{"hba1c": {"low": 4.5, "high": 5.4}}`, either bound
/// absent or null for none (biomarkers.md 6.2). No ranges come with the program: they are a medical judgement.
public enum OptimalBands {
    /// Bytes of such a file.
    public static let byteLimit = 1 << 20

    /// Reads the file.
    ///
    /// - Throws: `invalid_bands`.
    public static func parse(
        _ bytes: [UInt8], catalogue: Catalogue = .current
    ) throws(BiomarkersError) -> [String: OptimalBand] {
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes)
        } catch {
            throw .invalidBands(detail: "it is no JSON")
        }
        guard let object = document.object else { throw .invalidBands(detail: "it is no JSON object") }
        var bands: [String: OptimalBand] = [:]
        for member in object.members {
            guard catalogue.biomarker(member.key) != nil else {
                throw .invalidBands(detail: "\(member.key) is no biomarker of the catalogue")
            }
            guard let range = member.value.object else {
                throw .invalidBands(detail: "\(member.key) has no range")
            }
            let band = OptimalBand(
                low: try bound(range["low"], of: member.key), high: try bound(range["high"], of: member.key))
            guard band.low != nil || band.high != nil, (band.low ?? -.infinity) <= (band.high ?? .infinity) else {
                throw .invalidBands(detail: "the range of \(member.key) is empty")
            }
            bands[member.key] = band
        }
        return bands
    }

    private static func bound(_ value: JSONValue?, of id: String) throws(BiomarkersError) -> Double? {
        guard let value, !value.isNull else { return nil }
        guard let number = value.number?.double, number.isFinite else {
            throw .invalidBands(detail: "a bound of \(id) is no number")
        }
        return number
    }
}
