/// The known word that somebody probably meant.
enum NearestWord {
    /// The most letters that may be wrong, missing or too many.
    static let maximumDistance = 2

    /// The known word closest to the typed one; nil when none is close, or when the typed one is short.
    static func to(_ typed: String, in known: [String]) -> String? {
        let letters = Array(typed.lowercased())
        guard letters.count > maximumDistance, letters.count <= 64 else { return nil }
        let candidates = known.map { (word: $0, distance: distance(letters, Array($0))) }
        guard let best = candidates.min(by: { $0.distance < $1.distance }), best.distance <= maximumDistance else {
            return nil
        }
        return best.word
    }

    /// Levenshtein's distance.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (letter == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
