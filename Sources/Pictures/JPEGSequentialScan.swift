/// The only scan of a baseline picture: a sequence of units of blocks, with all components.
struct JPEGSequentialScan {
    private struct Part {
        let direct: JPEGHuffmanTable
        let alternating: JPEGHuffmanTable
        var last = 0
    }

    private var parts: [Part] = []
    private var bits: JPEGBits

    static func read(
        _ frame: inout JPEGFrame, _ head: inout JPEGInput, _ tables: JPEGTables, _ input: JPEGInput
    ) throws(JPEGDecoder.Refusal) {
        var scan = try JPEGSequentialScan(of: &frame, &head, tables, input)
        for number in 0..<frame.units.down * frame.units.across {
            if tables.restartInterval > 0, number > 0, number % tables.restartInterval == 0 {
                try scan.restart()
            }
            let (row, column) = (number / frame.units.across, number % frame.units.across)
            for index in frame.components.indices {
                let (across, down) = (frame.components[index].across, frame.components[index].down)
                for block in 0..<across * down {
                    var values = try scan.coefficients(
                        of: index, frame.components[index].quantisers)
                    frame.draw(
                        &values, of: index, row: row * down + block / across,
                        column: column * across + block % across)
                }
            }
        }
    }

    private init(
        of frame: inout JPEGFrame, _ head: inout JPEGInput, _ tables: JPEGTables,
        _ input: JPEGInput
    ) throws(JPEGDecoder.Refusal) {
        bits = JPEGBits(input)
        guard Int(try head.byte()) == frame.components.count else { throw .unsupported }
        for index in frame.components.indices {
            guard try head.byte() == frame.components[index].id else { throw .unsupported }
            let numbers = try head.byte()
            guard numbers >> 4 < 4, numbers & 0x0F < 4,
                let direct = tables.direct[Int(numbers >> 4)],
                let alternating = tables.alternating[Int(numbers & 0x0F)]
            else { throw .damaged }
            try frame.fixQuantiser(of: index, tables)
            parts.append(Part(direct: direct, alternating: alternating))
        }
    }

    private mutating func restart() throws(JPEGDecoder.Refusal) {
        try bits.restart()
        for index in parts.indices { parts[index].last = 0 }
    }

    /// ITU-T T.81 section F.2.2.
    private mutating func coefficients(
        of index: Int, _ quantisers: [Int]
    ) throws(JPEGDecoder.Refusal) -> [Float] {
        var values = [Float](repeating: 0, count: 64)
        parts[index].last = try parts[index].direct.nextDirect(after: parts[index].last, &bits)
        values[0] = Float(parts[index].last * quantisers[0])
        var place = 1
        while place < 64 {
            let symbol = try parts[index].alternating.next(&bits)
            let (run, size) = (Int(symbol >> 4), Int(symbol & 0x0F))
            if size == 0 {
                guard run == 15 else { break }
                place += 16
                continue
            }
            place += run
            guard place < 64, size <= 10 else { throw .damaged }
            values[JPEGTransform.order[place]] = Float(try bits.signed(size) * quantisers[place])
            place += 1
        }
        return values
    }
}
