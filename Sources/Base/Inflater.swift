/// Unpacks DEFLATE data (RFC 1951) in the format of zlib (RFC 1950) or gzip (RFC 1952).
package struct Inflater {
    package struct Damage: Error, Equatable {}

    private let input: [UInt8]
    private var position: Int
    /// The unread bits of the byte before `position`, the next one lowest.
    private var bits: UInt8 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    /// The most bytes that the output may have.
    private let size: Int

    private static let greatestRatio = 1_032

    /// Unpacks zlib's format, for a known size.
    package static func unpacked(_ input: [UInt8], size: Int) throws(Damage) -> [UInt8] {
        // Method 8, a checksum over the two bytes, and no dictionary.
        guard input.count >= 6, input[0] & 0x0F == 8, input[1] & 0x20 == 0,
            (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
        else { throw Damage() }
        // DEFLATE cannot expand data by more than this factor, whatever the sender claims.
        guard size / greatestRatio <= input.count else { throw Damage() }
        var inflater = Inflater(input: input, position: 2, size: size)
        inflater.output.reserveCapacity(size)
        while try !inflater.readBlock() {}
        guard inflater.output.count == size else { throw Damage() }
        try inflater.expectCheckSum()
        return inflater.output
    }

    /// Unpacks gzip's format; more than `limit` bytes count as damage.
    package static func unzipped(_ input: [UInt8], limit: Int) throws(Damage) -> [UInt8] {
        guard input.starts(with: [0x1F, 0x8B, 8]) else { throw Damage() }
        var inflater = Inflater(input: input, position: 3, size: limit)
        try inflater.skipHeader()
        while try !inflater.readBlock() {}
        inflater.bitCount = 0
        let sum = try inflater.littleEndian()
        let size = try inflater.littleEndian()
        guard sum == CRC32.value(of: inflater.output[...]),
            size == UInt32(truncatingIfNeeded: inflater.output.count)
        else { throw Damage() }
        return inflater.output
    }

    private init(input: [UInt8], position: Int, size: Int) {
        self.input = input
        self.position = position
        self.size = size
    }

    /// Returns whether it was the last block.
    private mutating func readBlock() throws(Damage) -> Bool {
        let isLast = try bits(1) == 1
        switch try bits(2) {
        case 0: try copyStored()
        case 1: try unpack(Self.fixedLiterals, Self.fixedDistances)
        case 2:
            let (literals, distances) = try readCodes()
            try unpack(literals, distances)
        default: throw Damage()
        }
        return isLast
    }

    private mutating func copyStored() throws(Damage) {
        bitCount = 0
        let count = Int(try byte()) | Int(try byte()) << 8
        let inverse = Int(try byte()) | Int(try byte()) << 8
        guard count == inverse ^ 0xFFFF, count <= input.count - position,
            count <= size - output.count
        else { throw Damage() }
        output += input[position..<position + count]
        position += count
    }

    private mutating func unpack(
        _ literals: PrefixCode, _ distances: PrefixCode
    ) throws(Damage) {
        while true {
            let symbol = try self.symbol(literals)
            switch symbol {
            case ..<256:
                guard output.count < size else { throw Damage() }
                output.append(UInt8(symbol))
            case 256: return
            default: try repeatEarlier(lengthSymbol: symbol - 257, distances)
            }
        }
    }

    private mutating func repeatEarlier(
        lengthSymbol: Int, _ distances: PrefixCode
    ) throws(Damage) {
        guard lengthSymbol < Self.lengths.count else { throw Damage() }
        let (base, extra) = Self.lengths[lengthSymbol]
        let length = base + (try bits(extra))
        let index = try symbol(distances)
        guard index < Self.distances.count else { throw Damage() }
        let (start, more) = Self.distances[index]
        let distance = start + (try bits(more))
        guard distance <= output.count, length <= size - output.count else { throw Damage() }
        // The copy may overlap its own output.
        for _ in 0..<length { output.append(output[output.count - distance]) }
    }

    private mutating func expectCheckSum() throws(Damage) {
        bitCount = 0
        var (low, high) = (1, 0)
        for byte in output {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        var sum = 0
        for _ in 0..<4 { sum = sum << 8 | Int(try byte()) }
        guard sum == high << 16 | low else { throw Damage() }
    }
}

/// The header of gzip (RFC 1952 section 2.3).
extension Inflater {
    /// Skips what follows the method: flags, a time, and optional fields.
    private mutating func skipHeader() throws(Damage) {
        let flags = try byte()
        guard flags & 0xE0 == 0 else { throw Damage() }
        for _ in 0..<6 { _ = try byte() }
        if flags & 1 << 2 != 0 {
            let length = Int(try byte()) | Int(try byte()) << 8
            for _ in 0..<length { _ = try byte() }
        }
        for text in [1 << 3, 1 << 4] as [UInt8] where flags & text != 0 {
            while try byte() != 0 {}
        }
        if flags & 1 << 1 != 0 { for _ in 0..<2 { _ = try byte() } }
    }

    private mutating func littleEndian() throws(Damage) -> UInt32 {
        var value: UInt32 = 0
        for place in 0..<4 { value |= UInt32(try byte()) << (8 * UInt32(place)) }
        return value
    }
}

/// Reading of bytes, bits and symbols.
extension Inflater {
    private mutating func byte() throws(Damage) -> UInt8 {
        guard position < input.count else { throw Damage() }
        defer { position += 1 }
        return input[position]
    }

    private mutating func bits(_ count: Int) throws(Damage) -> Int {
        var value = 0
        for place in 0..<count { value |= Int(try bit()) << place }
        return value
    }

    private mutating func bit() throws(Damage) -> UInt8 {
        if bitCount == 0 { (bits, bitCount) = (try byte(), 8) }
        defer { (bits, bitCount) = (bits >> 1, bitCount - 1) }
        return bits & 1
    }

    private mutating func symbol(_ code: PrefixCode) throws(Damage) -> Int {
        var search = PrefixCode.Search()
        for length in 1...PrefixCode.longest {
            if let symbol = code.symbol(&search, adding: Int(try bit()), length) { return symbol }
        }
        throw Damage()
    }
}

/// The codes of a block (RFC 1951 sections 3.2.5 to 3.2.7).
extension Inflater {
    private mutating func readCodes() throws(Damage) -> (PrefixCode, PrefixCode) {
        let (literals, distances) = (try bits(5) + 257, try bits(5) + 1)
        let given = try bits(4) + 4
        guard literals <= 286, distances <= 30 else { throw Damage() }
        var lengths = [Int](repeating: 0, count: Self.order.count)
        for place in Self.order.prefix(given) { lengths[place] = try bits(3) }
        let code = try PrefixCode(lengths: lengths)
        lengths = []
        while lengths.count < literals + distances {
            let symbol = try self.symbol(code)
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw Damage() }
                lengths += [Int](repeating: last, count: try bits(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try bits(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try bits(7) + 11)
            default: lengths.append(symbol)
            }
        }
        // A repetition must not go beyond the end, and there must be a code for the end of the
        // block.
        guard lengths.count == literals + distances, lengths[256] > 0 else { throw Damage() }
        return (
            try PrefixCode(lengths: Array(lengths[..<literals])),
            try PrefixCode(lengths: Array(lengths[literals...]))
        )
    }

    private static let order = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    private static let fixedLiterals = PrefixCode(
        complete: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = PrefixCode(complete: [Int](repeating: 5, count: 32))

    /// The base length of each symbol, and how many extra bits follow.
    private static let lengths =
        steps(from: 3, extras: (0..<28).map { max(0, $0 / 4 - 1) }) + [(258, 0)]
    private static let distances = steps(from: 1, extras: (0..<30).map { max(0, $0 / 2 - 1) })

    private static func steps(from start: Int, extras: [Int]) -> [(base: Int, extra: Int)] {
        var next = start
        return extras.map { extra in
            defer { next += 1 << extra }
            return (next, extra)
        }
    }
}

/// A Huffman code as in DEFLATE, given by the lengths of its words (RFC 1951 section 3.2.2).
struct PrefixCode {
    /// The state of reading one word bit by bit.
    struct Search {
        var word = 0
        /// The first word of the current length, and the index of its symbol.
        var first = 0
        var place = 0
    }

    static let longest = 15

    /// The number of words of each length.
    private var counts = [Int](repeating: 0, count: longest + 1)
    /// Sorted by their words.
    private var symbols: [Int] = []

    /// Refuses codes with too many or too few words. Exceptions: a single word may be incomplete,
    /// and an unused code may be empty.
    init(lengths: [Int]) throws(Inflater.Damage) {
        self.init(complete: lengths)
        var room = 1
        for length in 1...Self.longest {
            room = room * 2 - counts[length]
            guard room >= 0 else { throw Inflater.Damage() }
        }
        guard room == 0 || symbols.count <= 1 else { throw Inflater.Damage() }
    }

    /// Makes a code from lengths that are known to be valid.
    init(complete lengths: [Int]) {
        for length in lengths where length > 0 { counts[length] += 1 }
        symbols = lengths.indices.filter { lengths[$0] > 0 }
            .sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }

    /// Adds a bit to the word; returns its symbol if the word is complete.
    func symbol(_ search: inout Search, adding bit: Int, _ length: Int) -> Int? {
        search.word |= bit
        let count = counts[length]
        let index = search.word - search.first
        if index < count { return symbols[search.place + index] }
        search.place += count
        search.first = (search.first + count) << 1
        search.word <<= 1
        return nil
    }
}

/// The checksum of PNG (ISO/IEC 15948 section 5.5) and gzip (RFC 1952 section 8).
package enum CRC32 {
    private static let table = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { rest, _ in
            rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0)
        }
    }

    package static func value(of bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }
}
