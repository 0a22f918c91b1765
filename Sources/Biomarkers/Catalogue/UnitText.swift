/// The many spellings of one unit brought to one (biomarkers.md 3): tidying, not conversion.
enum UnitText {
    /// Blanks trimmed, the micro signs folded, litres with a capital, cell counts and international units in one form.
    static func tidied(_ unit: String, isEnzyme: Bool = false) -> String {
        var text = String(String.UnicodeScalarView(unit.unicodeScalars.compactMap(folded)))
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        text = text.replacing("[IU]", with: "IU").replacing("mm[Hg]", with: "mmHg")
        text = withLitres(text)
        text = withCounts(text)
        if isEnzyme, text.hasSuffix("IU/L") { text = text.dropLast(4) + "U/L" }
        return text
    }

    /// U+00B5 and U+03BC are `u`; no-break blanks are blanks; the references that a re-saved file keeps are undone.
    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "\u{B5}", "\u{3BC}": "u"
        case "\u{A0}", "\u{202F}": " "
        case "\u{2219}", "\u{22C5}": "\u{B7}"
        default: scalar
        }
    }

    /// `mg/dl` is `mg/dL`, `ml/min` is `mL/min`, `mcg` is `ug`.
    private static func withLitres(_ unit: String) -> String {
        var result = ""
        var word = ""
        func flush() {
            switch word {
            case "l", "dl", "ml", "ul", "fl", "nl", "pl": result += word.dropLast() + "L"
            case "mcg": result += "ug"
            case "mcL", "mcl": result += "uL"
            case "mcmol": result += "umol"
            case "uiu", "uIu", "UIU": result += "uIU"
            case "miu", "mIu": result += "mIU"
            case "mmhg", "mmHG", "MMHG": result += "mmHg"
            default: result += word
            }
            word = ""
        }
        for character in unit {
            if character.isLetter {
                word.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }

    /// `10^3/uL`, `x10E3/uL`, `K/uL`, `Thousand/uL` are `10*3/uL`, and so on.
    private static func withCounts(_ unit: String) -> String {
        guard let slash = unit.firstIndex(of: "/") else { return unit }
        let volume = unit[slash...]
        guard volume == "/uL" || volume == "/L" else { return unit }
        var count = unit[..<slash].lowercased()
        if volume == "/uL" {
            switch count {
            case "k", "thousand", "thous": return "10*3/uL"
            case "m", "million", "mill": return "10*6/uL"
            default: break
            }
        }
        while let first = count.first, first == "x" || first == " " || first == "*" { count.removeFirst() }
        for exponent in ["3", "6", "9", "12"]
        where ["10*", "10^", "10e", "10e+", "10 ^ ", "10*0", "10e0"].contains(where: { count == $0 + exponent }) {
            return "10*" + exponent + volume
        }
        return unit
    }
}
