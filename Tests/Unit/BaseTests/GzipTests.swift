import Testing

@testable import Base

@Suite("Gzip")
struct GzipTests {
    private static let content = Array("bellwire".utf8)

    /// Members of RFC 1952: a header with these flags and optional fields, one stored block, and
    /// the checks.
    private static func packed(_ flags: UInt8, _ fields: [UInt8]) -> [UInt8] {
        let count = UInt8(content.count)
        let sum = CRC32.value(of: content[...])
        return [0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3] + fields
            + [1, count, 0, ~count, 0xFF] + content
            + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) } + [count, 0, 0, 0]
    }

    @Test(
        "Optional fields of the header are skipped, alone and together",
        arguments: [
            (0, []), (1, []), (1 << 1, [7, 7]), (1 << 2, [2, 0, 0, 9]),
            (1 << 2, [0, 1] + [UInt8](repeating: 0, count: 256)), (1 << 3, Array("name\0".utf8)),
            (1 << 4, [0]), (0x1F, [1, 0, 5] + Array("name\0comment\0".utf8) + [1, 2]),
        ] as [(UInt8, [UInt8])])
    func fields(flags: UInt8, fields: [UInt8]) throws {
        let packed = Self.packed(flags, fields)
        #expect(try Inflater.unzipped(packed, limit: 8) == Self.content)
        #expect(throws: Inflater.Damage.self) { try Inflater.unzipped(packed, limit: 7) }
        for end in packed.indices {
            #expect(throws: Inflater.Damage.self) {
                try Inflater.unzipped(Array(packed[..<end]), limit: 8)
            }
        }
    }

    @Test("Flags that nobody knows are damage, and so is a wrong check", arguments: [5, 6, 7])
    func damage(bit: UInt8) {
        #expect(throws: Inflater.Damage.self) {
            try Inflater.unzipped(Self.packed(1 << bit, []), limit: 8)
        }
        var wrong = Self.packed(0, [])
        wrong[wrong.count - Int(bit)] ^= 1
        #expect(throws: Inflater.Damage.self) { try Inflater.unzipped(wrong, limit: 8) }
    }
}
