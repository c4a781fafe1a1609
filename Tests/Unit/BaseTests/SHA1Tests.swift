import Testing

@testable import Base

@Suite("SHA-1")
struct SHA1Tests {
    @Test(
        "Messages of each kind of padding, and the examples of FIPS 180",
        arguments: [
            (Array("abc".utf8), "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
            (Self.counted(0), "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (Self.counted(55), "8ae2d46729cfe68ff927af5eec9c7d1b66d65ac2"),
            (Self.counted(56), "636e2ec698dac903498e648bd2f3af641d3c88cb"),
            (Self.counted(63), "6d942da0c4392b123528f2905c713a3ce28364bd"),
            (Self.counted(64), "c6138d514ffa2135bfce0ed0b8fac65669917ec7"),
            (Self.counted(119), "41c89d06001bab4ab78736b44efe7ce18ce6ae08"),
            (Self.counted(120), "d3dbd653bd8597b7475321b60a36891278e6a04a"),
            (Self.counted(256), "4916d6bdb7f78e6803698cab32d1586ea457dfc8"),
        ] as [([UInt8], String)])
    func digest(message: [UInt8], expected: String) {
        #expect(SHA1.digest(of: message.span).hexadecimal == expected)
    }

    static func counted(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    }
}
