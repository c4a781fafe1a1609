/// Reads values of the TL language from the wire: 32-bit words, least significant byte first.
/// Truncated or unknown data is damage.
struct TLReader {
    struct Damage: Error {}

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func word() throws(Damage) -> UInt32 {
        guard bytes.count - position >= 4 else { throw Damage() }
        defer { position += 4 }
        return (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[position + $1]) }
    }

    mutating func int() throws(Damage) -> Int { Int(Int32(bitPattern: try word())) }

    mutating func double() throws(Damage) -> Double {
        let low = UInt64(try word())
        return Double(bitPattern: UInt64(try word()) << 32 | low)
    }

    mutating func skip(words: Int) throws(Damage) {
        for _ in 0..<words { _ = try word() }
    }

    /// Bytes after a length of one byte, or of three after FE; padded to whole words.
    mutating func data() throws(Damage) -> ArraySlice<UInt8> {
        guard position < bytes.count else { throw Damage() }
        var start = position + 1
        var count = Int(bytes[position])
        if count == 254 {
            guard bytes.count - position >= 4 else { throw Damage() }
            count = (1...3).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
            start = position + 4
        }
        let length = (start - position + count + 3) / 4 * 4
        guard bytes.count - position >= length else { throw Damage() }
        position += length
        return bytes[start..<start + count]
    }

    mutating func text() throws(Damage) -> String {
        String(decoding: try data(), as: UTF8.self)
    }

    /// The number of elements of a vector, bounded because each takes at least one word.
    mutating func vector() throws(Damage) -> Int {
        guard try word() == 0x1cb5_c415 else { throw Damage() }
        let count = try int()
        guard count >= 0, count <= (bytes.count - position) / 4 else { throw Damage() }
        return count
    }
}
