/// Everything that a day store holds for building the document of one day.
///
/// The records are those that the calculations of the day may look at: they overlap the day, or, for sleep, the day and
/// the night up to the next noon (health-data.md 7), or a workout of the day that ends after midnight; carried-forward
/// values (the newest VO2 max) stand in ``carriedForward``.
/// What belongs to the day by its start is for the day builder to decide.
public struct SourceDay: Sendable {
    /// Records that start in the window or overlap it, ordered by type, start, end, source. Nested records (of
    /// correlations and workouts) are among them, once.
    public var records: [HealthRecord]
    /// Correlations that overlap the window, with their members.
    public var correlations: [HealthCorrelation]
    /// Workouts that start in the day.
    public var workouts: [HealthWorkout]
    /// The rings of the day.
    public var activitySummary: ActivitySummary?
    /// For each carried-forward type the newest record that starts before the end of the day.
    public var carriedForward: [HealthRecord]
    /// What could not be read for this day, for the document's diagnostics.
    public var failures: [Failure]
    /// Hearing tests that start in the day.
    public var audiograms: [Audiogram] = []
    /// Prescriptions issued in the day.
    public var visionPrescriptions: [VisionPrescription] = []
    /// Electrocardiograms recorded in the day.
    public var electrocardiograms: [Electrocardiogram] = []
    /// Clinical records that were received in the day; those that do not say when, on the day of the export.
    public var clinicalRecords: [ClinicalDocument] = []

    /// One thing that could not be read.
    public struct Failure: Hashable, Sendable {
        /// The record type or element concerned.
        public var dataType: String
        /// A stable code, never a health value.
        public var code: String

        /// A failure of one type.
        public init(dataType: String, code: String) {
            self.dataType = dataType
            self.code = code
        }
    }

    /// A day; empty unless parts are given.
    public init(
        records: [HealthRecord] = [], correlations: [HealthCorrelation] = [], workouts: [HealthWorkout] = [],
        activitySummary: ActivitySummary? = nil, carriedForward: [HealthRecord] = [], failures: [Failure] = []
    ) {
        self.records = records
        self.correlations = correlations
        self.workouts = workouts
        self.activitySummary = activitySummary
        self.carriedForward = carriedForward
        self.failures = failures
    }
}
