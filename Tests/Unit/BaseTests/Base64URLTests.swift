import Base
import TestSupport
import Testing

@Suite("base64url")
struct Base64URLTests {
    /// RFC 4648 section 10, without padding.
    @Test(
        "The published examples",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ])
    func published(plain: String, encoded: String) {
        let text = Base64URL.text(Array(plain.utf8).span)
        #expect(text == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test("Every length and byte survives")
    func roundTrip() {
        for length in 0..<300 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            let encoded = Base64URL.encode(bytes.span)
            let decoded = Base64URL.decode(encoded.span)
            #expect(decoded == bytes)
        }
    }

    @Test(
        "Each value has one encoding, and all others are refused",
        arguments: [
            "A", "AAAAA", "AB", "AAB", "Zh", "Zm9=", "Zg==", "Zm 9", "+AAA", "/AAA", "AAA\n",
            "ÄAAA", "AA\0A",
        ])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("One or two padding characters are cut where that is tolerated")
    func padding() {
        func tolerant(_ text: String) -> [UInt8]? {
            let bytes = Array(text.utf8)
            return Base64URL.decodeToleratingPadding(bytes.span)
        }
        #expect(tolerant("Zg==") == [0x66])
        #expect(tolerant("Zm8=") == [0x66, 0x6F])
        #expect(tolerant("Zg===") == nil)
        #expect(tolerant("=Zg") == nil)
    }
}
