import Base
import Testing

@Suite("Bytes")
struct BytesTests {
    @Test(
        "A decimal number is digits and nothing else",
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", Int64.max), ("", nil),
            ("9223372036854775808", nil), ("-1", nil), ("+1", nil), ("1 ", nil), ("0x1", nil),
        ] as [(String, Int64?)])
    func decimal(text: String, value: Int64?) {
        let bytes = Array(text.utf8)
        let number = Int64(decimalDigits: bytes.span)
        #expect(number == value)
    }

    @Test("Names compare without regard to the case of ASCII letters only")
    func ignoringCase() {
        func isTTL(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return bytes.span.equalsIgnoringCase("ttl[")
        }
        #expect(isTTL("TtL[") && isTTL("ttl["))
        #expect(!isTTL("ttl{") && !isTTL("ttl") && !isTTL("ttl[["))
    }
}
