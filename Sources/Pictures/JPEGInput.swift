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

/// The bits of a scan, the highest of each byte first.
struct JPEGBits {
    private var input: JPEGInput
    private var current: UInt8 = 0
    private var left = 0

    init(_ input: JPEGInput) { self.input = input }

    mutating func next() throws(JPEGDecoder.Refusal) -> Int {
        if left == 0 {
            current = try input.byte()
            // FF 00 is a data byte; FF with anything else is a marker.
            if current == 0xFF { guard try input.byte() == 0 else { throw .damaged } }
            left = 8
        }
        left -= 1
        return Int(current >> left) & 1
    }

    /// A number of `count` bits; one that starts with 0 is negative (T.81 table F.1).
    mutating func signed(_ count: Int) throws(JPEGDecoder.Refusal) -> Int {
        guard count > 0 else { return 0 }
        var value = 0
        for _ in 0..<count { value = value << 1 | (try next()) }
        return value < 1 << (count - 1) ? value - (1 << count) + 1 : value
    }

    mutating func restart() throws(JPEGDecoder.Refusal) {
        left = 0
        guard (0xD0...0xD7).contains(try input.marker()) else { throw .damaged }
    }
}

/// Codes of up to 16 bits, in the order of their lengths (T.81 annex C).
struct JPEGHuffmanTable {
    private var counts: [Int] = []
    private var symbols: [UInt8] = []

    init(_ segment: inout JPEGInput) throws(JPEGDecoder.Refusal) {
        for _ in 0..<16 { counts.append(Int(try segment.byte())) }
        // A valid table has no more codes than there is room for.
        let room = counts.enumerated().reduce(0) { $0 + $1.element << (15 - $1.offset) }
        let count = counts.reduce(0, +)
        guard count <= 256, room <= 1 << 16 else { throw .damaged }
        for _ in 0..<count { symbols.append(try segment.byte()) }
    }

    func next(_ bits: inout JPEGBits) throws(JPEGDecoder.Refusal) -> UInt8 {
        var (code, first, index) = (0, 0, 0)
        for count in counts {
            code = code << 1 | (try bits.next())
            first <<= 1
            if code - first < count { return symbols[index + code - first] }
            index += count
            first += count
        }
        throw .damaged
    }
}
