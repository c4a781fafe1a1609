/// Decodes JPEG (ITU-T T.81) with 8 bits and Huffman codes, in grey or JFIF's colours: baseline in one
/// scan, as pushes contain it, and progressive, as much of the web has it. All other kinds are refused.
struct JPEGDecoder {
    typealias Refusal = Picture.Refusal

    /// Encoders make about ten. Each goes over all blocks, also if its part of the file is tiny.
    static let scanLimit = 64

    private let pixelLimit: Int
    private var input: JPEGInput
    private var tables = JPEGTables()
    private var frame: JPEGFrame?
    private var scans = 0

    static func picture(
        _ bytes: [UInt8], pixelLimit: Int = Picture.pixelLimit
    ) throws(Refusal) -> Picture {
        var decoder = JPEGDecoder(input: JPEGInput(bytes), pixelLimit: pixelLimit)
        return try decoder.picture()
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

    private mutating func picture() throws(Refusal) -> Picture {
        guard try input.marker() == 0xD8 else { throw .damaged }
        while true {
            let marker = try input.marker()
            if marker == 0xD9, var frame, frame.isProgressive {
                self.frame = nil
                try frame.drawAll()
                return frame.picture
            }
            var segment = try input.segment()
            switch marker {
            case 0xDB: try tables.readQuantisers(&segment)
            case 0xC4: try tables.readHuffmanTables(&segment)
            case 0xC0, 0xC2:
                guard frame == nil else { throw .damaged }
                frame = try JPEGFrame(&segment, isProgressive: marker == 0xC2, pixelLimit)
            case 0xDD: tables.restartInterval = try segment.word()
            case 0xDA:
                if let picture = try readScan(&segment) { return picture }
            case 0xE0...0xEF, 0xFE: break
            default: throw .unsupported
            }
        }
    }

    /// The picture, if this scan is all of it.
    private mutating func readScan(_ head: inout JPEGInput) throws(Refusal) -> Picture? {
        guard var frame else { throw .damaged }
        self.frame = nil
        guard frame.isProgressive else {
            try JPEGSequentialScan.read(&frame, &head, tables, input)
            return frame.picture
        }
        scans += 1
        guard scans <= Self.scanLimit else { throw .tooLarge }
        var scan = try JPEGProgressiveScan(of: &frame, &head, tables, input)
        input = try scan.read(into: &frame)
        self.frame = frame
        return nil
    }
}

/// The tables that are in force for the next scan.
struct JPEGTables {
    private(set) var quantisers = [[Int]](repeating: [], count: 4)
    private(set) var direct = [JPEGHuffmanTable?](repeating: nil, count: 4)
    private(set) var alternating = [JPEGHuffmanTable?](repeating: nil, count: 4)
    var restartInterval = 0

    mutating func readQuantisers(_ segment: inout JPEGInput) throws(JPEGDecoder.Refusal) {
        while !segment.isAtEnd {
            let index = try segment.byte()
            guard index < 4 else { throw .unsupported }
            var values: [Int] = []
            for _ in 0..<64 { values.append(Int(try segment.byte())) }
            quantisers[Int(index)] = values
        }
    }

    mutating func readHuffmanTables(_ segment: inout JPEGInput) throws(JPEGDecoder.Refusal) {
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
}
