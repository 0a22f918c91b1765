import Cryptography
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "the examples of RFC 4648 10 come out both ways",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(plain: String, text: String) throws {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes) == text)
        #expect(try Base64.decode(text) == bytes)
        let unpadded = text.replacingOccurrences(of: "=", with: "")
        #expect(Base64.encode(bytes, as: .urlSafe) == unpadded)
        #expect(try Base64.decode(unpadded, as: .urlSafe) == bytes)
    }

    @Test("random bytes of every small length agree with Foundation's encoder and come back")
    func agreement() throws {
        for count in 0..<200 {
            let bytes = SecureRandom.bytes(count)
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(try Base64.decode(text) == bytes)
            #expect(try Base64.decode(Base64.encode(bytes, as: .urlSafe), as: .urlSafe) == bytes)
            var appended = Array(">".utf8)
            bytes.withUnsafeBytes { Base64.append($0, to: &appended) }
            #expect(String(decoding: appended, as: UTF8.self) == ">" + text)
        }
    }

    @Test(
        "text that no encoder makes is refused",
        arguments: [
            ("Zg", Base64.Form.standard), ("Zg=", .standard), ("Z===", .standard), ("====", .standard),
            ("Zm9v\n", .standard), ("Zm 9", .standard), ("Zh==", .standard), ("Zm9=", .standard),
            ("Zg==Zg==", .standard), ("_-__", .standard), ("Zg==", .urlSafe), ("Z", .urlSafe), ("Zh", .urlSafe),
            ("Zm9", .urlSafe), ("+/++", .urlSafe), ("Zm9é", .standard),
        ])
    func refusals(text: String, form: Base64.Form) {
        #expect(throws: CryptographyError.self) { try Base64.decode(text, as: form) }
    }

    @Test("the offset of the first bad character is told")
    func offsets() {
        #expect(throws: CryptographyError.invalidCharacter(encoding: "base64", offset: 5)) {
            try Base64.decode("Zm9vZ*9v")
        }
        #expect(throws: CryptographyError.invalidCharacter(encoding: "base64", offset: 5)) {
            try Base64.decode("Zm9vZ*==")
        }
    }
}

@Suite("Hexadecimal")
struct HexTests {
    @Test("every byte goes to two lower-case digits and back")
    func roundTrip() throws {
        let bytes = [UInt8](0...255)
        let text = Hex.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(try Hex.decode(text) == bytes)
        #expect(try Hex.decode(text.uppercased()) == bytes)
    }

    @Test("odd lengths, other characters and, on request, upper case are refused")
    func refusals() {
        #expect(throws: CryptographyError.invalidEncodedLength(encoding: "hexadecimal", found: 3)) {
            try Hex.decode("abc")
        }
        #expect(throws: CryptographyError.invalidCharacter(encoding: "hexadecimal", offset: 3)) {
            try Hex.decode("abcg")
        }
        #expect(throws: CryptographyError.invalidCharacter(encoding: "hexadecimal", offset: 1)) {
            try Hex.decode("aB", allowingUpperCase: false)
        }
    }
}
