import Testing

@testable import Base

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Numbers and bytes are written with their zeros")
    func writing() {
        #expect(UInt8(7).hexadecimal == "07" && UInt32(0xAB_CDEF).hexadecimal == "00abcdef")
        #expect(UInt64(0).hexadecimal == "0000000000000000")
        #expect([0, 1, 0xFF].hexadecimal == "0001ff" && [UInt8]().hexadecimal.isEmpty)
    }

    @Test("Bytes are read in pairs of digits, in either case")
    func reading() {
        #expect(Hexadecimal.decoded("0001fF") == [0, 1, 0xFF])
        #expect(Hexadecimal.decoded("")?.isEmpty == true)
        for text in ["0", "001", "0g", "-1", "+1", " 1", "é"] {
            #expect(Hexadecimal.decoded(text) == nil, "\(text)")
        }
    }

    @Test("What may stand in a URL by itself stays; all other bytes are written as digits")
    func percent() {
        #expect(PercentEncoding.encoded("a-Z_0.~") == "a-Z_0.~")
        #expect(PercentEncoding.encoded("a/b ü%") == "a%2Fb%20%C3%BC%25")
    }
}
