/// Conversions as text (biomarkers.md 3): standard clinical factors, cross-checked between public tables and molecular
/// weights. Lp(a) between mass and moles, and insulin between moles and units, are refused: no fixed factor exists.
enum UnitTable {
    /// The one quantity whose `%` may be a fraction.
    static let fraction = "fraction"
    /// The one quantity whose molar unit carries the molar mass.
    static let glucose = "glucose"
    /// The one kind of quantity for which IU and U are the same.
    static let enzyme = "enzyme"
    /// What a number of g/mol inside a glucose unit has to be near to.
    static let glucoseMolarMass = 180.0...180.3

    /// - `quantity`: name, unit as it is shown
    /// - `from`: a unit, then `* number`, `/ number`, `+ number` as far as they are needed; for the row above. The
    ///   unit of the quantity itself is always understood.
    static let text = """
        quantity | heart_rate | bpm
        from | count/min
        from | count/s | * 60
        from | /min
        quantity | rate_per_minute | /min
        from | count/min
        from | count/s | * 60
        quantity | milliseconds | ms
        quantity | fraction | %
        quantity | oxygen_uptake | mL/kg/min
        from | mL/min·kg
        from | mL/(kg*min)
        from | mL/kg*min
        from | mL/(kg·min)
        from | mL/kg·min
        from | mL/(min·kg)
        quantity | pressure | mmHg
        from | kPa | * 7.50061683
        quantity | count | kg/m2
        from | count
        quantity | girth | cm
        from | m | * 100
        from | in | * 2.54
        from | ft | * 30.48
        quantity | glucose | mg/dL
        from | mmol/L | * 18.01558800000541
        quantity | cholesterol | mg/dL
        from | mmol/L | * 38.67
        quantity | triglycerides | mg/dL
        from | mmol/L | * 88.57
        quantity | apolipoprotein | mg/dL
        from | g/L | * 100
        quantity | lipoprotein_a_mass | mg/dL
        quantity | lipoprotein_a_molar | nmol/L
        quantity | hba1c | %
        from | % of total Hgb
        from | mmol/mol | * 0.09148 | + 2.152
        quantity | insulin | u[IU]/mL
        from | mIU/L
        quantity | crp | mg/L
        from | mg/dL | * 10
        quantity | creatinine | mg/dL
        from | umol/L | / 88.42
        quantity | filtration | mL/min/{1.73_m2}
        from | mL/min/1.73m2
        from | mL/min/1.73
        from | mL/min/1.73_m2
        from | mL/min/{1.73m2}
        quantity | urate | mg/dL
        from | umol/L | / 59.48
        quantity | albumin_creatinine_ratio | mg/g{creat}
        from | mg/g
        from | mg/g creat
        from | ug/mg{creat}
        from | ug/mg
        quantity | enzyme | U/L
        quantity | bilirubin | mg/dL
        from | umol/L | / 17.10
        quantity | calcium | mg/dL
        from | mmol/L | * 4.008
        quantity | iron | ug/dL
        from | umol/L | * 5.585
        quantity | vitamin_d | ng/mL
        from | nmol/L | * 0.4006
        from | ug/L
        quantity | vitamin_b12 | pg/mL
        from | pmol/L | * 1.3554
        from | ng/L
        quantity | folate | ng/mL
        from | nmol/L | * 0.4414
        from | ug/L
        quantity | testosterone | ng/dL
        from | nmol/L | * 28.842
        quantity | ng_per_ml | ng/mL
        from | ug/L
        quantity | pg_per_ml | pg/mL
        from | ng/L
        quantity | ng_per_dl | ng/dL
        quantity | ug_per_dl | ug/dL
        quantity | mg_per_dl | mg/dL
        quantity | g_per_dl | g/dL
        from | g/L | / 10
        quantity | umol_per_l | umol/L
        quantity | nmol_per_l | nmol/L
        quantity | thyrotropin | m[IU]/L
        from | uIU/mL
        quantity | monovalent_ion | mmol/L
        from | mEq/L
        quantity | percent | %
        quantity | thousand_cells | 10*3/uL
        from | 10*9/L
        quantity | million_cells | 10*6/uL
        from | 10*12/L
        quantity | femtolitres | fL
        """

    /// Every quantity by its name.
    static let quantities: [String: Quantity] = {
        var found: [String: Quantity] = [:]
        var rows = CatalogueRow.rows(of: text)[...]
        while let head = rows.popFirst() {
            precondition(head.kind == "quantity", "the table of units begins a quantity: \(head.fields)")
            let name = head.text(1)
            let unit = head.text(2)
            var conversions = [UnitText.tidied(unit, isEnzyme: name == enzyme): UnitConversion()]
            while let row = rows.first, row.kind == "from" {
                rows.removeFirst()
                conversions[UnitText.tidied(row.text(1), isEnzyme: name == enzyme)] = conversion(row)
            }
            precondition(
                found.updateValue(Quantity(name: name, unit: unit, conversions: conversions), forKey: name) == nil,
                "a quantity stands once in the table: \(name)")
        }
        return found
    }()

    private static func conversion(_ row: CatalogueRow) -> UnitConversion {
        var (factor, divisor, offset) = (1.0, 1.0, 0.0)
        for step in row.fields.dropFirst(2) {
            guard let number = Double(step.dropFirst(2)) else { preconditionFailure("a number in \(row.fields)") }
            switch step.first {
            case "*": factor = number
            case "/": divisor = number
            case "+": offset = number
            default: preconditionFailure("a step of a conversion: \(row.fields)")
            }
        }
        return UnitConversion(factor: factor, divisor: divisor, offset: offset)
    }
}

/// One line of a table of the catalogue.
struct CatalogueRow {
    /// The first field.
    var kind: Substring { fields[0] }
    /// All fields, trimmed.
    let fields: [Substring]

    /// A field that has to be there.
    func text(_ index: Int) -> String {
        precondition(index < fields.count, "field \(index) of \(fields)")
        return String(fields[index])
    }

    /// The rows of a table.
    static func rows(of table: String) -> [CatalogueRow] {
        table.split(separator: "\n").map { line in
            CatalogueRow(
                fields: line.split(separator: "|", omittingEmptySubsequences: false).map(trimmed))
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
