import CanonicalJSON
import Cryptography
import Foundation
import HealthExport
import HealthRecords

@testable import Biomarkers

/// FHIR resources of DSTU2 and R4 (apple-health-export.md 14, biomarkers.md 4): whatever a server sent, each value that
/// is proposed is a finite number with a date.
func fuzzClinicalFile(_ bytes: [UInt8]) {
    guard let document = decoded({ try JSONParser.parse(bytes) }) else { return }
    let contents = ObservationReader.read(document, zone: zone)
    var results = LaboratoryResults(
        catalogue: .current, latestPlausible: Instant(secondsSince1970: 1_800_000_000))
    results.add(contents, from: .init(file: "a.json", digest: SHA256.hash(bytes), institution: nil))
    for proposal in results.proposals() {
        hold(proposal.value.isFinite, "a proposed value is a number")
        hold(!proposal.display.isEmpty, "a proposed value can be shown")
    }
}

private let zone: CalendarZone = {
    guard let zone = CalendarZone(identifier: "Europe/Berlin") else { fatalError("the zone is known") }
    return zone
}()
