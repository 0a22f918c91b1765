import Testing

@testable import ConnectedProtocol

@Suite("Pairing codes")
struct PairingCodeTests {
    @Test("a typed code may hold spaces and hyphens, and nothing else but its digits")
    func typing() {
        let code = "12345678901234567890"
        for text in [code, "1234 5678 9012 3456 7890", "1234-5678-9012-3456-7890\n", " 12345678901234567890\r\n"] {
            #expect(PairingCode.digits(in: text, strength: .strong) == code)
        }
        let refused = [
            "", "123456", code + "1", "1234567890123456789", "1234567890123456789o", "1234_5678901234567890",
            "１２３４５６７８９０１２３４５６７８９０", "1234567890123456789٠",
        ]
        for text in refused { #expect(PairingCode.digits(in: text, strength: .strong) == nil) }
        #expect(PairingCode.digits(in: "123 456", strength: .phoneApp) == "123456")
        #expect(PairingCode.digits(in: code, strength: .phoneApp) == nil)
    }

    @Test("a strong code is shown in groups of four, a six-digit one as it is")
    func grouping() {
        #expect(PairingCode.grouped("12345678901234567890") == "1234 5678 9012 3456 7890")
        #expect(PairingCode.grouped("123456") == "123456")
    }
}
