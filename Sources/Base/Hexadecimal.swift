extension FixedWidthInteger where Self: UnsignedInteger {
    /// All digits of the number, in lower case, with the zeros before it.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - digits.utf8.count) + digits
    }
}

extension Sequence<UInt8> {
    /// Two digits for each byte, in lower case.
    package var hexadecimal: String { map(\.hexadecimal).joined() }
}

package enum Hexadecimal {
    /// Nil unless there are two digits for each byte.
    package static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var digits = text.utf8.makeIterator()
        var bytes: [UInt8] = []
        while let digit = digits.next() {
            guard let high = digit.hexValue, let low = digits.next()?.hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
