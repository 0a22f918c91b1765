/// The metrics that the tools know by name (day-archive.md 2.1). Days may hold others.
enum MetricCatalog {
    /// Totals with their units, in the published order.
    static let totals: [(name: String, unit: String)] = [
        ("steps", "count"), ("distanceWalkingRunning", "m"), ("flightsClimbed", "count"), ("activeEnergy", "kcal"),
        ("basalEnergy", "kcal"), ("exerciseTime", "min"), ("standTime", "min"), ("dietaryEnergy", "kcal"),
        ("dietaryProtein", "g"), ("dietaryCarbohydrates", "g"), ("dietaryFat", "g"), ("dietaryWater", "mL"),
    ]
    /// Records whose values are numbers.
    static let quantities = [
        "heartRate", "restingHeartRate", "heartRateVariability", "respiratoryRate", "oxygenSaturation", "bodyMass",
    ]

    static let totalNames = totals.map(\.name)
    /// What statistics are offered of.
    static let statisticsNames = totalNames + quantities

    /// The remark on a unit that misleads; nil for all others.
    static func unitNote(_ metric: String) -> String? {
        metric == "oxygenSaturation" ? "The value is a fraction of 1: 0.97 means 97 %." : nil
    }
}
