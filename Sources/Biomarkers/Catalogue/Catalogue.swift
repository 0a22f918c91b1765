/// Every biomarker of this build, parsed once from ``CatalogueTable`` (biomarkers.md 6).
public struct Catalogue: Sendable {
    /// The catalogue of this build.
    public static let current = Catalogue(
        tables: [CatalogueTable.wearables, CatalogueTable.chemistry, CatalogueTable.haematologyAndHormones])

    /// All of them, in the order of the tables; those of the laboratory behind those of devices.
    public let biomarkers: [Biomarker]

    private let indexByID: [String: Int]
    private let indexByType: [String: Int]
    private let indexByLoinc: [String: Int]
    private let indexesByName: [String: [Int]]

    /// The biomarker of an id.
    public func biomarker(_ id: String) -> Biomarker? { indexByID[id].map { biomarkers[$0] } }

    /// The biomarker that records of a HealthKit type answer, placed or inert.
    public func biomarker(ofType type: String) -> Biomarker? { indexByType[type].map { biomarkers[$0] } }

    /// The biomarker that a laboratory's LOINC code means.
    public func biomarker(loinc code: String) -> Biomarker? { indexByLoinc[code].map { biomarkers[$0] } }

    /// The biomarkers that a printed name means: none, one, or two that only the unit tells apart.
    public func biomarkers(named name: String) -> [Biomarker] {
        (indexesByName[PrintedName.folded(name)] ?? []).map { biomarkers[$0] }
    }

    /// The biomarkers that wait for their place: listed as unplaceable (biomarkers.md 1).
    public var inert: [Biomarker] { biomarkers.filter(\.isInert) }

    init(tables: [String]) {
        var drafts: [Draft] = []
        for row in tables.flatMap(CatalogueRow.rows) {
            switch row.kind {
            case "device", "inert": drafts.append(Draft(device: row))
            case "lab":
                if let known = drafts.firstIndex(where: { $0.id == row.text(1) }) {
                    // Devices and laboratories both answer: one entry, at the end so that its codes can follow.
                    var draft = drafts.remove(at: known)
                    draft.becomeLaboratory(row)
                    drafts.append(draft)
                } else {
                    drafts.append(Draft(laboratory: row))
                }
            case "loinc": drafts[drafts.count - 1].addCode(row)
            case "names": drafts[drafts.count - 1].addNames(row)
            default: preconditionFailure("a row of the catalogue: \(row.fields)")
            }
        }
        biomarkers = drafts.map(\.biomarker)
        var (byID, byType, byLoinc, byName) = ([String: Int](), [String: Int](), [String: Int](), [String: [Int]]())
        for (index, biomarker) in biomarkers.enumerated() {
            precondition(byID.updateValue(index, forKey: biomarker.id) == nil, "one entry for \(biomarker.id)")
            if let type = biomarker.wearable?.type {
                precondition(byType.updateValue(index, forKey: type) == nil, "one entry for \(type)")
            }
            for code in biomarker.laboratory?.codes ?? [] {
                precondition(byLoinc.updateValue(index, forKey: code.code) == nil, "one entry for \(code.code)")
            }
            for name in Set((biomarker.laboratory?.names ?? []).map(PrintedName.folded)) {
                byName[name, default: []].append(index)
            }
        }
        (indexByID, indexByType, indexByLoinc, indexesByName) = (byID, byType, byLoinc, byName)
    }

    /// One entry while its rows are read.
    private struct Draft {
        var id: String
        var name: String
        var quantity: Quantity
        var decimals: Decimals
        var plausible: ClosedRange<Double>?
        var wearable: WearableRule?
        var isInert = false
        var isLaboratory = false
        var loinc: [LoincCode] = []
        var codes: [LoincCode] = []
        var names: [String] = []
        var specimenWords: Set<String> = []

        private init(_ row: CatalogueRow) {
            id = row.text(1)
            name = row.text(2)
            guard let quantity = UnitTable.quantities[row.text(3)] else {
                preconditionFailure("a quantity of the table of units: \(row.fields)")
            }
            self.quantity = quantity
            let digits = row.text(4).split(separator: ".").compactMap { Int($0) }
            decimals = digits.count == 2 ? .upTo(digits[1]) : .exactly(digits[0])
        }

        init(device row: CatalogueRow) {
            self.init(row)
            isInert = row.kind == "inert"
            let inertFields: [Substring] = ["inert", "", "", "", "", "", row.fields[5], "all", "latest", ""]
            let fields = isInert ? inertFields : row.fields
            plausible = isInert ? nil : Self.range(row.text(5))
            guard let statistic = Statistic(rawValue: String(fields[8])) else {
                preconditionFailure("a statistic: \(row.fields)")
            }
            wearable = WearableRule(
                type: "HKQuantityTypeIdentifier" + fields[6], windowDays: Int(fields[7]), statistic: statistic,
                possible: Self.possible(fields[9]), isFasting: fields[9] == "fasting")
        }

        init(laboratory row: CatalogueRow) {
            self.init(row)
            isLaboratory = true
            plausible = row.text(5).isEmpty ? nil : Self.range(row.text(5))
            specimenWords = Set(row.text(6).split(separator: " ").map(String.init))
        }

        mutating func becomeLaboratory(_ row: CatalogueRow) {
            let other = Draft(laboratory: row)
            precondition(other.quantity == quantity && other.decimals == decimals, "both agree on \(id)")
            isLaboratory = true
            specimenWords = other.specimenWords
        }

        mutating func addCode(_ row: CatalogueRow) {
            let code = LoincCode(code: row.text(1), name: row.text(2), verified: row.text(3))
            loinc.append(code)
            if isLaboratory { codes.append(code) }
        }

        mutating func addNames(_ row: CatalogueRow) {
            names = row.text(1).split(separator: ";").map { String($0).trimmingBlanks }
        }

        var biomarker: Biomarker {
            Biomarker(
                id: id, name: name, quantity: quantity, decimals: decimals, plausible: plausible, wearable: wearable,
                laboratory: isLaboratory
                    ? LaboratoryRule(codes: codes, names: names, specimenWords: specimenWords) : nil,
                loinc: loinc, isInert: isInert)
        }

        private static func range(_ text: String) -> ClosedRange<Double> {
            let bounds = text.replacing("...", with: " ").split(separator: " ").compactMap { Double($0) }
            precondition(bounds.count == 2 && bounds[0] < bounds[1], "a range: \(text)")
            return bounds[0]...bounds[1]
        }

        private static func possible(_ text: Substring) -> PossibleValues {
            guard text.hasPrefix("above ") else { return .any }
            let bounds = text.split(separator: " ").compactMap { Double($0) }
            return .above(bounds[0], through: bounds[1])
        }
    }
}

extension String {
    /// Without blanks at both ends.
    var trimmingBlanks: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
