/// All addresses that begin with the same bits.
package struct IPNetwork: Sendable {
    private let first: IPAddress
    /// Of the 128 bits, for version 4 too.
    private let length: Int

    /// `ADDRESS/LENGTH`; nil for anything else.
    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/"), let address = IPAddress(String(text[..<slash])),
            let length = Int(text[text.index(after: slash)...]), length >= 0,
            length <= (address.v4 == nil ? 128 : 32)
        else { return nil }
        first = address
        self.length = address.v4 == nil ? length : length + 96
    }

    package func contains(_ address: IPAddress) -> Bool {
        let (high, low) = (address.high ^ first.high, address.low ^ first.low)
        return length <= 64 ? high >> (64 - length) == 0 : high == 0 && low >> (128 - length) == 0
    }
}
