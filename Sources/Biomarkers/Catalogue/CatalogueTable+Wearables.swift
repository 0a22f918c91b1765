/// The catalogue as text, one fact a line, fields separated by ` | ` so that a row can be read (biomarkers.md 2, 6).
///
/// - `device`: id, name, quantity, decimals, plausible, HealthKit type, window in days or `all`, statistic, notes
/// - `inert`: id, name, quantity, decimals, HealthKit type
/// - `lab`: id, name, quantity, decimals, plausible, specimen words
/// - `loinc`: code, official name, tables that it was verified with (letters of biomarkers.md 6); for the row above
/// - `names`: printed names, separated by `;`; for the row above
enum CatalogueTable {
    /// What watches and home devices answer.
    ///
    /// Plausible ranges only raise a warning; they are bounds of what devices can measure, no medical judgement.
    static let wearables = """
        device | resting_heart_rate | Resting heart rate | heart_rate | 0...1 | 20...250 | RestingHeartRate | 30 | median |
        loinc | 40443-4 | Heart rate --resting | E
        device | hrv_60_day_mean | Heart rate variability | milliseconds | 1 | 1...300 | HeartRateVariabilitySDNN | 60 | mean | above 0 through 1000
        loinc | 80404-7 | R-R interval.standard deviation (Heart rate variability) | E
        device | spo2 | Blood oxygen | fraction | 1 | 50...100 | OxygenSaturation | 30 | median |
        loinc | 59408-5 | Oxygen saturation in Arterial blood by Pulse oximetry | E
        loinc | 2708-6 | Oxygen saturation in Arterial blood | D
        device | vo2_max | Cardio fitness | oxygen_uptake | 1 | 5...100 | VO2Max | all | latest |
        device | blood_pressure_systolic | Systolic blood pressure | pressure | 0 | 50...300 | BloodPressureSystolic | 30 | median |
        loinc | 8480-6 | Systolic blood pressure | DE
        device | blood_pressure_diastolic | Diastolic blood pressure | pressure | 0 | 20...200 | BloodPressureDiastolic | 30 | median |
        loinc | 8462-4 | Diastolic blood pressure | DE
        device | fasting_glucose | Fasting glucose | glucose | 0 | 20...800 | BloodGlucose | all | latest | fasting
        loinc | 41653-7 | Glucose [Mass/volume] in Capillary blood by Glucometer | BE
        inert | bmi | Body mass index | count | 1 | BodyMassIndex
        loinc | 39156-5 | Body mass index (BMI) [Ratio] | DE
        inert | respiratory_rate | Respiratory rate | rate_per_minute | 1 | RespiratoryRate
        loinc | 9279-1 | Respiratory rate | DE
        inert | heart_rate_recovery | Heart rate recovery | heart_rate | 0 | HeartRateRecoveryOneMinute
        inert | body_fat_pct | Body fat | fraction | 1 | BodyFatPercentage
        loinc | 41982-0 | Percentage of body fat Measured | E
        inert | waist_circumference | Waist circumference | girth | 1 | WaistCircumference
        loinc | 8280-0 | Waist Circumference at umbilicus by Tape measure | E
        """
}
