import Base

/// The items `name=value` of a query. The first of several with the same name counts.
package struct QueryItems {
    private let items: [Substring]

    package init(_ query: String) { items = query.split(separator: "&") }

    /// Nil if it is missing or not valid text.
    package subscript(name: String) -> String? {
        guard let item = items.first(where: { $0.hasPrefix(name + "=") }) else { return nil }
        let value = item.dropFirst(name.count + 1)
        return PercentEncoding.decoded(value).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

/// RFC 3986 section 2.1.
package enum PercentEncoding {
    /// Nil if a percent sign is not followed by two hexadecimal digits.
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
