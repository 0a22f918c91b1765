import CanonicalJSON
import HealthRecords

extension ProposalReport {
    /// `healthmd.biomarker_proposals` v1 (biomarkers.md 8).
    public var document: JSONValue {
        var source: JSONObject = [
            "path_name": .string(self.source.pathName), "sha256": .string(self.source.sha256),
            "export_date": self.source.exportDate.flatMap(DocumentText.instant).map(JSONValue.string) ?? .null,
            "records": .integer(self.source.recordCount), "complete": .bool(self.source.isComplete),
        ]
        source.append("broken_off_at", ifPresent: self.source.brokenOffAt.map(JSONValue.integer))
        return [
            "schema": "healthmd.biomarker_proposals", "schema_version": 1, "source": .object(source),
            "proposals": .array(proposals.map(\.document)), "unplaceable": .array(unplaceable.map(\.document)),
            "dropped": DocumentText.counts(dropped), "counters": DocumentText.counts(counters),
            "warnings": .array(warnings.map(\.document)),
        ]
    }
}

extension ProposalReport {
    /// The document without its proposals: what a review shows beside them.
    public var surroundings: JSONValue {
        guard case .object(var object) = document else { return .null }
        object["proposals"] = nil
        return .object(object)
    }
}

extension Proposal {
    /// One element of `proposals`, without the single readings.
    public var document: JSONValue {
        var document: JSONObject = [
            "id": .string(id), "name": .string(name), "value": .double(value), "display": .string(display),
            "unit": .string(unit), "statistic": .string(statistic.rawValue),
            "window_days": windowDays.map(JSONValue.integer) ?? .null, "first": Self.text(first),
            "newest": Self.text(newest), "used": .integer(used), "available": .integer(available),
            "excluded": DocumentText.counts(excluded), "sources": .array(sources.map(JSONValue.string)),
            "origin": .string(origin.rawValue), "warnings": .array(warnings.map(\.document)),
        ]
        if !unknownUnits.isEmpty { document.append("unknown_units", DocumentText.counts(unknownUnits)) }
        if let pairing {
            document.append(
                "pairing", ["paired": .integer(pairing.paired), "unpaired": .integer(pairing.unpaired)])
        }
        document.append("laboratory", ifPresent: laboratory?.document)
        if let band {
            document.append(
                "band",
                [
                    "low": band.low.map(JSONValue.double) ?? .null, "high": band.high.map(JSONValue.double) ?? .null,
                    "grade": .string(band.grade(value).rawValue),
                ])
        }
        document.append("superseded", ifPresent: superseded?.document)
        return .object(document)
    }

    private static func text(_ instant: Instant) -> JSONValue {
        DocumentText.instant(instant).map(JSONValue.string) ?? .null
    }
}

extension Proposal.LaboratoryEvidence {
    /// What a person needs to find the result again.
    var document: JSONValue {
        [
            "name": .string(name), "loinc": loinc.map { .string($0.code) } ?? .null,
            "loinc_name": loinc.map { .string($0.name) } ?? .null, "date": .string(date), "status": .string(status),
            "value_text": .string(valueText), "file": .string(file), "sha256": .string(sha256),
        ]
    }
}

extension ProposalWarning {
    /// `{"code":…,"message":…}`.
    public var document: JSONValue { ["code": .string(code.rawValue), "message": .string(message)] }
}

extension Unplaceable {
    /// One element of `unplaceable`.
    public var document: JSONValue {
        var document: JSONObject = [
            "kind": .string(kind.rawValue), "name": .string(name), "loinc": loinc.map(JSONValue.string) ?? .null,
            "value_text": valueText.map(JSONValue.string) ?? .null, "unit": unit.map(JSONValue.string) ?? .null,
            "date": date.map(JSONValue.string) ?? .null, "reason": .string(reason.rawValue),
        ]
        document.append("id", ifPresent: biomarker.map(JSONValue.string))
        document.append("count", ifPresent: count.map(JSONValue.integer))
        document.append("type", ifPresent: type.map(JSONValue.string))
        document.append("source", ifPresent: source.map(JSONValue.string))
        return .object(document)
    }
}
