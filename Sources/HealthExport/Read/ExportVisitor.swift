import HealthRecords

/// Takes what an export holds, in the order of the file. Every method has an empty default.
public protocol ExportVisitor: AnyObject {
    /// Called once, before anything else, with the tables that the numbers in the views refer to.
    func begin(tables: ExportTables)
    /// When the export was made; usually the first element, before any record.
    func exportDate(_ date: Instant) throws
    /// Asked once for each type: whether its records are wanted. Those that are not are counted all the same.
    func wantsRecords(ofType type: String) -> Bool
    /// One record. The view is valid only during the call.
    func record(_ record: RecordView) throws
    /// One correlation with its members, which were also handed over one by one as records.
    func correlation(_ correlation: HealthCorrelation) throws
    /// One workout. Points of routes that lie in files are not in it: `routePaths` names the files inside the export.
    func workout(_ workout: HealthWorkout, routePaths: [String]) throws
    /// The rings of one day; a later one of the same day is the newer.
    func activitySummary(_ summary: ActivitySummary) throws
    /// The `Me` element.
    func characteristics(_ characteristics: HealthCharacteristics) throws
    /// One clinical record, without its resource.
    func clinicalRecord(_ record: ClinicalRecord) throws
    /// One hearing test.
    func audiogram(_ audiogram: Audiogram) throws
    /// One prescription.
    func visionPrescription(_ prescription: VisionPrescription) throws
}

extension ExportVisitor {
    /// Does nothing with it.
    public func begin(tables: ExportTables) {}
    /// Does nothing with it.
    public func exportDate(_ date: Instant) throws {}
    /// Wants all.
    public func wantsRecords(ofType type: String) -> Bool { true }
    /// Does nothing with it.
    public func record(_ record: RecordView) throws {}
    /// Does nothing with it.
    public func correlation(_ correlation: HealthCorrelation) throws {}
    /// Does nothing with it.
    public func workout(_ workout: HealthWorkout, routePaths: [String]) throws {}
    /// Does nothing with it.
    public func activitySummary(_ summary: ActivitySummary) throws {}
    /// Does nothing with it.
    public func characteristics(_ characteristics: HealthCharacteristics) throws {}
    /// Does nothing with it.
    public func clinicalRecord(_ record: ClinicalRecord) throws {}
    /// Does nothing with it.
    public func audiogram(_ audiogram: Audiogram) throws {}
    /// Does nothing with it.
    public func visionPrescription(_ prescription: VisionPrescription) throws {}
}
