/// RFC 3986 section 2.1.
package enum PercentEncoding {
    /// Nil if a percent sign is not followed by two hexadecimal digits. In forms a plus is a blank.
    package static func decoded(
        _ text: some Sequence<UInt8>, inForm: Bool = false
    ) -> [UInt8]? {
        decoded(text, escape: UInt8(ascii: "%"), blank: inForm ? UInt8(ascii: "+") : nil)
    }

    /// The same with another sign before the digits.
    package static func decoded(
        _ text: some Sequence<UInt8>, escape: UInt8, blank: UInt8?
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case blank: bytes.append(UInt8(ascii: " "))
            case escape:
                guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }
}
