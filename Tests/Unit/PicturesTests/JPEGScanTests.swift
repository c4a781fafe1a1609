import Testing

@testable import Pictures

@Suite("The scans of a progressive picture")
struct JPEGScanTests {
    /// A grey picture of one block, for which each scan has one code: nothing is there.
    private static let head: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        + [0xFF, 0xC2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        + [0x00, 0x10].flatMap { [0xFF, 0xC4, 0, 20, $0, 1] + [UInt8](repeating: 0, count: 16) }
    private static let end: [UInt8] = [0xFF, 0xD9]

    private static func scan(
        _ band: ClosedRange<UInt8>, high: UInt8 = 0, low: UInt8 = 0, data: UInt8 = 0x7F
    ) -> [UInt8] {
        [0xFF, 0xDA, 0, 8, 1, 1, 0, band.lowerBound, band.upperBound, high << 4 | low, data]
    }

    private func pixels(_ scans: [[UInt8]]) throws -> [UInt8] {
        try JPEGDecoder.picture(Self.head + scans.flatMap(\.self) + Self.end).pixels
    }

    private func refusal(_ scans: [[UInt8]]) -> JPEGDecoder.Refusal? {
        do throws(JPEGDecoder.Refusal) {
            _ = try JPEGDecoder.picture(Self.head + scans.flatMap(\.self) + Self.end)
            return nil
        } catch { return error }
    }

    @Test("A picture of only some scans is as far as they say, and without any it is none")
    func few() throws {
        #expect(refusal([]) == .damaged)
        #expect(try pixels([Self.scan(0...0)]) == Array(repeating: 128, count: 192))
        // The third scan says bit 8 of the constant part, which is 256 / 8 more than grey.
        let refined = [
            Self.scan(0...0, low: 10), Self.scan(0...0, high: 10, low: 9),
            Self.scan(0...0, high: 9, low: 8, data: 0xFE),
        ]
        #expect(try pixels(refined) == Array(repeating: 160, count: 192))
    }

    @Test("There are no more scans than a limit, however small they are")
    func most() {
        let each = (1...63).map { Self.scan($0...$0) }
        #expect(refusal([Self.scan(0...0)] + each) == nil)
        let refined = [Self.scan(0...0, low: 1), Self.scan(0...0, high: 1)]
        #expect(JPEGDecoder.scanLimit == 64 && refusal(refined + each) == .tooLarge)
    }

    @Test("What was said is not said again, and nothing is refined that was not said")
    func order() {
        let constant = Self.scan(0...0)
        for scans in [
            [constant, constant], [Self.scan(1...5)],
            [constant, Self.scan(1...5), Self.scan(5...9)],
            [Self.scan(0...0, high: 1)], [constant, Self.scan(1...5, high: 1)],
            [Self.scan(0...0, low: 2), Self.scan(0...0, high: 1)],
            [constant, Self.scan(1...5, low: 2), Self.scan(1...5, high: 2, low: 0)],
            [Self.scan(0...3)], [constant, Self.scan(60...64)], [Self.scan(0...0, low: 14)],
        ] {
            #expect(refusal(scans) == .damaged, "\(scans)")
        }
    }

    @Test("Bytes that no scan needs are no picture")
    func rest() {
        #expect(refusal([Self.scan(0...0) + [0x12, 0x34]]) == .damaged)
    }
}
