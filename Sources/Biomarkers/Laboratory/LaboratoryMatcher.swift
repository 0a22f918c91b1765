/// Decides which biomarker a laboratory's result answers: by its LOINC code, and only without one by its name. There
/// is no nearest match (biomarkers.md 4, rule 3).
struct LaboratoryMatcher {
    /// A result that has a place and a number.
    struct Place {
        var biomarker: Biomarker
        /// In the unit of the biomarker.
        var value: Double
        /// The code that it was recognised by; nil when it was the name.
        var code: LoincCode?
        /// The biomarker that the sender's name means, when the code means another one.
        var conflict: String?
    }

    /// What became of a result.
    enum Outcome {
        case placed(Place)
        /// Why not, and which biomarker it would have been, when that is known.
        case unplaceable(Unplaceable.Reason, biomarker: String?)
    }

    let catalogue: Catalogue

    func place(_ observation: Observation) -> Outcome {
        var candidates: [Biomarker]
        if observation.loincCodes.isEmpty {
            candidates = byName(observation)
        } else {
            candidates = byCode(observation)
            if Set(candidates.map(\.id)).count > 1 { return .unplaceable(.ambiguousName, biomarker: nil) }
        }
        guard let first = candidates.first else {
            // Words are not a gap of the catalogue: a culture would have no place in any.
            return .unplaceable(observation.hasNumber ? .notInCatalogue : .notANumber, biomarker: nil)
        }
        let known = candidates.count == 1 ? first.id : nil
        guard case .number(let number, _) = observation.value, number.isFinite, number >= 0 else {
            return .unplaceable(.notANumber, biomarker: known)
        }
        let values = candidates.compactMap { biomarker in
            observation.unit.flatMap { biomarker.quantity.value(number, in: $0) }.map { (biomarker, $0) }
        }
        // Two biomarkers of one name, mass and moles of one thing: the unit tells them apart.
        guard let (biomarker, value) = values.first else {
            return .unplaceable(.unitNotConvertible, biomarker: known)
        }
        guard values.count == 1 else { return .unplaceable(.ambiguousName, biomarker: nil) }
        let codes = Set(observation.loincCodes.map(\.code))
        let code = biomarker.laboratory?.codes.first { codes.contains($0.code) }
        return .placed(
            Place(
                biomarker: biomarker, value: value, code: code,
                conflict: code == nil ? nil : conflict(observation, biomarker)))
    }

    private func byCode(_ observation: Observation) -> [Biomarker] {
        var found: [Biomarker] = []
        for code in observation.loincCodes {
            guard let biomarker = catalogue.biomarker(loinc: code.code),
                !found.contains(where: { $0.id == biomarker.id })
            else { continue }
            found.append(biomarker)
        }
        return found
    }

    /// The biomarkers of the name that the laboratory gave, if neither name nor specimen speaks of another material.
    private func byName(_ observation: Observation) -> [Biomarker] {
        let printed = PrintedName.specimenWords(in: observation.name + " " + observation.specimen)
        return catalogue.biomarkers(named: observation.name).filter { biomarker in
            printed.isSubset(of: biomarker.laboratory?.specimenWords ?? [])
        }
    }

    private func conflict(_ observation: Observation, _ biomarker: Biomarker) -> String? {
        for name in observation.names {
            let meant = catalogue.biomarkers(named: name)
            if let other = meant.first, !meant.contains(where: { $0.id == biomarker.id }) { return other.id }
        }
        return nil
    }
}

extension Observation {
    /// Whether the value is an exact number.
    var hasNumber: Bool {
        if case .number = value { return true }
        return false
    }
}
