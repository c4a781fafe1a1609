import Base

/// RFC 3986 section 2.1.
package enum PercentEncoding {
    /// Nil where a percent sign stands before anything but two digits.
    package static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else {
                return nil
            }
            bytes.append(UInt8(high) << 4 | UInt8(low))
        }
        return bytes
    }
}
