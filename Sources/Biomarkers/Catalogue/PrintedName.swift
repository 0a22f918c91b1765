/// Names as laboratories print them.
enum PrintedName {
    /// Words that say that something else was measured, or in something else (biomarkers.md 4, rule 3).
    static let specimenWords: Set<String> = [
        "urine", "urinary", "stool", "faeces", "feces", "csf", "spinal", "saliva", "salivary", "ratio", "antibody",
        "antibodies", "free", "culture",
    ]

    /// Lower case, everything that is neither letter nor digit as one blank: `vitamin d 25 oh total`.
    static func folded(_ name: String) -> String {
        words(name).joined(separator: " ")
    }

    /// The specimen words in a text.
    static func specimenWords(in text: String) -> Set<String> {
        Set(words(text)).intersection(specimenWords)
    }

    private static func words(_ name: String) -> [String] {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
