/// Converts what an export says, in whatever unit the person chose, to the unit of canonical records
/// (health-data.md 10.2.3, apple-health-export.md 7).
enum UnitConversion {
    private enum Dimension: Sendable {
        case length, mass, energy, time, volume, temperature, count, ratio, speed, rate, power, pressure, glucose
        case conductance, sound, insulin, flow, oxygenUptake, effort, effortScore
    }

    /// A unit's dimension and its factor to a base of the dimension, chosen so that the usual factors are exact.
    private static let units: [String: (Dimension, Double)] = [
        "m": (.length, 1), "km": (.length, 1_000), "cm": (.length, 0.01), "mm": (.length, 0.001),
        "mi": (.length, metresPerMile), "ft": (.length, 0.3048), "in": (.length, 0.0254), "yd": (.length, 0.9144),
        "mcg": (.mass, 1), "µg": (.mass, 1), "mg": (.mass, 1e3), "g": (.mass, 1e6), "kg": (.mass, 1e9),
        "lb": (.mass, 453_592_370), "oz": (.mass, 28_349_523.125), "st": (.mass, 6_350_293_180),
        "J": (.energy, 1), "cal": (.energy, 4.184), "kJ": (.energy, 1_000), "kcal": (.energy, 4_184),
        "Cal": (.energy, 4_184),
        "s": (.time, 1), "min": (.time, 60), "hr": (.time, 3_600), "ms": (.time, 0.001), "d": (.time, 86_400),
        "L": (.volume, 1), "mL": (.volume, 0.001), "dL": (.volume, 0.1), "fl_oz_us": (.volume, 0.0295735295625),
        "fl_oz_imp": (.volume, 0.0284130625), "cup_us": (.volume, 0.2365882365), "cup_imp": (.volume, 0.284130625),
        "pt_us": (.volume, 0.473176473), "pt_imp": (.volume, 0.56826125),
        "degC": (.temperature, 1), "degF": (.temperature, 1), "K": (.temperature, 1),
        "count": (.count, 1), "%": (.ratio, 1),
        "km/hr": (.speed, 1), "km/h": (.speed, 1), "m/s": (.speed, 3.6), "mi/hr": (.speed, 1.609344),
        "ft/s": (.speed, 1.09728), "m/min": (.speed, 0.06),
        "count/min": (.rate, 1), "count/s": (.rate, 60), "rpm": (.rate, 1),
        "W": (.power, 1), "kW": (.power, 1_000),
        "mmHg": (.pressure, 1), "kPa": (.pressure, 7.500615613026439), "cmAq": (.pressure, 0.735559121),
        "mg/dL": (.glucose, 1), "mmol/L": (.glucose, 18.015588), "mcS": (.conductance, 1), "µS": (.conductance, 1),
        "S": (.conductance, 1e6), "dBASPL": (.sound, 1), "dB": (.sound, 1), "dBHL": (.sound, 1), "IU": (.insulin, 1),
        "L/min": (.flow, 1), "L/s": (.flow, 60), "mL/min": (.flow, 0.001),
        "mL/min·kg": (.oxygenUptake, 1), "kcal/hr·kg": (.effort, 1), "appleEffortScore": (.effortScore, 1),
    ]

    /// The value in the target unit; nil when the units do not belong together or the value is no such quantity.
    ///
    /// `%` values are ratios: up to 1 they are taken as such, above 1 as percent numbers, and below 0 or above 100 they
    /// are none (apple-health-export.md 7).
    static func convert(_ value: Double, from unit: String, to target: String) -> Double? {
        guard value.isFinite else { return nil }
        // Targets are canonical, so the usual case needs no table.
        if unit == target, target != "%" { return value }
        let unit = canonical(unit)
        if target == "%", unit == "%" || unit == "count" {
            guard value >= 0, value <= 100 else { return nil }
            return value > 1 ? value / 100 : value
        }
        if unit == target { return value }
        guard let (dimension, factor) = units[unit], let (wanted, targetFactor) = units[target], dimension == wanted
        else { return nil }
        if dimension == .temperature { return temperature(value, from: unit, to: target) }
        let inverse = targetFactor / factor
        // Dividing by a short inverse keeps decimals: 5348 cm are 53.48 m, 418.4 kJ are 100 kcal.
        if (inverse * 1_000).rounded() == inverse * 1_000 { return value / inverse }
        return value * (factor / targetFactor)
    }

    /// Spellings of compound units that differ between writers.
    private static func canonical(_ unit: String) -> String {
        if unit.hasPrefix("mmol<"), unit.hasSuffix(">/L") { return "mmol/L" }
        switch unit {
        case "ml/(kg*min)", "mL/kg*min", "mL/(kg·min)", "mL/kg·min", "mL/min*kg", "mL/(min·kg)", "mL/(min*kg)":
            return "mL/min·kg"
        case "kcal/hr*kg", "kcal/(hr·kg)", "kcal/(kg*hr)", "kcal/kg·hr", "kcal/(hr*kg)": return "kcal/hr·kg"
        case "\u{3BC}g": return "mcg"
        case "\u{3BC}S": return "mcS"
        default: return unit
        }
    }

    private static func temperature(_ value: Double, from unit: String, to target: String) -> Double? {
        let celsius: Double
        switch unit {
        case "degF": celsius = (value - 32) / 1.8
        case "K": celsius = value - 273.15
        default: celsius = value
        }
        return target == "degC" ? celsius : nil
    }
}
