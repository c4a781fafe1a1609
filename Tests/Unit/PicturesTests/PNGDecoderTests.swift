import TestSupport
import Testing

@testable import Base
@testable import Pictures

@Suite("Icons that come inside of a push")
struct PNGDecoderTests {
    @Test("They look as Pillow draws them, to the last dot", arguments: 0..<20)
    func pictures(index: Int) throws {
        let vector = try PictureVector.all("png")[index]
        guard !vector.pixels.isEmpty else {
            #expect(throws: Picture.Refusal.unsupported, "\(vector.name)") {
                try PNGDecoder.picture(vector.file)
            }
            return
        }
        let picture = try PNGDecoder.picture(vector.file)
        #expect(picture.width == vector.size.width && picture.height == vector.size.height)
        #expect(picture.hasAlpha == vector.hasAlpha, "\(vector.name)")
        #expect(picture.pixels == vector.pixels, "\(vector.name)")
    }

    @Test("A truncated or changed picture is refused", arguments: [0, 4, 8, 10, 12, 13, 14])
    func damage(index: Int) throws {
        let vector = try PictureVector.all("png")[index]
        for prefix in prefixes(of: vector.file) {
            #expect(throws: Picture.Refusal.self) { try PNGDecoder.picture(prefix) }
        }
        for position in vector.file.indices {
            var changed = vector.file
            changed[position] ^= 1 << (position % 8)
            #expect(throws: Picture.Refusal.self) { try PNGDecoder.picture(changed) }
        }
    }

    @Test(
        "No changed byte of compressed data does harm or makes it longer",
        arguments: [0, 4, 12, 13])
    func packed(index: Int) throws {
        let vector = try PictureVector.all("png")[index]
        let start = try #require(vector.file.firstRange(of: Array("IDAT".utf8))).upperBound
        let packed = Array(vector.file[start...].dropLast(16))
        let depth = vector.name.hasPrefix("a palette") ? 1 : 3
        let size = (vector.size.width * depth + 1) * vector.size.height
        let unpacked = try Inflater.unpacked(packed, size: size)
        for size in [0, size - 1, size + 1, 4 * size] {
            #expect(throws: Inflater.Damage.self) { try Inflater.unpacked(packed, size: size) }
        }
        var random = SeededGenerator(seed: UInt64(index))
        for position in packed.indices.dropFirst(2) {
            var changed = packed
            changed[position] = .random(in: 0...255, using: &random)
            // Some bits have no effect.
            let other = try? Inflater.unpacked(changed, size: size)
            #expect(other == nil || other == unpacked)
        }
    }

    @Test("A picture that claims an impossible size is refused before memory is reserved")
    func large() throws {
        let vector = try #require(try PictureVector.all("png").first { $0.name == "grey" })
        #expect(throws: Picture.Refusal.tooLarge) {
            try PNGDecoder.picture(vector.file.withSize(.max, .max))
        }
        #expect(throws: Picture.Refusal.tooLarge) {
            try PNGDecoder.picture(vector.file.withSize(513, 512))
        }
        #expect(throws: Picture.Refusal.damaged) {
            try PNGDecoder.picture(vector.file.withSize(512, 512))
        }
        #expect(throws: Picture.Refusal.damaged) {
            try PNGDecoder.picture(vector.file.withSize(0, 17))
        }
    }

    @Test("Codes with more words than there can be, or with some left over, are refused")
    func codes() throws {
        #expect(throws: Inflater.Damage.self) { try PrefixCode(lengths: [1, 1, 1]) }
        #expect(throws: Inflater.Damage.self) { try PrefixCode(lengths: [1, 2]) }
        #expect(throws: Never.self) { try PrefixCode(lengths: [1, 2, 2]) }
        #expect(throws: Never.self) { try PrefixCode(lengths: [0, 1]) }
        #expect(throws: Never.self) { try PrefixCode(lengths: [0, 0]) }
    }

    @Test("Transparent pixels do not colour a scaled picture")
    func reduction() {
        let dots: [UInt8] = [200, 100, 0, 255, 0, 0, 0, 0, 9, 9, 9, 0, 7, 7, 7, 0]
        let picture = Picture(width: 4, height: 1, pixels: dots, hasAlpha: true).reduced(to: 2)
        #expect(
            picture
                == Picture(
                    width: 2, height: 1, pixels: [200, 100, 0, 127, 0, 0, 0, 0], hasAlpha: true))
    }
}

extension [UInt8] {
    /// With another size in the first chunk, and the matching checksum.
    fileprivate func withSize(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        var png = self
        for (place, number) in [(16, width), (20, height)] {
            for byte in 0..<4 {
                png[place + byte] = UInt8(truncatingIfNeeded: number >> (24 - 8 * byte))
            }
        }
        var sum = ~UInt32(0)
        for byte in png[12..<29] {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        for byte in 0..<4 { png[29 + byte] = UInt8(truncatingIfNeeded: ~sum >> (24 - 8 * byte)) }
        return png
    }
}
