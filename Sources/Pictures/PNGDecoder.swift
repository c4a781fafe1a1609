import Base

/// Decodes PNG (ISO/IEC 15948) as icons use it: grey, colours or a palette, with or without
/// transparency, up to 8 bits. Interlaced or deeper pictures are refused.
struct PNGDecoder {
    typealias Refusal = Picture.Refusal

    /// The colour types, with their samples for each pixel.
    private enum Colour: UInt8 {
        case grey = 0
        case colours = 2
        case palette = 3
        case transparentGrey = 4
        case transparentColours = 6

        var channels: Int {
            switch self {
            case .grey, .palette: 1
            case .transparentGrey: 2
            case .colours: 3
            case .transparentColours: 4
            }
        }

        var mayBeShallow: Bool { channels == 1 }
    }

    private let pixelLimit: Int
    private var input: PNGInput
    private var size = (width: 0, height: 0)
    private var depth = 8
    private var colour = Colour.grey
    /// Red, green, blue, alpha.
    private var palette: [[UInt8]] = []
    private var packed: [UInt8] = []

    static func picture(
        _ bytes: [UInt8], pixelLimit: Int = Picture.pixelLimit
    ) throws(Refusal) -> Picture {
        var decoder = PNGDecoder(input: try PNGInput(bytes), pixelLimit: pixelLimit)
        try decoder.readHeader()
        while try decoder.readChunk() {}
        return try decoder.picture()
    }

    /// How many pixels the head of a file promises.
    static func size(_ bytes: [UInt8]) throws(Refusal) -> (width: Int, height: Int) {
        var input = try PNGInput(bytes)
        return try size(try input.chunk())
    }

    private static func size(
        _ chunk: PNGInput.Chunk
    ) throws(Refusal) -> (width: Int, height: Int) {
        guard chunk.type == "IHDR", chunk.data.count == 13 else { throw .damaged }
        let size = (
            width: number(chunk.data.prefix(4)), height: number(chunk.data.dropFirst(4).prefix(4))
        )
        guard size.width > 0, size.height > 0 else { throw .damaged }
        return size
    }

    private init(input: PNGInput, pixelLimit: Int) {
        (self.input, self.pixelLimit) = (input, pixelLimit)
    }

