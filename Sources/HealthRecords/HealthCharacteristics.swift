/// The `Me` element: what a person said about themselves once (apple-health-export.md 5).
public struct HealthCharacteristics: Hashable, Sendable {
    /// `yyyy-MM-dd`; nil when not set.
    public var dateOfBirth: String?
    /// `HKBiologicalSexMale` and so on.
    public var biologicalSex: String?
    /// `HKBloodTypeAPositive` and so on.
    public var bloodType: String?
    /// `HKFitzpatrickSkinTypeI` and so on.
    public var fitzpatrickSkinType: String?
    /// `None`, or names joined.
    public var cardioFitnessMedicationsUse: String?

    /// Nothing known.
    public init() {}
}
