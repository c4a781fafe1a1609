/// Decodes baseline JPEG (ITU-T T.81) with 8 bits, in grey or JFIF's colours. Pushes contain
/// nothing else; all other kinds are refused.
struct JPEGDecoder {
    typealias Refusal = Picture.Refusal

    struct Component {
        let id: UInt8
        /// Sampling factors, across and down.
        let across: Int
        let down: Int
        let quantiser: Int
        var direct: JPEGHuffmanTable?
        var alternating: JPEGHuffmanTable?
        var last = 0
        var stride = 0
        var samples: [UInt8] = []
    }

    private let pixelLimit: Int
    private var input: JPEGInput
    private var quantisers = [[Int]](repeating: [], count: 4)
    private var direct = [JPEGHuffmanTable?](repeating: nil, count: 4)
    private var alternating = [JPEGHuffmanTable?](repeating: nil, count: 4)
    private var components: [Component] = []
    private var size = (width: 0, height: 0)
    private var restartInterval = 0

    static func picture(
        _ bytes: [UInt8], pixelLimit: Int = Picture.pixelLimit
    ) throws(Refusal) -> Picture {
        var decoder = JPEGDecoder(input: JPEGInput(bytes), pixelLimit: pixelLimit)
        try decoder.readSegments()
        try decoder.readScan()
        return decoder.picture
    }

    /// How many pixels the head of a file promises, whatever way it is coded in.
    static func size(_ bytes: [UInt8]) throws(Refusal) -> (width: Int, height: Int) {
        var input = JPEGInput(bytes)
        guard try input.marker() == 0xD8 else { throw .damaged }
        while true {
            let marker = try input.marker()
            var segment = try input.segment()
            // T.81 table B.1: among the frames are the markers of three other segments.
            guard (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) else {
                guard marker != 0xDA else { throw .damaged }
                continue
            }
            _ = try segment.byte()
            let size = (height: try segment.word(), width: try segment.word())
            guard size.width > 0, size.height > 0 else { throw .damaged }
            return (size.width, size.height)
        }
    }

    private init(input: JPEGInput, pixelLimit: Int) {
        (self.input, self.pixelLimit) = (input, pixelLimit)
    }

    private mutating func readSegments() throws(Refusal) {
        guard try input.marker() == 0xD8 else { throw .damaged }
        while true {
            let marker = try input.marker()
            var segment = try input.segment()
            switch marker {
            case 0xDB: try readQuantisers(&segment)
            case 0xC4: try readHuffmanTables(&segment)
            case 0xC0: try readFrame(&segment)
            case 0xDD: restartInterval = try segment.word()
            case 0xDA: return try readScanHeader(&segment)
            case 0xE0...0xEF, 0xFE: break
            default: throw .unsupported
            }
        }
    }

    private mutating func readQuantisers(_ segment: inout JPEGInput) throws(Refusal) {
        while !segment.isAtEnd {
            let index = try segment.byte()
            guard index < 4 else { throw .unsupported }
            var values: [Int] = []
            for _ in 0..<64 { values.append(Int(try segment.byte())) }
            quantisers[Int(index)] = values
        }
    }

    private mutating func readHuffmanTables(_ segment: inout JPEGInput) throws(Refusal) {
        while !segment.isAtEnd {
            let index = try segment.byte()
            guard index & 0x0F < 4, index >> 4 < 2 else { throw .damaged }
            let table = try JPEGHuffmanTable(&segment)
            if index >> 4 == 0 {
                direct[Int(index)] = table
            } else {
                alternating[Int(index & 0x0F)] = table
            }
        }
    }

    private mutating func readFrame(_ segment: inout JPEGInput) throws(Refusal) {
        guard components.isEmpty else { throw .damaged }
        guard try segment.byte() == 8 else { throw .unsupported }
        let height = try segment.word()
        let width = try segment.word()
        guard width > 0, height > 0 else { throw .damaged }
        guard width * height <= pixelLimit else { throw .tooLarge }
        size = (width, height)
        let count = try segment.byte()
        guard count == 1 || count == 3 else { throw .unsupported }
        for _ in 0..<count {
            let id = try segment.byte()
            let factors = try segment.byte()
            let quantiser = try segment.byte()
            let (across, down) = (Int(factors >> 4), Int(factors & 0x0F))
            guard quantiser < 4 else { throw .damaged }
            guard (1...2).contains(across), (1...2).contains(down) else { throw .unsupported }
            // A single component is never interleaved, so its factors have no meaning.
            components.append(
                Component(
                    id: id, across: count == 1 ? 1 : across, down: count == 1 ? 1 : down,
                    quantiser: Int(quantiser)))
        }
    }

    private mutating func readScanHeader(_ segment: inout JPEGInput) throws(Refusal) {
        guard !components.isEmpty else { throw .damaged }
        guard Int(try segment.byte()) == components.count else { throw .unsupported }
        for index in components.indices {
            guard try segment.byte() == components[index].id else { throw .unsupported }
            let tables = try segment.byte()
            guard tables >> 4 < 4, tables & 0x0F < 4,
                let direct = direct[Int(tables >> 4)],
                let alternating = alternating[Int(tables & 0x0F)],
                !quantisers[components[index].quantiser].isEmpty
            else { throw .damaged }
            components[index].direct = direct
            components[index].alternating = alternating
        }
    }
}

/// The scan: a sequence of units of blocks.
extension JPEGDecoder {
    private var unit: (across: Int, down: Int) {
        (components.map(\.across).max() ?? 1, components.map(\.down).max() ?? 1)
    }