    private mutating func readHeader() throws(Refusal) {
        let chunk = try input.chunk()
        size = try Self.size(chunk)
        let data = Array(chunk.data)
        guard let colour = Colour(rawValue: data[9]), data[10] == 0, data[11] == 0 else {
            throw .damaged
        }
        (depth, self.colour) = (Int(data[8]), colour)
        guard size.width <= pixelLimit / size.height else { throw .tooLarge }
        guard depth == 8 || (colour.mayBeShallow && [1, 2, 4].contains(depth)), data[12] == 0 else {
            throw .unsupported
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns whether other chunks follow.
    private mutating func readChunk() throws(Refusal) -> Bool {
        let chunk = try input.chunk()
        switch chunk.type {
        case "PLTE": try readPalette(Array(chunk.data))
        case "tRNS":
            guard colour == .palette else { break }
            for (index, alpha) in chunk.data.enumerated() where index < palette.count {
                palette[index][3] = alpha
            }
        case "IDAT": packed += chunk.data
        case "IEND": return false
        default:
            // A lower-case first letter marks a chunk as optional (section 5.4).
            guard chunk.isOptional else { throw .unsupported }
        }
        return true
    }

    private mutating func readPalette(_ data: [UInt8]) throws(Refusal) {
        guard data.count % 3 == 0, data.count <= 768, palette.isEmpty else { throw .damaged }
        palette = stride(from: 0, to: data.count, by: 3).map { data[$0..<$0 + 3] + [255] }
    }

    private func picture() throws(Refusal) -> Picture {
        let rowSize = (size.width * colour.channels * depth + 7) / 8
        var rows: [UInt8]
        do throws(Inflater.Damage) {
            rows = try Inflater.unpacked(packed, size: (rowSize + 1) * size.height)
        } catch {
            throw .damaged
        }
        try PNGFilter.undo(&rows, rowSize: rowSize, step: max(1, colour.channels * depth / 8))
        let isOpaque = colour != .palette || palette.allSatisfy { $0[3] == 255 }
        let hasAlpha = colour.channels % 2 == 0 || !isOpaque
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.width * size.height * (hasAlpha ? 4 : 3))
        for row in 0..<size.height {
            let start = row * (rowSize + 1) + 1
            try append(rows[start..<start + rowSize], hasAlpha: hasAlpha, to: &pixels)
        }
        return Picture(width: size.width, height: size.height, pixels: pixels, hasAlpha: hasAlpha)
    }

    private func append(
        _ row: ArraySlice<UInt8>, hasAlpha: Bool, to pixels: inout [UInt8]
    ) throws(Refusal) {
        switch colour {
        case .colours, .transparentColours: pixels += row
        case .transparentGrey:
            for place in stride(from: row.startIndex, to: row.endIndex, by: 2) {
                pixels += [row[place], row[place], row[place], row[place + 1]]
            }
        case .grey, .palette:
            for column in 0..<size.width {
                let sample = sample(column, of: row)
                if colour == .palette {
                    guard sample < palette.count else { throw .damaged }
                    pixels += palette[sample].prefix(hasAlpha ? 4 : 3)
                } else {
                    let grey = UInt8(sample * 255 / (1 << depth - 1))
                    pixels += [grey, grey, grey]
                }
            }
        }
    }

    /// Of samples that share a byte, the leftmost has the highest bits.
    private func sample(_ column: Int, of row: ArraySlice<UInt8>) -> Int {
        let bit = column * depth
        let byte = Int(row[row.startIndex + bit / 8])
        return byte >> (8 - depth - bit % 8) & (1 << depth - 1)
    }
}

/// Undoes the filters of PNG: each row names how its bytes were predicted from earlier ones
/// (ISO/IEC 15948 section 9).
enum PNGFilter {
    /// `step` is the distance to the same sample of the pixel to the left.
    static func undo(
        _ rows: inout [UInt8], rowSize: Int, step: Int
    ) throws(Picture.Refusal) {
        for start in stride(from: 0, to: rows.count, by: rowSize + 1) {
            let filter = rows[start]
            guard filter < 5 else { throw .damaged }
            guard filter > 0 else { continue }
            for place in start + 1...start + rowSize {
                let hasLeft = place - start > step
                let left = hasLeft ? Int(rows[place - step]) : 0
                let above = start > 0 ? Int(rows[place - rowSize - 1]) : 0
                let corner = hasLeft && start > 0 ? Int(rows[place - rowSize - 1 - step]) : 0
                let predicted =
                    switch filter {
                    case 1: left
                    case 2: above
                    case 3: (left + above) / 2
                    default: nearest(left, above, corner)
                    }
                rows[place] &+= UInt8(predicted)
            }
        }
    }

    /// The Paeth predictor: the value nearest to left + above - corner.
    private static func nearest(_ left: Int, _ above: Int, _ corner: Int) -> Int {
        let expected = left + above - corner
        let distances = (
            abs(expected - left), abs(expected - above), abs(expected - corner)
        )
        if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }
}

/// The chunks of a PNG file.
struct PNGInput {
    struct Chunk {
        let type: String
        let data: ArraySlice<UInt8>
        /// An unknown optional chunk can be ignored.
        let isOptional: Bool
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private let bytes: [UInt8]
    private var position = signature.count

    init(_ bytes: [UInt8]) throws(Picture.Refusal) {
        guard bytes.starts(with: Self.signature) else { throw .damaged }
        self.bytes = bytes
    }

    mutating func chunk() throws(Picture.Refusal) -> Chunk {
        let length = try word()
        guard length <= bytes.count - position - 8 else { throw .damaged }
        let end = position + 4 + length
        let checked = bytes[position..<end]
        let data = checked.dropFirst(4)
        position = end
        guard try word() == Int(CRC32.value(of: checked)) else { throw .damaged }
        return Chunk(
            type: String(decoding: checked.prefix(4), as: UTF8.self), data: data,
            isOptional: checked.first.map { $0 & 0x20 != 0 } ?? false)
    }

    private mutating func word() throws(Picture.Refusal) -> Int {
        guard bytes.count - position >= 4 else { throw .damaged }
        defer { position += 4 }
        return Int(bytes.span.halfWord(at: position))
    }
}
