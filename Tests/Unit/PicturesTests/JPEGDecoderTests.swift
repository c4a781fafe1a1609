import Base
import TestSupport
import Testing

@testable import Pictures

@Suite("Pictures that come inside of a push")
struct JPEGDecoderTests {
    @Test("They look as libjpeg draws them, but for rounding", arguments: 0..<9)
    func pictures(index: Int) throws {
        let vector = try PictureVector.all("jpeg")[index]
        let picture = try JPEGDecoder.picture(vector.file)
        #expect(picture.width == vector.size.width && picture.height == vector.size.height)
        #expect(picture.pixels.count == vector.pixels.count)
        let difference = zip(picture.pixels, vector.pixels).map { abs(Int($0) - Int($1)) }
        #expect((difference.max() ?? 0) <= 4, "\(vector.name)")
    }

    @Test("Other kinds are refused")
    func others() throws {
        let vector = try #require(try PictureVector.all("jpeg").last)
        #expect(throws: JPEGDecoder.Refusal.unsupported) { try JPEGDecoder.picture(vector.file) }
    }

    @Test("A truncated picture is refused, and no changed byte does harm", arguments: 0..<9)
    func damage(index: Int) throws {
        let jpeg = try PictureVector.all("jpeg")[index].file
        for prefix in prefixes(of: jpeg.dropLast(4)) {
            #expect(throws: JPEGDecoder.Refusal.self) { try JPEGDecoder.picture(prefix) }
        }
        var random = SeededGenerator(seed: UInt64(index))
        for position in jpeg.indices {
            for _ in 0..<3 {
                var changed = jpeg
                changed[position] = .random(in: 0...255, using: &random)
                // A large claimed size is really allocated, which takes time.
                guard (163...166).contains(position) == false else { continue }
                _ = try? JPEGDecoder.picture(changed)
            }
        }
    }

    @Test(
        "A picture that claims too large a size is refused before memory is reserved")
    func large() throws {
        var jpeg = try PictureVector.all("jpeg")[0].file
        let frame = try #require(jpeg.firstRange(of: [0xFF, 0xC0])).lowerBound
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: JPEGDecoder.Refusal.tooLarge) { try JPEGDecoder.picture(jpeg) }
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0, 0, 0, 0])
        #expect(throws: JPEGDecoder.Refusal.damaged) { try JPEGDecoder.picture(jpeg) }
    }

    @Test("A table with more codes than there can be is refused")
    func codes() throws {
        var jpeg = try PictureVector.all("jpeg")[0].file
        let table = try #require(jpeg.firstRange(of: [0xFF, 0xC4])).lowerBound
        jpeg[table + 5] = 3
        #expect(throws: JPEGDecoder.Refusal.damaged) { try JPEGDecoder.picture(jpeg) }
    }

    @Test("A large picture is scaled down by the mean of its pixels")
    func reduction() {
        let dots: [UInt8] = [10, 0, 0, 20, 0, 0, 30, 0, 0, 40, 0, 0, 50, 0, 0, 60, 0, 0]
        let picture = Picture(width: 3, height: 2, pixels: dots).reduced(to: 2)
        #expect(picture == Picture(width: 2, height: 1, pixels: [30, 0, 0, 45, 0, 0]))
        #expect(picture.reduced(to: 2) == picture)
    }

    @Test("Only a link that holds its picture becomes one")
    func links() throws {
        let jpeg = try PictureVector.all("jpeg")[0].file
        let picture = Picture(link: "data:image/jpeg;base64," + Base64.text(jpeg.span))
        #expect(picture?.width == 20 && picture?.height == 13)
        for other in ["https://x/y.jpg", "data:image/jpeg;base64,AAAA", "data:text/plain,x", ""] {
            #expect(Picture(link: other) == nil)
        }
    }
}
