/// What a frame of a JPEG says of the picture, and what its scans have filled in.
struct JPEGFrame {
    struct Component {
        let id: UInt8
        /// Sampling factors, across and down.
        let across: Int
        let down: Int
        let quantiser: Int
        /// The values of its quantiser, as they were before its first scan; empty until then.
        var quantisers: [Int] = []
        /// Blocks, without those that only fill the last unit.
        var blocks = (across: 0, down: 0)
        /// Blocks with those, in a row.
        var rowOfBlocks = 0
        /// 64 for each block, in file order; only if the picture comes in several scans.
        var coefficients: [Int16] = []
        var progress = JPEGProgress()
        var samples: [UInt8] = []

        var stride: Int { rowOfBlocks * 8 }
    }

    let isProgressive: Bool
    let size: (width: Int, height: Int)
    var components: [Component] = []
    /// The size of a unit in blocks, and how many units there are.
    let unit: (across: Int, down: Int)
    let units: (across: Int, down: Int)

    init(
        _ segment: inout JPEGInput, isProgressive: Bool, _ pixelLimit: Int
    ) throws(JPEGDecoder.Refusal) {
        guard try segment.byte() == 8 else { throw .unsupported }
        let height = try segment.word()
        let width = try segment.word()
        guard width > 0, height > 0 else { throw .damaged }
        guard width * height <= pixelLimit else { throw .tooLarge }
        (self.isProgressive, size) = (isProgressive, (width, height))
        let count = try segment.byte()
        guard count == 1 || count == 3 else { throw .unsupported }
        for _ in 0..<count {
            components.append(try Self.component(&segment, isOnly: count == 1))
        }
        let unit = (
            across: components.map(\.across).max() ?? 1, down: components.map(\.down).max() ?? 1
        )
        self.unit = unit
        units = (
            Self.parts(of: width, 8 * unit.across), Self.parts(of: height, 8 * unit.down)
        )
        for index in components.indices { reserve(index) }
    }

    private static func component(
        _ segment: inout JPEGInput, isOnly: Bool
    ) throws(JPEGDecoder.Refusal) -> Component {
        let id = try segment.byte()
        let factors = try segment.byte()
        let quantiser = try segment.byte()
        let (across, down) = (Int(factors >> 4), Int(factors & 0x0F))
        guard quantiser < 4 else { throw .damaged }
        guard (1...2).contains(across), (1...2).contains(down) else { throw .unsupported }
        // A single component is never interleaved, so its factors have no meaning.
        return Component(
            id: id, across: isOnly ? 1 : across, down: isOnly ? 1 : down,
            quantiser: Int(quantiser))
    }

    private static func parts(of size: Int, _ part: Int) -> Int { (size + part - 1) / part }

    private mutating func reserve(_ index: Int) {
        let (across, down) = (components[index].across, components[index].down)
        components[index].blocks = (
            Self.parts(of: Self.parts(of: size.width * across, unit.across), 8),
            Self.parts(of: Self.parts(of: size.height * down, unit.down), 8)
        )
        components[index].rowOfBlocks = units.across * across
        let count = units.across * across * units.down * down * 64
        if isProgressive {
            components[index].coefficients = Array(repeating: 0, count: count)
        } else {
            components[index].samples = Array(repeating: 0, count: count)
        }
    }

    /// The place of a component that a scan names.
    func component(_ id: UInt8) throws(JPEGDecoder.Refusal) -> Int {
        guard let index = components.firstIndex(where: { $0.id == id }) else { throw .damaged }
        return index
    }

    /// Keeps the quantiser of a component for its later scans.
    mutating func fixQuantiser(of index: Int, _ tables: JPEGTables) throws(JPEGDecoder.Refusal) {
        guard components[index].quantisers.isEmpty else { return }
        components[index].quantisers = tables.quantisers[components[index].quantiser]
        guard !components[index].quantisers.isEmpty else { throw .damaged }
    }
}

/// From blocks to pixels.
extension JPEGFrame {
    /// Makes samples of a block of frequencies, in the order of their rows.
    mutating func draw(_ values: inout [Float], of index: Int, row: Int, column: Int) {
        JPEGTransform.invert(&values)
        let stride = components[index].stride
        let start = row * 8 * stride + column * 8
        for line in 0..<8 {
            for dot in 0..<8 {
                components[index].samples[start + line * stride + dot] =
                    Self.clamped(values[line * 8 + dot] + 128)
            }
        }
    }

    /// Draws what all scans have said. Each component must have been in one.
    mutating func drawAll() throws(JPEGDecoder.Refusal) {
        var values = [Float](repeating: 0, count: 64)
        for index in components.indices {
            let (blocks, width) = (components[index].blocks, components[index].rowOfBlocks)
            let quantisers = components[index].quantisers
            guard !quantisers.isEmpty else { throw .damaged }
            let coefficients = exchange(&components[index].coefficients, with: [])
            components[index].samples = Array(repeating: 0, count: coefficients.count)
            for row in 0..<blocks.down {
                for column in 0..<blocks.across {
                    let start = (row * width + column) * 64
                    for place in 0..<64 {
                        values[JPEGTransform.order[place]] = Float(
                            Int(coefficients[start + place]) * quantisers[place])
                    }
                    draw(&values, of: index, row: row, column: column)
                }
            }
        }
    }

    private static func clamped(_ value: Float) -> UInt8 {
        UInt8(max(0, min(255, value.rounded())))
    }

    /// Converts JFIF's colours; each sample is used for all the pixels it stands for.
    var picture: Picture {
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
