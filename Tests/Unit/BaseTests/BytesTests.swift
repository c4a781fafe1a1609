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

    @Test("Each byte of a long name counts, wherever it is")
    func ignoringCaseOfMany() {
        let name: StaticString = "azAZ@[`{09-_~. content-encodingX"
        for name in ["a", "Te", "ttl", "Host", "topic", "upgrade", "encoding", "encoding2", name] {
            let expected = Array("\(name)".utf8)
            for place in expected.indices {
                for byte in UInt8.min...UInt8.max {
                    var bytes = expected
                    bytes[place] = byte
                    let isFound = bytes.span.equalsIgnoringCase(name)
                    let isSame = byte.lowercased == expected[place].lowercased
                    let isEqual = bytes.span.elementsEqual(name)
                    #expect(isFound == isSame, "\(byte) at \(place) of \(name)")
                    #expect(isEqual == (bytes == expected), "\(byte) at \(place) of \(name)")
                }
            }
        }
        let upper = Array("\(name)".uppercased().utf8)
        let isFound = upper.span.equalsIgnoringCase(name)
        #expect(isFound)
    }
}