    private mutating func readScan() throws(Refusal) {
        let unit = unit
        let columns = (size.width + 8 * unit.across - 1) / (8 * unit.across)
        let rows = (size.height + 8 * unit.down - 1) / (8 * unit.down)
        for index in components.indices {
            let stride = columns * components[index].across * 8
            components[index].stride = stride
            components[index].samples = Array(
                repeating: 0, count: stride * rows * components[index].down * 8)
        }
        var bits = JPEGBits(input)
        for number in 0..<rows * columns {
            if restartInterval > 0, number > 0, number % restartInterval == 0 {
                try bits.restart()
                for index in components.indices { components[index].last = 0 }
            }
            for index in components.indices {
                for block in 0..<components[index].across * components[index].down {
                    try readBlock(
                        of: index, block, row: number / columns, column: number % columns, &bits)
                }
            }
        }
    }

    private mutating func readBlock(
        of index: Int, _ block: Int, row: Int, column: Int, _ bits: inout JPEGBits
    ) throws(Refusal) {
        let quantiser = quantisers[components[index].quantiser]
        var values = try Self.coefficients(of: &components[index], quantiser, &bits)
        JPEGTransform.invert(&values)
        let (across, down) = (components[index].across, components[index].down)
        let stride = components[index].stride
        let x = (column * across + block % across) * 8
        let y = (row * down + block / across) * 8
        for line in 0..<8 {
            for dot in 0..<8 {
                components[index].samples[(y + line) * stride + x + dot] =
                    Self.clamped(values[line * 8 + dot] + 128)
            }
        }
    }

    /// ITU-T T.81 section F.2.2.
    private static func coefficients(
        of component: inout Component, _ quantiser: [Int], _ bits: inout JPEGBits
    ) throws(Refusal) -> [Float] {
        guard let direct = component.direct, let alternating = component.alternating else {
            throw .damaged
        }
        var values = [Float](repeating: 0, count: 64)
        let size = Int(try direct.next(&bits))
        guard size <= 11 else { throw .damaged }
        // A difference has 11 bits; values far beyond that are no picture.
        component.last = max(-32_768, min(32_767, component.last + (try bits.signed(size))))
        values[0] = Float(component.last * quantiser[0])
        var index = 1
        while index < 64 {
            let symbol = try alternating.next(&bits)
            let (run, size) = (Int(symbol >> 4), Int(symbol & 0x0F))
            if size == 0 {
                guard run == 15 else { break }
                index += 16
                continue
            }
            index += run
            guard index < 64, size <= 10 else { throw .damaged }
            values[JPEGTransform.order[index]] = Float(try bits.signed(size) * quantiser[index])
            index += 1
        }
        return values
    }

    private static func clamped(_ value: Float) -> UInt8 {
        UInt8(max(0, min(255, value.rounded())))
    }

    /// Converts JFIF's colours; each sample is used for all the pixels it stands for.
    private var picture: Picture {
        let unit = unit
        func sample(_ index: Int, _ x: Int, _ y: Int) -> Float {
            let row = y * components[index].down / unit.down
            let column = x * components[index].across / unit.across
            return Float(components[index].samples[row * components[index].stride + column])
        }
        let isGrey = components.count == 1
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.width * size.height * 3)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let light = sample(0, x, y)
                let blue = isGrey ? 0 : sample(1, x, y) - 128
                let red = isGrey ? 0 : sample(2, x, y) - 128
                pixels.append(Self.clamped(light + 1.402 * red))
                pixels.append(Self.clamped(light - 0.344136 * blue - 0.714136 * red))
                pixels.append(Self.clamped(light + 1.772 * blue))
            }
        }
        return Picture(width: size.width, height: size.height, pixels: pixels)
    }
}

/// The inverse cosine transform of a block (T.81 section A.3.3), one direction after the other.
enum JPEGTransform {
    /// The positions of the coefficients in file order (T.81 figure A.6).
    static let order: [Int] = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27,
        20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
        58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
    ]

    /// Half the cosine of k·π/16.
    private static let cosines: [Float] = [
        0.5, 0.490392640, 0.461939766, 0.415734806, 0.353553391, 0.277785117, 0.191341716,
        0.0975451610,
    ]

    /// The weight of frequency `u` at position `x`: cos((2x + 1)uπ/16) / 2, or less for the
    /// constant part (`u` = 0).
    private static let weights: [Float] = (0..<64).map { index in
        let (x, u) = (index / 8, index % 8)
        if u == 0 { return cosines[4] }
        // The angle, in steps of π/16, reduced to the first quarter.
        let angle = (2 * x + 1) * u % 32
        let half = angle > 16 ? 32 - angle : angle
        return half == 8 ? 0 : half < 8 ? cosines[half] : -cosines[16 - half]
    }

    static func invert(_ block: inout [Float]) {
        var lines = [Float](repeating: 0, count: 64)
        for row in 0..<8 {
            for x in 0..<8 {
                var sum: Float = 0
                for u in 0..<8 { sum += weights[x * 8 + u] * block[row * 8 + u] }
                lines[row * 8 + x] = sum
            }
        }
        for column in 0..<8 {
            for y in 0..<8 {
                var sum: Float = 0
                for v in 0..<8 { sum += weights[y * 8 + v] * lines[v * 8 + column] }
                block[y * 8 + column] = sum
            }
        }
    }
}
