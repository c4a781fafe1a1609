/// One scan of a progressive picture: a band of frequencies (spectral selection), or one more bit of
/// them (successive approximation), as in ITU-T T.81 annex G.
struct JPEGProgressiveScan {
    private struct Part {
        let index: Int
        /// Nil if the scan needs none.
        let table: JPEGHuffmanTable?
        var last = 0
    }

    private var parts: [Part] = []
    private let band: ClosedRange<Int>
    /// The bit that the scan says, counted from the lowest one.
    private let low: Int
    /// It says one bit only, and those above are known.
    private let isRefining: Bool
    private let restartInterval: Int
    private var bits: JPEGBits
    /// So many blocks have nothing else in this band.
    private var run = 0

    init(
        of frame: inout JPEGFrame, _ head: inout JPEGInput, _ tables: JPEGTables,
        _ input: JPEGInput
    ) throws(JPEGDecoder.Refusal) {
        bits = JPEGBits(input)
        restartInterval = tables.restartInterval
        let count = Int(try head.byte())
        guard 1...frame.components.count ~= count else { throw .damaged }
        var named: [(index: Int, tables: UInt8)] = []
        for _ in 0..<count {
            let index = try frame.component(try head.byte())
            // They come in the order of the frame, each once.
            guard named.last.map({ $0.index < index }) ?? true else { throw .damaged }
            named.append((index, try head.byte()))
        }
        let (first, last, level) = (try head.byte(), try head.byte(), try head.byte())
        // The constant part comes alone, and of the others one component at a time.
        guard first == 0 ? last == 0 : first <= last && last < 64 && count == 1 else {
            throw .damaged
        }
        band = Int(first)...Int(last)
        (low, isRefining) = (Int(level & 0x0F), level >> 4 > 0)
        guard low <= 13, !isRefining || level >> 4 == level & 0x0F + 1 else { throw .damaged }
        for (index, numbers) in named {
            guard numbers >> 4 < 4, numbers & 0x0F < 4 else { throw .damaged }
            let isDirect = first == 0
            let table =
                isDirect
                ? tables.direct[Int(numbers >> 4)] : tables.alternating[Int(numbers & 0x0F)]
            guard table != nil || isDirect && isRefining else { throw .damaged }
            try frame.fixQuantiser(of: index, tables)
            try frame.components[index].progress.note(band, low, isRefining)
            parts.append(Part(index: index, table: table))
        }
    }

    /// Returns what follows the scan.
    mutating func read(into frame: inout JPEGFrame) throws(JPEGDecoder.Refusal) -> JPEGInput {
        if parts.count > 1 { try readUnits(into: &frame) } else { try readBlocks(into: &frame) }
        return try bits.rest()
    }

    /// Of several components, the blocks of a unit are together. They are constant parts.
    private mutating func readUnits(into frame: inout JPEGFrame) throws(JPEGDecoder.Refusal) {
        for number in 0..<frame.units.down * frame.units.across {
            try restart(before: number)
            let (row, column) = (number / frame.units.across, number % frame.units.across)
            for place in parts.indices {
                let index = parts[place].index
                let (across, down) = (frame.components[index].across, frame.components[index].down)
                let width = frame.components[index].rowOfBlocks
                for block in 0..<across * down {
                    let start =
                        (row * down + block / across) * width + column * across + block % across
                    try readDirect(place, &frame.components[index].coefficients[start * 64])
                }
            }
        }
    }

    /// A component alone has no blocks that only fill a unit.
    private mutating func readBlocks(into frame: inout JPEGFrame) throws(JPEGDecoder.Refusal) {
        let index = parts[0].index
        let (blocks, width) = (
            frame.components[index].blocks, frame.components[index].rowOfBlocks
        )
        // Taken out, so that it is not copied.
        var coefficients: [Int16] = []
        swap(&coefficients, &frame.components[index].coefficients)
        for number in 0..<blocks.down * blocks.across {
            try restart(before: number)
            let start = (number / blocks.across * width + number % blocks.across) * 64
            if band.lowerBound == 0 {
                try readDirect(0, &coefficients[start])
            } else {
                try isRefining ? refine(&coefficients, start) : readFirst(&coefficients, start)
            }
        }
        swap(&coefficients, &frame.components[index].coefficients)
    }

