/// Reads the segments of a JPEG file, and the bytes of a segment.
struct JPEGInput {
    let bytes: ArraySlice<UInt8>
    var position: Int

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    mutating func byte() throws(JPEGDecoder.Refusal) -> UInt8 {
        guard position < bytes.endIndex else { throw .damaged }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func word() throws(JPEGDecoder.Refusal) -> Int {
        Int(try byte()) << 8 | Int(try byte())
    }

    /// Reads a marker: any number of FF bytes, then its code.
    mutating func marker() throws(JPEGDecoder.Refusal) -> UInt8 {
        guard try byte() == 0xFF else { throw .damaged }
        while true {
            let marker = try byte()
            if marker != 0xFF { return marker }
        }
    }

    /// The content of a segment, after its length.
    mutating func segment() throws(JPEGDecoder.Refusal) -> JPEGInput {
        let length = try word()
        guard length >= 2, bytes.endIndex - position >= length - 2 else { throw .damaged }
        defer { position += length - 2 }
        return JPEGInput(bytes[position..<position + length - 2])
    }
}

extension JPEGInput {
    /// The next byte of a scan; nil before a marker and at the end.
    mutating func scanByte() -> UInt8? {
        guard position < bytes.endIndex else { return nil }
        let byte = bytes[position]
        // FF 00 is a data byte; FF with anything else is a marker.
        guard byte == 0xFF else {
            position += 1
            return byte
        }
        guard position + 1 < bytes.endIndex, bytes[position + 1] == 0 else { return nil }
        position += 2
        return byte
    }
}

/// The bits of a scan, the highest of each byte first.
struct JPEGBits {
    private var input: JPEGInput
    /// The lowest `count` bits are those that come next.
    private var buffer: UInt64 = 0
    private var count = 0

    init(_ input: JPEGInput) { self.input = input }

    private mutating func fill() {
        while count <= 48, let byte = input.scanByte() {
            buffer = buffer << 8 | UInt64(byte)
            count += 8
        }
    }

    mutating func number(_ length: Int) throws(JPEGDecoder.Refusal) -> Int {
        if count < length { fill() }
        guard count >= length else { throw .damaged }
        count -= length
        return Int(truncatingIfNeeded: buffer >> UInt64(count)) & (1 << length - 1)
    }

    /// A number of `count` bits; one that starts with 0 is negative (T.81 table F.1).
    mutating func signed(_ count: Int) throws(JPEGDecoder.Refusal) -> Int {
        guard count > 0 else { return 0 }
        let value = try number(count)
        return value < 1 << (count - 1) ? value - (1 << count) + 1 : value
    }

    /// The next eight bits, which are not taken, with zeros behind the last one.
    fileprivate mutating func nextEight() -> (bits: Int, count: Int) {
        if count < 8 { fill() }
        let eight = count < 8 ? buffer << UInt64(8 - count) : buffer >> UInt64(count - 8)
        return (Int(eight & 0xFF), count)
    }

    fileprivate mutating func skip(_ length: Int) { count -= length }

    mutating func restart() throws(JPEGDecoder.Refusal) {
        var input = try rest()
        guard (0xD0...0xD7).contains(try input.marker()) else { throw .damaged }
        self = JPEGBits(input)
    }

    /// What follows the scan: only bits that fill a byte may be left.
    mutating func rest() throws(JPEGDecoder.Refusal) -> JPEGInput {
        fill()
        guard count < 8 else { throw .damaged }
        return input
    }
}

/// Codes of up to 16 bits, in the order of their lengths (T.81 annex C).
struct JPEGHuffmanTable {
    private var counts: [Int] = []
    private var symbols: [UInt8] = []
    /// For all eight bits, the length and the symbol of the code with which they begin; zero if it is
    /// longer.
    private var short = [UInt16](repeating: 0, count: 256)

    init(_ segment: inout JPEGInput) throws(JPEGDecoder.Refusal) {
        for _ in 0..<16 { counts.append(Int(try segment.byte())) }
        // A valid table has no more codes than there is room for.
        let room = counts.enumerated().reduce(0) { $0 + $1.element << (15 - $1.offset) }
        let count = counts.reduce(0, +)
        guard count <= 256, room <= 1 << 16 else { throw .damaged }
        for _ in 0..<count { symbols.append(try segment.byte()) }
        var (place, index) = (0, 0)
        for length in 1...8 {
            for _ in 0..<counts[length - 1] {
                let end = place + 1 << (8 - length)
                let entry = UInt16(length) << 8 | UInt16(symbols[index])
                for eight in place..<end { short[eight] = entry }
                (place, index) = (end, index + 1)
            }
        }
    }

    func next(_ bits: inout JPEGBits) throws(JPEGDecoder.Refusal) -> UInt8 {
        let (eight, present) = bits.nextEight()
        let entry = short[eight]
        if entry > 0, entry >> 8 <= present {
            bits.skip(Int(entry >> 8))
            return UInt8(truncatingIfNeeded: entry)
        }
        var (code, first, index) = (0, 0, 0)
        for count in counts {
            code = code << 1 | (try bits.number(1))
            first <<= 1
            if code - first < count { return symbols[index + code - first] }
            index += count
            first += count
        }
        throw .damaged
    }

    /// The constant part of a block, of which the difference to the one before is told.
    func nextDirect(
        after last: Int, _ bits: inout JPEGBits
    ) throws(JPEGDecoder.Refusal) -> Int {
        let size = Int(try next(&bits))
        guard size <= 11 else { throw .damaged }
        // A difference has 11 bits; values far beyond that are no picture.
        return max(-32_768, min(32_767, last + (try bits.signed(size))))
    }
}
