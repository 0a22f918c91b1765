/// A pairing code as people see and type it (extensions.md 2.1).
public enum PairingCode {
    /// The digits of a typed code, or nil unless they are exactly as many as the strength has.
    ///
    /// Spaces, line ends and hyphens are dropped; anything else that is no ASCII digit refuses the whole, so that a
    /// slip is noticed before anything is sent.
    public static func digits(in text: String, strength: PairingStrength) -> String? {
        let kept = text.unicodeScalars.filter { ![" ", "-", "\n", "\r", "\t"].contains($0) }
        guard kept.count == strength.digitCount, kept.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return String(String.UnicodeScalarView(kept))
    }

    /// A strong code in groups of four, a six-digit code as it is.
    public static func grouped(_ digits: String) -> String {
        guard digits.utf8.count > 6 else { return digits }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text.append(" ") }
            text.append(digit)
        }
        return text
    }
}
