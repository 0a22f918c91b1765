import Foundation
import TestSupport
import Testing

@testable import Biomarkers

@Suite struct DocumentationTests {
    private static let heading = "| id | unit | from devices | LOINC |\n| --- | --- | --- | --- |\n"

    private static var table: String {
        heading
            + Catalogue.current.biomarkers.map { biomarker in
                let rule = biomarker.wearable.map { rule in
                    let type = rule.type.replacingOccurrences(of: "HKQuantityTypeIdentifier", with: "")
                    let window = rule.windowDays.map { " of \($0) days" } ?? ""
                    return biomarker.isInert
                        ? type + ", waits for its place" : "\(type), \(rule.statistic.rawValue)\(window)"
                }
                let codes = biomarker.loinc.map { "\($0.code) \($0.name)" }.joined(separator: "<br>")
                return "| \(biomarker.id) | \(biomarker.unit) | \(rule ?? "") | \(codes) |\n"
            }.joined()
    }

    @Test("the documentation has the catalogue of this build and all stable words")
    func catalogue() throws {
        let file = Checkout.root.appendingPathComponent("docs/BIOMARKERS.md")
        var text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        if ProcessInfo.processInfo.environment["HEALTHMD_WRITE_SNAPSHOTS"] == "1" {
            let start = text.range(of: Self.heading)?.lowerBound ?? text.endIndex
            text = text[..<start] + Self.table
            try Data(text.utf8).write(to: file)
        }
        #expect(
            text.hasSuffix(Self.table),
            "the catalogue changed: HEALTHMD_WRITE_SNAPSHOTS=1 swift test --filter BiomarkersTests")
        for word in Exclusion.allCases.map(\.rawValue) { #expect(text.contains("`\(word)`"), "\(word)") }
        let reasons: [Unplaceable.Reason] = [
            .notInCatalogue, .unitNotConvertible, .notANumber, .noDate, .futureDate, .ambiguousName, .withdrawn,
            .notFinal,
        ]
        for word in reasons.map(\.rawValue) { #expect(text.contains("`\(word)`"), "\(word)") }
    }
}
