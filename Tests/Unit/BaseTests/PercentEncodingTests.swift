import Base
import Testing

@Suite("Percent encoding")
struct PercentEncodingTests {
    @Test("Escapes are decoded", arguments: [("", ""), ("a%20b%c3%A9", "a bé"), ("%2B+", "++")])
    func decoded(text: String, expected: String) {
        #expect(PercentEncoding.decoded(text.utf8) == Array(expected.utf8))
    }

    @Test("In a form, a plus is a blank")
    func form() {
        #expect(PercentEncoding.decoded("a+b%2B".utf8, inForm: true) == Array("a b+".utf8))
    }

    @Test("An escape without two digits is refused", arguments: ["%", "%4", "a%4g", "%%20"])
    func broken(text: String) { #expect(PercentEncoding.decoded(text.utf8) == nil) }
}
