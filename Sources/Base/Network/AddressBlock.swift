/// A block of addresses: `10.0.0.0/8`, `fc00::/7`, or a single address.
package struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    private let address: IPAddress
    /// The number of fixed bits, out of the 128 that every address has.
    private let length: Int

    /// Nil for an invalid address or length, or if bits after the length are set.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
        let before = address.v4 == nil ? 0 : 96
        var length = 128
        if parts.count == 2 {
            let digits = Array(parts[1].utf8)
            guard let number = Int(decimalDigits: digits.span), number <= 128 - before else {
                return nil
            }
            length = before + number
        }
        self.init(address, length: length)
        guard Self.masked(address, length) == address else { return nil }
    }

    private init(_ address: IPAddress, length: Int) {
        (self.address, self.length) = (address, length)
    }

    package func contains(_ other: IPAddress) -> Bool { Self.masked(other, length) == address }

    package var description: String {
        "\(address)/\(address.v4 == nil ? length : length - 96)"
    }

    private static func masked(_ address: IPAddress, _ length: Int) -> IPAddress {
        IPAddress(
            high: address.high & mask(min(length, 64)),
            low: address.low & mask(max(length - 64, 0)))
    }

    private static func mask(_ length: Int) -> UInt64 {
        length == 0 ? 0 : .max << UInt64(64 - length)
    }
}
