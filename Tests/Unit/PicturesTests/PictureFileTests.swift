import TestSupport
import Testing

@testable import Pictures

@Suite("Files that a screen may show")
struct PictureFileTests {
    /// The head of a JPEG whose frame promises this size.
    private static func jpeg(_ width: Int, _ height: Int, frame: UInt8 = 0xC0) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC4, 0, 3, 9, 0xFF, frame, 0, 7, 8]
            + [height >> 8, height, width >> 8, width].map { UInt8(truncatingIfNeeded: $0) }
    }

    @Test("A file is known by its first bytes, whatever its sender calls it")
    func kinds() throws {
        for (name, kind) in [("png", PictureFile.Kind.png), ("jpeg", .jpeg)] {
            for vector in try PictureVector.all(name) where !vector.pixels.isEmpty {
                let file = try #require(PictureFile(vector.file), "\(vector.name)")
                #expect(file.kind == kind)
                let picture = try #require(file.picture, "\(vector.name)")
                #expect(picture.width == vector.size.width)
            }
        }
        for other in [
            "", "GIF89a", "<svg xmlns='http://www.w3.org/2000/svg'/>", "RIFF____WEBPVP8 ", "%PDF-",
        ] {
            #expect(PictureFile(Array(other.utf8)) == nil, "\(other)")
        }
    }

    @Test("What promises more pixels than are unpacked is refused by its head")
    func bombs() {
        #expect(PictureFile(Self.jpeg(2_048, 2_048)) != nil)
        #expect(PictureFile(Self.jpeg(2_048, 2_049)) == nil)
        #expect(PictureFile(Self.jpeg(65_535, 65_535)) == nil)
        #expect(PictureFile(Self.jpeg(0, 9)) == nil)
        // A picture that is only refined later has the same head.
        #expect(PictureFile(Self.jpeg(640, 480, frame: 0xC2)) != nil)
        #expect(PictureFile(Self.jpeg(640, 480, frame: 0xDA)) == nil)
    }

    @Test("A head that is cut is none, and a file that breaks its promise is not shown")
    func cuts() throws {
        let whole = Self.jpeg(640, 480)
        for prefix in prefixes(of: whole) { #expect(PictureFile(prefix) == nil) }
        #expect(try #require(PictureFile(whole)).picture == nil)
        let vector = try #require(try PictureVector.all("png").first)
        for count in 33..<vector.file.count {
            let file = try #require(PictureFile(Array(vector.file.prefix(count))))
            #expect(file.picture == nil)
        }
    }

    @Test("A longer file is refused without a look into it")
    func long() throws {
        let vector = try #require(try PictureVector.all("png").first { !$0.pixels.isEmpty })
        let room = PictureFile.byteLimit - vector.file.count
        let rest = [UInt8](repeating: 0, count: room)
        #expect(PictureFile(vector.file + rest) != nil)
        #expect(PictureFile(vector.file + rest + [0]) == nil)
    }

    @Test("A file may have more pixels than a picture inside of a push")
    func pushed() throws {
        let dots = (0..<3 * 600 * 500).map { UInt8(truncatingIfNeeded: $0) }
        let png = PNGFile.colours(width: 600, height: 500, dots)
        #expect(throws: Picture.Refusal.tooLarge) { try PNGDecoder.picture(png) }
        let picture = try #require(PictureFile(png)?.picture)
        #expect(picture.width == 200 && picture.height == 167)
    }
}
