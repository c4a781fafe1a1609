import Base

extension FuzzTarget {
    /// As it came, and with other numbers.
    static func forms(of text: ArraySlice<UInt8>) -> [[UInt8]] {
        [Array(text), withNumbers(drawnFrom: text)]
    }

    /// The numbers of a text in the places of which stand others, from the whole range: those of its
    /// own tell which. What is a part of a word, as of an identifier, stays.
    private static func withNumbers(drawnFrom source: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var index = source.startIndex
        while index < source.endIndex {
            let digits = source[index...].prefix { $0.isDigit }
            guard let next = digits.isEmpty ? nil : digits.endIndex else {
                text.append(source[index])
                index += 1
                continue
            }
            index = next
            let isPart =
                text.last.map(isOfWord) ?? false
                || next < source.endIndex && (isOfWord(source[next]) || source[next] == hyphen)
            guard !isPart else {
                text += digits
                continue
            }
            let place = digits.reduce(text.count) { $0 &* 31 &+ Int($1) }
            let number = numbers[Int(place.magnitude % UInt(numbers.count))]
            text += (text.last == hyphen ? "\(number.magnitude)" : "\(number)").utf8
        }
        return text
    }

    private static let hyphen = UInt8(ascii: "-")

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static let numbers: [Int64] = [
        .min, .min + 1, -(1 << 53), Int64(Int32.min) - 1, Int64(Int32.min), -1, 0, 1, 2, 88,
        777_000, Int64(Int32.max), Int64(Int32.max) + 1, 1 << 40, (1 << 51) - 1, 1 << 51, 1 << 52,
        .max - 1, .max,
    ]
}
