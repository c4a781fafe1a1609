import TestSupport
import Testing

@testable import Base

@Suite("Identifiers of 128 bits")
struct Bits128Tests {
    static let bits = Bits128(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
    static let canonical = "01234567-89ab-cdef-fedc-ba9876543210"

    private func text(_ append: (inout [UInt8]) -> Void) -> String {
        var output: [UInt8] = []
        append(&output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("They are written in three ways")
    func writing() {
        #expect(text(Self.bits.appendUUID) == Self.canonical)
        #expect(text(Self.bits.appendHexadecimal) == "0123456789abcdeffedcba9876543210")
        #expect(text(Self.bits.appendBase64URL) == "ASNFZ4mrze_-3LqYdlQyEA")
    }

    @Test("Every digit is written in every place")
    func digits() {
        for digit in UInt64(0)..<16 {
            let word = digit * 0x1111_1111_1111_1111
            let expected = String(repeating: String(digit, radix: 16), count: 32)
            #expect(text(Bits128(high: word, low: word).appendHexadecimal) == expected)
        }
    }

    @Test(
        "A UUID is read in every spelling",
        arguments: [
            canonical, canonical.uppercased(), "0123456789abcdeffedcba9876543210",
            "0123456789ABCDEFfedcba9876543210", "{\(canonical)}", "urn:uuid:\(canonical)",
            "URN:UUID:\(canonical)",
        ])
    func spellings(text: String) {
        let bytes = Array(text.utf8)
        #expect(Bits128(uuid: bytes.span) == Self.bits)
        #expect((Bits128(canonicalUUID: bytes.span) != nil) == (text == Self.canonical))
    }

    @Test(
        "Invalid UUIDs",
        arguments: [
            "", "g1234567-89ab-cdef-fedc-ba9876543210", "0123456789abcdef-fedc-ba98-76543210-",
            "01234567-89ab-cdef-fedcba-9876543210", "(\(canonical))", "urn:uuie:\(canonical)",
            " \(canonical)", "\(canonical) ", "01234567-89ab-cdef-fedc-ba987654321-",
        ])
    func noUUID(text: String) {
        let bytes = Array(text.utf8)
        #expect(Bits128(uuid: bytes.span) == nil && Bits128(canonicalUUID: bytes.span) == nil)
    }

    @Test("A truncated text yields nothing, or complete values")
    func cutAnywhere() {
        for prefix in prefixes(of: Array("urn:uuid:\(Self.canonical)".utf8)) {
            #expect(Bits128(uuid: prefix.span) == nil)
        }
        for prefix in prefixes(of: Array("ASNFZ4mrze_-3LqYdlQyEA".utf8)) {
            #expect(Bits128(base64URL: prefix.span) == nil)
        }
    }

    @Test("Bytes and base64url give the same bits, and only one text is accepted")
    func roundTrip() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let bits = Bits128(high: generator.next(), low: generator.next())
            #expect(Bits128(bits.bytes.span) == bits)
            let text = Array(text(bits.appendBase64URL).utf8)
            #expect(Bits128(base64URL: text.span) == bits)
            #expect(text == Base64URL.encode(bits.bytes.span))
        }
        for other in [
            "ASNFZ4mrze_-3LqYdlQyEB", "ASNFZ4mrze_-3LqYdlQyEI", "ASNFZ4mrze_-3LqYdlQyE=",
            "ASNFZ4mrze/-3LqYdlQyEA",
        ] {
            let bytes = Array(other.utf8)
            #expect(Bits128(base64URL: bytes.span) == nil)
        }
    }
}