    private mutating func restart(before number: Int) throws(JPEGDecoder.Refusal) {
        guard restartInterval > 0, number > 0, number % restartInterval == 0 else { return }
        try bits.restart()
        run = 0
        for place in parts.indices { parts[place].last = 0 }
    }

    /// The constant part of a block (T.81 section G.1.2.1).
    private mutating func readDirect(
        _ place: Int, _ value: inout Int16
    ) throws(JPEGDecoder.Refusal) {
        guard !isRefining else {
            if try bits.number(1) == 1 { value |= 1 << Int16(low) }
            return
        }
        guard let table = parts[place].table else { throw .damaged }
        parts[place].last = try table.nextDirect(after: parts[place].last, &bits)
        value = Int16(clamping: parts[place].last << low)
    }

    /// The first bits of a band (T.81 section G.1.2.2).
    private mutating func readFirst(
        _ coefficients: inout [Int16], _ start: Int
    ) throws(JPEGDecoder.Refusal) {
        guard run == 0 else {
            run -= 1
            return
        }
        guard let table = parts[0].table else { throw .damaged }
        var place = band.lowerBound
        while place <= band.upperBound {
            let symbol = try table.next(&bits)
            let (zeros, size) = (Int(symbol >> 4), Int(symbol & 0x0F))
            if size == 0 {
                guard zeros == 15 else {
                    // This block is the first of them.
                    run = (1 << zeros) + (try bits.number(zeros)) - 1
                    return
                }
                place += 16
                continue
            }
            place += zeros
            guard place <= band.upperBound, size <= 10 else { throw .damaged }
            coefficients[start + place] = Int16(clamping: try bits.signed(size) << low)
            place += 1
        }
    }

    /// One more bit of a band (T.81 section G.1.2.3): those that are not zero have it between the codes.
    private mutating func refine(
        _ coefficients: inout [Int16], _ start: Int
    ) throws(JPEGDecoder.Refusal) {
        guard let table = parts[0].table else { throw .damaged }
        var place = band.lowerBound
        while run == 0, place <= band.upperBound {
            let symbol = try table.next(&bits)
            let (zeros, size) = (Int(symbol >> 4), Int(symbol & 0x0F))
            var fresh: Int16 = 0
            if size == 0, zeros < 15 {
                run = (1 << zeros) + (try bits.number(zeros))
                break
            } else if size > 0 {
                guard size == 1 else { throw .damaged }
                fresh = try bits.number(1) == 1 ? 1 << Int16(low) : -1 << Int16(low)
            }
            try refine(&coefficients, start, &place, over: zeros)
            guard fresh == 0 || place <= band.upperBound else { throw .damaged }
            if fresh != 0 { coefficients[start + place] = fresh }
            place += 1
        }
        guard run > 0 else { return }
        try refine(&coefficients, start, &place, over: 64)
        run -= 1
    }

    /// Goes over so many zeros, up to the one behind them.
    private mutating func refine(
        _ coefficients: inout [Int16], _ start: Int, _ place: inout Int, over zeros: Int
    ) throws(JPEGDecoder.Refusal) {
        var left = zeros
        while place <= band.upperBound {
            let value = coefficients[start + place]
            if value != 0 {
                if try bits.number(1) == 1 {
                    coefficients[start + place] = value &+ (value > 0 ? 1 : -1) << Int16(low)
                }
            } else if left == 0 {
                return
            } else {
                left -= 1
            }
            place += 1
        }
    }
}

/// Down to which bit the frequencies of a component are known.
struct JPEGProgress {
    private var lowest = [Int](repeating: .max, count: 64)

    /// What was said is not said again, and no bit before those above it (T.81 section G.1.1.1).
    mutating func note(
        _ band: ClosedRange<Int>, _ low: Int, _ isRefining: Bool
    ) throws(JPEGDecoder.Refusal) {
        guard band.lowerBound == 0 || lowest[0] < .max else { throw .damaged }
        for place in band {
            guard lowest[place] == (isRefining ? low + 1 : .max) else { throw .damaged }
            lowest[place] = low
        }
    }
}
